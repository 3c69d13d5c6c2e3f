/** Whether a message brings the name that the dialog leaves to it: an Inject node right before tells by its properties. */
import { sharedText } from '../shared/editor/texts';
import { type Validator, setting, typed } from '../shared/editor/validators';

/** "Save as", which may be empty where the message or the file on disk has a name. */
export const nameOnDrive: Validator = function (value, options) {
  const verdict = typed('targetName', 'anything').call(this, value, options);
  if (verdict !== true) return verdict;
  const isLeftToMessage = value === '' && READ.every(([name, of]) => setting(this, name) === of);
  return !(isLeftToMessage && isInjectedWithoutName(this)) || sharedText('validation.name_unknown');
};

/** The settings with which the name is what `msg.filename` says, and nothing else needs that. */
const READ = [
  ['targetNameType', 'str'],
  ['source', 'payload'],
  ['filenameType', 'msg'],
  ['filename', 'filename'],
] as const;

/** What else comes before, only a message can tell. */
function isInjectedWithoutName(node: object): boolean {
  const before = RED.nodes.filterLinks({ target: node }).map(({ source }) => source);
  return before.length > 0 && before.every((each) => each.type === 'inject' && !setsName(each));
}

function setsName({ props }: LinkEnd): boolean {
  return Array.isArray(props) && props.some(({ p }: { p?: unknown }) => p === 'filename');
}

/** The editor checks a node when it is edited; this one's check depends on what is wired to it as well. */
export function checkWithWires(): void {
  const check = ({ target }: Link): void => {
    if (target.type !== 'cloud-drive-upload') return;
    RED.editor.validateNode(target);
    RED.view.redraw();
  };
  RED.events.on('links:add', check);
  RED.events.on('links:remove', check);
  RED.events.on('nodes:change', (source: LinkEnd) => {
    if (source.type === 'inject') RED.nodes.filterLinks({ source }).forEach(check);
  });
}
