/** Defines a flow node for the editor, with what the definitions of all flow nodes have in common. */
import { usableAccounts } from './accounts';
import { type PropertyValidators, defineNode, editorDefaults } from './node-definitions';
import { type DialogOptions, prepareDialog } from './prepare-dialog';
import { sharedText } from './shared-text';

type Properties<Config> = Config & { name: string; account: string };
type Definition<Config> = NodeDefinition<Properties<Config>>;

/** Methods replace the default ones: the label of a node without a name is the text `label`, its output's is `output`. */
export interface FlowNodeOptions<Config> extends Pick<
  Definition<Config>,
  'credentials' | 'onpaletteadd' | 'oneditsave'
> {
  validators: PropertyValidators<Config>;
  /** What {@link prepareDialog} prepares when the dialog opens. */
  dialog?: DialogOptions;
  /** 1 by default. */
  inputs?: 0;
  label?: () => string;
  /** Of the first output. The second one reports progress. */
  outputLabels?: () => string;
}

/** What the definitions of all flow nodes have in common. */
const COMMON = {
  category: 'cloud drive',
  /** Dark enough for a white icon, light enough for Node-RED's dark label. */
  color: '#87b3d6',
  inputs: 1,
  outputs: 1,
  paletteLabel(this: EditorNode) {
    return this._('label');
  },
  /** Italics for names given by the user, as in Node-RED's core nodes. */
  labelStyle(this: { name?: string }) {
    return this.name ? 'node_label_italic' : '';
  },
  inputLabels(this: EditorNode) {
    return this._('input');
  },
};

/** @param node type after `cloud-drive-` */
export function registerFlowNode<Config extends object>(
  node: string,
  defaults: Config,
  options: FlowNodeOptions<Config> & ThisType<EditorNode & Properties<Config>>,
): void {
  const { validators, dialog, label, outputLabels, ...own } = options;
  defineNode<Properties<Config>>(`cloud-drive-${node}`, {
    ...COMMON,
    icon: `cloud-drive-${node}.svg`,
    defaults: {
      name: { value: '' },
      account: { value: '', type: 'cloud-drive-account', required: true },
      ...editorDefaults(defaults, validators),
    } as Definition<Config>['defaults'],
    label() {
      return this.name || (label ? label.call(this) : this._('label'));
    },
    outputLabels(index) {
      if (index === 1) return sharedText('output.progress');
      return outputLabels ? outputLabels.call(this) : this._('output');
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
