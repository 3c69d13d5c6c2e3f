/** The definition that a node's built HTML file registers. The scripts run with a minimum of the editor's globals. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import vm from 'node:vm';
import { ROOT } from '../node-red/built-package';

export interface EditorDefinition {
  category: string;
  defaults: Record<string, { value: unknown; type?: string; required?: boolean }>;
  credentials?: Record<string, { type: string }>;
  icon?: string;
  inputs?: number;
  outputs?: number;
}

/** @param node name of the folder; the package must be built */
export function editorDefinition(node: string): EditorDefinition {
  const page = readFileSync(path.join(ROOT, `dist/nodes/${node}.html`), 'utf8');
  const script = /<script type="text\/javascript">([\s\S]*?)<\/script>/.exec(page)?.[1];
  let registered: EditorDefinition | undefined;
  const RED = {
    _: (key: string) => key,
    nodes: {
      registerType: (type: string, definition: EditorDefinition) => {
        if (type === `cloud-drive-${node}`) registered = definition;
      },
    },
    events: { on: () => undefined },
    validators: { typedInput: () => () => true, number: () => () => true, regex: () => () => true },
  };
  const window = vm.createContext({ RED, $: () => undefined, document: {}, URL });
  window['window'] = window;
  vm.runInContext(readFileSync(path.join(ROOT, 'resources/editor.js'), 'utf8'), window);
  vm.runInContext(script ?? '', window);
  if (!registered) throw new Error(`${node} registers nothing`);
  return registered;
}
