/** The part of Node-RED's editor API that this package uses. https://nodered.org/docs/creating-nodes/node-html */

interface EditorNode {
  id: string;
  type: string;
  /** Id of its flow or subflow; config nodes have one only if they are limited to it. */
  z?: string;
  /** Whether it is disabled. */
  d?: boolean;
  /** Whether it has changed since the last deploy. */
  changed?: boolean;
  /** Of config nodes: values entered since the last deploy, and `has_<name>` for passwords. */
  credentials?: Record<string, unknown>;
  readonly _def: {
    defaults: Record<string, ValidatedProperty>;
    credentials?: Record<string, Pick<ValidatedProperty, 'validate'>>;
  };
  /** A text of the node's own catalogue, or with the prefix `namespace:` of another one. */
  _(key: string, params?: Record<string, string | number>): string;
}

/** The definition of a property. */
interface ValidatedProperty {
  value?: unknown;
  required?: boolean;
  validate?(this: unknown, value: unknown, options?: { label?: string }): boolean | string;
}

/** A node at one end of a wire. */
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
  /** A function with two parameters may return a text: why the value is invalid. */
  validate?(this: Node, value: unknown, options?: { label?: string }): boolean | string;
}

interface NodeDefinition<Properties> {
  category: string;
  defaults: { [Name in keyof Properties]: NodeProperty<Properties[Name], EditorNode & Properties> };
  credentials?: Record<string, { type: 'text' | 'password'; validate?: ValidatedProperty['validate'] }>;
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
  /** Called once, when the type is added to the palette. */
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

/** An item of a treeList; the widget adds `parent` and `treeList`. */
interface TreeListItem<Item> {
  id: string;
  /** CSS classes of the icon. */
  icon?: string;
  /** The content of the row. */
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
  /** Enter and Space expand an item, or confirm one that has no children. */
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
  /** Inserted as HTML, so it must not contain text from a service. */
  title: string;
  width?: number | 'inherit';
  buttons: { id: string; text: string; class?: string; click(): void }[];
  open(tray: JQuery): void;
  close?(): void;
  /** Focused when the tray is open; the first field by default. */
  focusElement?: JQuery;
}

declare const RED: {
  /** A text of a catalogue: `namespace:key`. */
  _(key: string, params?: Record<string, string | number>): string;
  i18n: {
    /** Language of the texts, such as `en-US`. */
    lang(): string;
  };
  nodes: {
    node(id: string): EditorNode | null;
    eachConfig(callback: (node: EditorNode) => void): void;
    eachNode(callback: (node: EditorNode) => void): void;
    filterLinks(filter: { source?: object; target?: object }): Link[];
    /** Enables or disables the Deploy button. */
    dirty(isDirty: boolean): void;
  };
  events: {
    emit(event: string, argument: unknown): void;
    on<Argument>(event: string, listener: (argument: Argument) => void): void;
  };
  editor: { validateNode(node: object): void };
  view: { redraw(): void };
  /** Receives events that the runtime publishes with `RED.comms.publish`. */
  comms: {
    subscribe(topic: string, listener: (topic: string, data: unknown) => void): void;
    unsubscribe(topic: string, listener: (topic: string, data: unknown) => void): void;
  };
  /** Shows a message over the editor. */
  notify(message: JQuery, options: { type: string; timeout: number }): void;
  validators: {
    /** @returns a validator for the TypedInput whose type is stored in this property */
    typedInput(
      typeProperty: string,
    ): (this: unknown, value: unknown, options?: { label?: string }) => boolean | string;
  };
  tray: {
    show(options: TrayOptions): void;
    /** @param done called when the tray is closed and the dialog below it is visible */
    close(done?: () => void): void;
  };
  clipboard: {
    /** Copies the text and shows the message next to the element. */
    copyText(text: string, element: JQuery, message: string): void;
  };
};
