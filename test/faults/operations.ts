/** What is done through faults, as data: an adapter carries it out, be it the client or a node of a flow. */
import type { Random } from './random';

export type IfExists = 'duplicate' | 'replace' | 'skip' | 'rename' | 'error';

export type Operation =
  | { kind: 'about' }
  | { kind: 'list'; folder: string }
  | { kind: 'search'; folder: string; text: string }
  | { kind: 'metadata' | 'delete' | 'trash'; id: string }
  | { kind: 'createFolder'; folder: string; name: string }
  | { kind: 'upload'; folder: string; name: string; content: Buffer; path?: string; ifExists: IfExists }
  | { kind: 'download'; id: string; path?: string };

export type OperationKind = Operation['kind'];

/** What came of it. What a kind of operation has no use for is left out. */
export interface Result {
  ids?: string[];
  content?: Buffer;
  /** Where a download was written. */
  path?: string;
  created?: boolean;
  skipped?: boolean;
}

export type Outcome =
  | { ok: true; result: Result }
  /** `shown`: everything that a user, a log or a debug node could get to see of the error. */
  | { ok: false; code: string; text: string; shown: string };

export interface Adapter {
  /** Resolves whatever happens; that it doesn't is what the campaign looks for. */
  perform(operation: Operation): Promise<Outcome>;
  close(): Promise<void> | void;
}

/** What an adapter is to work with. */
export interface Target {
  url: string;
  client: { id: string; secret: string };
  refreshToken: string;
  /** ms of silence after which a connection is given up. */
  timeout: number;
  /** From 0 to 1. */
  random: () => number;
  /** Told each access token that came into use, so that it can be looked for in errors. */
  onToken: (token: string) => void;
}

/** What there is when an operation is chosen. */
export interface Scene {
  folder: string;
  /** Ids of files with content in the folder. */
  files: string[];
  names: string[];
  /** A folder on this machine's disk. */
  disk: string;
  /** A content, large or small. */
  content: (random: Random) => Buffer;
}

type Choice = (random: Random, scene: Scene) => Operation;

const CHOICES: Choice[] = [
  () => ({ kind: 'about' }),
  (_random, { folder }) => ({ kind: 'list', folder }),
  (random, { folder, names }) => ({ kind: 'search', folder, text: random.pick(names) }),
  (random, { files }) => ({ kind: 'metadata', id: random.pick(files) }),
  (random, { files }) => ({ kind: 'delete', id: random.pick(files) }),
  (random, { files }) => ({ kind: 'trash', id: random.pick(files) }),
  (_random, { folder }) => ({ kind: 'createFolder', folder, name: 'new folder' }),
  chosenUpload,
  chosenUpload,
  chosenUpload,
  (random, { files }) => ({ kind: 'download', id: random.pick(files) }),
  (random, { files, disk }) => ({ kind: 'download', id: random.pick(files), path: `${disk}/target` }),
];

function chosenUpload(random: Random, { folder, names, disk, content }: Scene): Operation {
  const ifExists = random.pick(['duplicate', 'replace', 'skip', 'rename', 'error'] as const);
  const name = random.chance(0.5) ? random.pick(names) : 'fresh.bin';
  const path = random.chance(0.5) ? { path: `${disk}/source` } : {};
  return { kind: 'upload', folder, name, content: content(random), ifExists, ...path };
}

export function chooseOperation(random: Random, scene: Scene): Operation {
  return random.pick(CHOICES)(random, scene);
}
