/**
 * Validates the name of the uploaded file. If the message must supply it, an Inject node directly before the upload
 * node shows whether it does.
 */
import { sharedText } from '../shared/editor/shared-text';
import { type Validator, currentValue, typedInput } from '../shared/editor/validators';

/** The name may be empty if the message or the file on disk has one. */
export const targetName: Validator = function (value, options) {
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
export function revalidateOnWireChange(): void {
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
