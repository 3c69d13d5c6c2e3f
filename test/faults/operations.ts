/** The operations of the campaign as data. Adapters run them with the client or the nodes. */

/** The path of a target folder, which is created if missing. */
export interface FolderPath {
  /** Id of the existing base folder. */
  baseId: string;
  /** Names of the nested folders below the base. */
  names: readonly string[];
  /** The whole path from the root. */
  path: string;
}

/** The layer under test. */
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
  /** Used in place of the folder. */
  folderPath?: FolderPath;
  name: string;
  content: Buffer;
  path?: string;
  ifExists: IfExists;
}

/** Moves, copies or restores a file. */
export interface Relocation {
  kind: 'move' | 'copy' | 'restore';
  id: string;
  /** Path on the drive, used in place of the id. */
  path?: string;
  /** `''` keeps the folder. */
  folder: string;
  /** Used in place of the folder. */
  folderPath?: FolderPath;
  /** `''` keeps the name. */
  name: string;
  ifExists: IfExists;
}

/** Removes old files by one of the rules in prune-rules.ts. */
export interface Prune {
  kind: 'prune';
  folder: string;
  /** Used in place of the folder. */
  folderPath?: FolderPath;
  /** Index in PRUNES. */
  rules: number;
}

export type OperationKind = Operation['kind'];

/** The result of an operation. */
export interface Result {
  ids?: string[];
  /** Ids of the files kept by prune. */
  kept?: string[];
  content?: Buffer;
  /** Path of a download. */
  path?: string;
  created?: boolean;
  skipped?: boolean;
}

export type Outcome = (
  | { ok: true; result: Result }
  /** `removedIds`: files removed despite the error. */
  | { ok: false; code: string; text: string; removedIds?: string[] }
) & {
  /** All text visible to users, logs and debug nodes. */
  visibleText: string;
  /** Violations of the contract of nodes, such as sending twice. */
  violations?: string[];
};

/** An external interruption of an operation. */
export type Interruption = 'cancel' | 'redeploy';

export interface Adapter {
  /** Must always resolve; a timeout is a finding. */
  run(operation: Operation): Promise<Outcome>;
  /** Interrupts the current operation if the layer supports it. */
  interrupt(how: Interruption): void;
  /** @returns contract violations after the operations ended */
  close(): Promise<string[]>;
}

export interface AdapterOptions {
  url: string;
  client: { id: string; secret: string };
  refreshToken: string;
  /** Idle timeout of connections in ms. */
  timeout: number;
  /** Returns numbers from 0 to 1. */
  random: () => number;
  /** A folder for data that survives a restart. */
  userDir: string;
}
