/** Defines a flow node for the editor, with what the definitions of all flow nodes have in common. */
import { usableAccounts } from './accounts';
import { type PropertyValidators, defineNode, editorDefaults } from './node-definitions';
import { type DialogOptions, prepareDialog } from './prepare-dialog';

type Properties<Config> = Config & { name: string; account: string };
type Definition<Config> = NodeDefinition<Properties<Config>>;

/** Methods replace the default ones: the label of a node without a name is the text `label`, its output's is `output`. */
export interface FlowNodeOptions<Config> extends Pick<
  Definition<Config>,
  'credentials' | 'onpaletteadd' | 'oneditprepare' | 'oneditsave'
> {
  validators: PropertyValidators<Config>;
  /** What {@link prepareDialog} prepares when the dialog opens. */
  dialog?: DialogOptions;
  /** 1 by default. */
  inputs?: 0;
  label?: () => string;
  outputLabels?(index: number): string;
}

/** Dark enough for a white icon, light enough for Node-RED's dark label. */
const COLOR = '#87b3d6';

/** @param node type after `cloud-drive-` */
export function registerFlowNode<Config extends object>(
  node: string,
  defaults: Config,
  { validators, dialog, label, ...own }: FlowNodeOptions<Config> & ThisType<EditorNode & Properties<Config>>,
): void {
  defineNode<Properties<Config>>(`cloud-drive-${node}`, {
    category: 'cloud drive',
    color: COLOR,
    icon: `cloud-drive-${node}.svg`,
    defaults: {
      name: { value: '' },
      account: { value: '', type: 'cloud-drive-account', required: true },
      ...editorDefaults(defaults, validators),
    } as Definition<Config>['defaults'],
    inputs: 1,
    outputs: 1,
    paletteLabel() {
      return this._('label');
    },
    label() {
      return this.name || (label ? label.call(this) : this._('label'));
    },
    /** Italics for names given by the user, as in Node-RED's core nodes. */
    labelStyle() {
      return this.name ? 'node_label_italic' : '';
    },
    inputLabels() {
      return this._('input');
    },
    outputLabels() {
      return this._('output');
    },
    onadd() {
      preselectAccount(this);
    },
    oneditprepare() {
      prepareDialog(this, dialog);
    },
    ...own,
  });
}

const MAX_LABEL_VALUE = 24;
/** Properties that may be paths. */
const PATHS = ['file', 'folder', 'filename', 'source', 'localPath'];

/**
 * @returns the value of a typed input for a node's label, shortened; of a path, its last name. `''` if the value is
 * empty, a URL, or comes from the message, the context or the environment
 */
export function labelValue(node: object, property: string): string {
  const {
    [property]: value,
    [`${property}Type`]: type,
    [`${property}Path`]: path,
  } = node as Record<string, unknown>;
  const literal = type === 'drive' ? path : type === 'str' ? value : '';
  const text = typeof literal === 'string' ? literal.trim() : '';
  // The URL of a file contains its ID, not its name.
  if (/^https?:\/\//.test(text)) return '';
  const name = PATHS.includes(property) ? (text.split(/[/\\]/).filter(Boolean).pop() ?? '') : text;
  return name.length > MAX_LABEL_VALUE ? `${name.slice(0, MAX_LABEL_VALUE - 1)}…` : name;
}

/** Selects the account of a new node if there is only one. The editor calls it before it adds the node. */
function preselectAccount(node: EditorNode & { account: string }): void {
  // It is also called after nodes were imported.
  if (node.account !== '' || RED.nodes.node(node.id)) return;
  const [only, ...others] = usableAccounts(node.z);
  if (only && others.length === 0) node.account = only.id;
}
