/** What is done through faults, as data: an adapter carries it out, be it the client or a node of a flow. */

/** A folder that is given by its path, and made where it isn't there. */
export interface FolderPath {
  /** Id of the folder that it begins in. */
  baseId: string;
  /** Names of the folders, one in the other. */
  names: readonly string[];
  /** The same from the root on. */
  path: string;
}

/** What carries the operations out: one half of the campaign each. */
export type Layer = 'client' | 'nodes';

export type IfExists = 'duplicate' | 'replace' | 'skip' | 'rename' | 'error';

export type Operation =
  | { kind: 'about' }
  | { kind: 'list'; folder: string; each: boolean }
  | { kind: 'search'; folder: string; text: string; each: boolean }
  | { kind: 'metadata'; id: string }
  | { kind: 'delete' | 'trash'; ids: string[] }
  | { kind: 'createFolder'; folder: string; name: string }
  | Upload
  | { kind: 'download'; id: string; output: 'buffer' | 'string' | 'file'; path: string }
  | Relocation
  | Prune;

export interface Upload {
  kind: 'upload';
  folder: string;
  /** In place of the folder. */
  folderPath?: FolderPath;
  name: string;
  content: Buffer;
  path?: string;
  ifExists: IfExists;
}

/** Takes a file to another place or name, or a copy of it. */
export interface Relocation {
  kind: 'move' | 'copy' | 'restore';
  id: string;
  /** On the drive, in place of the id. */
  path?: string;
  /** `''`: it stays where it is. */
  folder: string;
  /** In place of the folder. */
  folderPath?: FolderPath;
  /** `''`: it keeps its own. */
  name: string;
  ifExists: IfExists;
}

/** Takes old files away by one of the rules of prune-rules. */
export interface Prune {
  kind: 'prune';
  folder: string;
  /** In place of the folder. */
  folderPath?: FolderPath;
  /** Place in the list: a node is set up with its rules. */
  rules: number;
}

export type OperationKind = Operation['kind'];

/** What came of it. What a kind of operation has no use for is left out. */
export interface Result {
  ids?: string[];
  /** Of what was pruned, what stays. */
  kept?: string[];
  content?: Buffer;
  /** Where a download was written. */
  path?: string;
  created?: boolean;
  skipped?: boolean;
}

export type Outcome = (
  | { ok: true; result: Result }
  /** `gone`: what was removed all the same. */
  | { ok: false; code: string; text: string; removedIds?: string[] }
) & {
  /** Everything of it that a user, a log or a debug node could get to see. */
  visibleText: string;
  /** How it came otherwise than a node is to behave: sent twice, say. */
  violations?: string[];
};

/** How something from outside ends what runs. */
export type Interruption = 'cancel' | 'redeploy';

export interface Adapter {
  /** Resolves whatever happens; that it doesn't is what the campaign looks for. */
  run(operation: Operation): Promise<Outcome>;
  /** Ends what runs, as far as it can be ended that way. */
  interrupt(how: Interruption): void;
  /** @returns what was amiss with what had its ending already */
  close(): Promise<string[]>;
}

/** What an adapter is to work with. */
export interface AdapterOptions {
  url: string;
  client: { id: string; secret: string };
  refreshToken: string;
  /** ms of silence after which a connection is given up. */
  timeout: number;
  /** From 0 to 1. */
  random: () => number;
  /** A folder for what outlives a restart. */
  userDir: string;
}
