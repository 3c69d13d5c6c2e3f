/** The part of the test helper that is used here; it comes without types. */
declare module 'node-red-node-test-helper' {
  import type { EventEmitter } from 'node:events';
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
    getNode(id: string): Node | null;
    url(): string;
    log(): { args: [LogEntry][] } | undefined;
    settings(settings: object): object;
    /** What Node-RED keeps for a node, references not replaced. */
    readonly credentials: { get(id: string): Record<string, unknown> | undefined };
    readonly _events: EventEmitter;
    /** The runtime's own function. Resolves before the flows have started. */
    readonly _redNodes: {
      setFlows(flow: object[], credentials: object, type: 'full' | 'flows' | 'nodes'): Promise<unknown>;
    };
    /** The admin application of the loaded flow. */
    readonly _httpAdmin: Express;
  }

  const helper: Helper;
  export = helper;
}
