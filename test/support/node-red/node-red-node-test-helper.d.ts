/** The part of the test helper that is used here; it comes without types. */
declare module 'node-red-node-test-helper' {
  import type { Node, NodeAPI } from 'node-red';
  import type { Express } from 'express';

  interface LogEntry {
    level: number;
    type?: string;
    id?: string;
    msg: unknown;
  }

  interface Helper {
    startServer(): Promise<void>;
    stopServer(): Promise<void>;
    load(modules: ((RED: NodeAPI) => void)[], flow: object[], credentials?: object): Promise<void>;
    unload(): Promise<void>;
    setFlows(flow: object[], type?: 'full' | 'flows' | 'nodes', credentials?: object): Promise<void>;
    getNode(id: string): Node | null;
    url(): string;
    log(): { args: [LogEntry][] } | undefined;
    settings(settings: object): object;
    /** What Node-RED keeps for a node, references not replaced. */
    readonly credentials: { get(id: string): Record<string, unknown> | undefined };
    /** The admin application of the loaded flow. */
    readonly _httpAdmin: Express;
  }

  const helper: Helper;
  export = helper;
}
