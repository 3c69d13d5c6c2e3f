/** The part of the editor's API that tests use in its page. */

interface NodeInEditor {
  id: string;
  type: string;
  account?: string;
  valid?: boolean;
  validationErrors?: string[];
  credentials?: unknown;
}

interface JQuery {
  typedInput(method: 'type' | 'value', value?: string): string;
}

interface JQueryStatic {
  /** How many requests are pending. */
  active: number;
}

declare const RED: {
  actions: { invoke(action: string): void };
  comms: {
    subscribe(topic: string, listener: (topic: string, data: { revision?: string }) => void): void;
  };
  editor: { edit(node: NodeInEditor): void };
  events: { emit(event: string, node: NodeInEditor): void };
  nodes: {
    clear(): void;
    createCompleteNodeSet(options?: { credentials: boolean }): Record<string, unknown>[];
    dirty(isDirty: boolean): void;
    eachConfig(each: (node: NodeInEditor) => void): void;
    eachNode(each: (node: NodeInEditor) => void): void;
    filterNodes(filter: { type: string }): NodeInEditor[];
    getType(type: string): unknown;
    getWorkspaceOrder(): string[];
    import(flows: object[]): void;
    node(id: string): NodeInEditor;
    /** Null if no flows are shown: then the editor doesn't say that they were deployed elsewhere. */
    version(revision: string | null): void;
  };
  history: { clear(): void };
  sidebar: { show(tab: string): void; help: { show(type: string): void } };
  view: { redraw(updateAll: boolean): void };
  workspaces: { show(id: string): void };
};
