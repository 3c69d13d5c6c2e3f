/** The upload node in the editor: uploads a Buffer, a string, an object or a file on disk. */
import { labelValue, registerFlowNode } from '../shared/editor/flow-node';
import { sharedText } from '../shared/editor/shared-text';
import {
  currentValue,
  metadata,
  mimeType,
  typedInput,
  validateWhen,
  type Validator,
} from '../shared/editor/validators';
import { DEFAULTS } from './upload.defaults';

/**
 * The name may be empty if the message or the file on disk has one. An Inject node directly before the node shows whether
 * the message does.
 */
const targetName: Validator = function (value, options) {
  const result = typedInput('targetName', 'anything').call(this, value, options);
  if (result !== true) return result;
  const isFromMessage =
    value === '' &&
    FILENAME_SETTINGS.every(([property, expected]) => currentValue(this, property) === expected);
  return !(isFromMessage && isInjectedWithoutFilename(this)) || sharedText('validation.name_unknown');
};

/** The settings with which `msg.filename` supplies the name. */
const FILENAME_SETTINGS = [
  ['targetNameType', 'str'],
  ['source', 'payload'],
  ['filenameType', 'msg'],
  ['filename', 'filename'],
] as const;

/** Other nodes than Inject may set `msg.filename` at run time. */
function isInjectedWithoutFilename(node: object): boolean {
  const sources = RED.nodes.filterLinks({ target: node }).map(({ source }) => source);
  return sources.length > 0 && sources.every((source) => source.type === 'inject' && !setsFilename(source));
}

function setsFilename({ props }: LinkEnd): boolean {
  return Array.isArray(props) && props.some(({ p }: { p?: unknown }) => p === 'filename');
}

/** The editor validates a node when it is edited. The validity of the name depends on the wired nodes as well. */
function revalidateOnWireChange(): void {
  const revalidate = ({ target }: Link): void => {
    if (target.type !== 'cloud-drive-upload') return;
    RED.editor.validateNode(target);
    RED.view.redraw();
  };
  RED.events.on('links:add', revalidate);
  RED.events.on('links:remove', revalidate);
  RED.events.on('nodes:change', (source: LinkEnd) => {
    if (source.type === 'inject') RED.nodes.filterLinks({ source }).forEach(revalidate);
  });
}

registerFlowNode('upload', DEFAULTS, {
  validators: {
    data: validateWhen('source', ['payload'], typedInput('data', 'anything')),
    filename: validateWhen('source', ['file'], typedInput('filename', 'path')),
    targetName,
    folder: typedInput('folder', 'folder'),
    mimeType,
    metadata,
  },
  label() {
    const isFile = this.source === 'file';
    const name = labelValue(this, 'targetName') || (isFile ? labelValue(this, 'filename') : '');
    if (name !== '') return this._('label_name', { name });
    return this._(isFile ? 'label_file' : 'label_payload');
  },
  onpaletteadd: revalidateOnWireChange,
  dialog: {
    typedInputs: {
      data: { hint: (node) => node._('field.data_text') },
      filename: { hint: () => sharedText('hint.source_path') },
      // Without a name in this field, it comes from elsewhere.
      targetName: {
        hint: (node) => {
          const isFile = $('#node-input-source').val() === 'file';
          return node._(isFile ? 'field.target_name_file' : 'field.target_name_payload');
        },
      },
      folder: { selectable: 'folder', hint: () => sharedText('hint.folder_root') },
      metadata: { extraTypes: ['json'], hint: () => '{"description": "…"}' },
    },
    rows: { source: { data: ['payload'], filename: ['file'], keepModifiedTime: ['file'] } },
  },
});
