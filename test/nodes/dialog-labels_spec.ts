/** The labels of the fields in the dialogs, in each language. */
import { readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import 'should';
import { ROOT, ensureBuilt } from '../support/node-red/built-package';
import { LANGUAGES, SOURCE_LANGUAGE, textsOf } from '../support/languages';

const NODES = readdirSync(path.join(ROOT, 'nodes')).filter((name) => name !== 'shared');

/** Labels of a node's dialog in a language, in the order of its rows. */
function labelsOf(node: string, language: string): string[] {
  const page = readFileSync(path.join(ROOT, `dist/nodes/${node}.html`), 'utf8');
  const labels = page.matchAll(
    /<label for="node-(?:config-)?input-\w+"[^]*?data-i18n="(?:([^":]+):)?([^"]+)"/g,
  );
  return [...labels].map(([, namespace, key]) => textsOf(namespace ? 'account' : node, language).get(key!)!);
}

describe('labels in the dialogs', () => {
  before(ensureBuilt);

  for (const language of LANGUAGES) {
    it(`no dialog has two fields with the same label in ${language}`, () => {
      for (const node of NODES) {
        const labels = labelsOf(node, language);
        labels.filter((label, index) => labels.indexOf(label) !== index).should.eql([], node);
      }
    });
  }

  it('all labels are in sentence case', () => {
    for (const label of NODES.flatMap((node) => labelsOf(node, SOURCE_LANGUAGE)))
      label.replace(/\b(?:API|ID|JSON|MIME|POST|URL)\b/g, '').should.match(/^[A-Z]?[^A-Z]*$/);
  });
});
