/** What this package uses of Node-RED's editor API. https://nodered.org/docs/creating-nodes/node-html */

interface EditorNode {
  id: string;
  type: string;
  /** Id of its flow or subflow; config nodes have one only if they are limited to it. */
  z?: string;
  /** Whether it is disabled. */
  d?: boolean;
  /** Of config nodes: what is typed in until the next deploy, and `has_<name>` for passwords. */
  credentials?: Record<string, unknown>;
  readonly _def: { defaults: Record<string, ValidatedProperty> };
  /** Text of the node's own catalogue; with `namespace:` in front, of another. */
  _(key: string, params?: Record<string, string | number>): string;
}

/** The definition of a property. */
interface ValidatedProperty {
  value: unknown;
  required?: boolean;
  validate?(this: unknown, value: unknown, options?: { label?: string }): boolean | string;
}

/** A node as wires know it, with its properties. */
interface LinkEnd {
  type: string;
  props?: unknown;
}

interface Link {
  source: LinkEnd;
  target: LinkEnd;
}

interface NodeProperty<Value, Node> {
  value: Value;
  required?: boolean;
  /** Type of the config node whose id is the value of the property. */
  type?: string;
  label?: string;
  /** Two parameters tell the editor that a string may come back: why the value is invalid. */
  validate?(this: Node, value: unknown, options?: { label?: string }): boolean | string;
}

interface NodeDefinition<Properties> {
  category: string;
  defaults: { [Name in keyof Properties]: NodeProperty<Properties[Name], EditorNode & Properties> };
  credentials?: Record<string, { type: 'text' | 'password' }>;
  color?: string;
  inputs?: number;
  outputs?: number;
  icon?: string;
  align?: 'left' | 'right';
  paletteLabel?: string | (() => string);
  label?: string | (() => string);
  labelStyle?: string | (() => string);
  inputLabels?: string | ((index: number) => string);
  outputLabels?: string | ((index: number) => string);
  /** Called once, when the type is there. */
  onpaletteadd?(): void;
  /** Called when a node of the type is created or imported. */
  onadd?(): void;
  oneditprepare?(): void;
  oneditsave?(): void;
  oneditcancel?(): void;
  oneditdelete?(): void;
}

interface TypedInputType {
  value: string;
  label: string;
  icon?: string;
  hasValue?: boolean;
  /** Shows the value instead of the input. */
  valueLabel?(container: JQuery, value: string): void;
}

interface TypedInputOptions {
  types: (string | TypedInputType)[];
  default?: string;
  typeField?: string | JQuery;
}

/** An item of a tree; the widget adds `parent` and `treeList`. */
interface TreeListItem<Item> {
  id: string;
  /** Class of the icon. */
  icon?: string;
  /** What is shown. */
  element: JQuery;
  class?: string;
  expanded?: boolean;
  collapsible?: boolean;
  children?: Item[] | ((done: (children: Item[]) => void) => void);
  parent?: Item;
  treeList?: {
    remove(): void;
    addChild(item: Item): void;
    insertChildAt(item: Item, position: number): void;
    expand(done?: () => void): void;
  };
}

interface TreeListOptions<Item> {
  data: Item[];
  /** Lets Enter and the space bar open an item, or confirm one that has no children. */
  selectable?: boolean;
}

interface JQuery {
  typedInput(options: TypedInputOptions): JQuery;
  typedInput(method: 'type' | 'value'): string;
  typedInput(method: 'type' | 'value', value: string): JQuery;
  treeList<Item>(options: TreeListOptions<Item>): JQuery;
  treeList<Item>(method: 'data', data: Item[]): JQuery;
  treeList<Item>(method: 'select' | 'reveal', item: Item): JQuery;
}

interface TrayOptions {
  /** Becomes HTML: never what comes from a service. */
  title: string;
  width?: number | 'inherit';
  buttons: { id: string; text: string; class?: string; click(): void }[];
  open(tray: JQuery): void;
  close?(): void;
  /** Gets the keyboard when it is open; the first field otherwise. */
  focusElement?: JQuery;
}

declare const RED: {
  /** Text of a catalogue: `namespace:key`. */
  _(key: string, params?: Record<string, string | number>): string;
  i18n: {
    /** Language of the texts, such as `en-US`. */
    lang(): string;
  };
  nodes: {
    registerType<Properties>(
      type: string,
      definition: NodeDefinition<Properties> & ThisType<EditorNode & Properties>,
    ): void;
    node(id: string): EditorNode | null;
    eachConfig(callback: (node: EditorNode) => void): void;
    filterLinks(filter: { source?: object; target?: object }): Link[];
    /** Whether there is something to deploy. */
    dirty(isDirty: boolean): void;
  };
  events: {
    emit(event: string, argument: unknown): void;
    on<Argument>(event: string, listener: (argument: Argument) => void): void;
  };
  editor: { validateNode(node: object): void };
  view: { redraw(): void };
  /** What the runtime publishes with `RED.comms.publish`. */
  comms: {
    subscribe(topic: string, listener: (topic: string, data: unknown) => void): void;
    unsubscribe(topic: string, listener: (topic: string, data: unknown) => void): void;
  };
  /** Shows a message over the editor. */
  notify(message: JQuery, options: { type: string; timeout: number }): void;
  validators: {
    /** Checks a value by the type in another property. */
    typedInput(
      typeProperty: string,
    ): (this: unknown, value: unknown, options?: { label?: string }) => boolean | string;
  };
  tray: {
    show(options: TrayOptions): void;
    /** @param done called when it has slid away and the dialog below is back */
    close(done?: () => void): void;
  };
  clipboard: {
    /** Copies and shows a bubble at the element that it was copied. */
    copyText(text: string, element: JQuery, message: string): void;
  };
};
