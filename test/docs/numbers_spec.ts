/** Numbers in the documentation are equal to those in the code. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import 'should';
import { ROOT, ensureBuilt } from '../support/node-red/built-package';
import { editorDefinition } from '../support/editor/editor-definition';
import { documents, readDocument } from './markdown';

const MIB = 1024 * 1024;

/** Each limit of the table, with the constant in the code. */
const LIMITS: readonly [what: string, says: number, file: string, constant: string][] = [
  ['upload in one request', 5_000_000, 'src/transfer/upload/multipart.ts', 'MULTIPART_LIMIT'],
  [
    'an interrupted upload can be resumed within',
    7 * 86_400_000,
    'src/transfer/upload/session-registry.ts',
    'SESSION_LIFETIME',
  ],
  ['items per page of a list', 1_000, 'src/drive/list.ts', 'MAX_PAGE_SIZE'],
  ['wait between two attempts', 1_000, 'src/http/retry.ts', 'FIRST_DELAY'],
  ['wait between two attempts', 64_000, 'src/http/retry.ts', 'MAX_DELAY'],
  ['time for a regular expression', 500, 'src/drive/name-matcher.ts', 'TIMEOUT'],
  ['files that a watch remembers', 10_000, 'src/watch/known-files.ts', 'MAX_KNOWN_FILES'],
  ['longest pause of a watch after errors', 15 * 60_000, 'nodes/watch/watch-runner.ts', 'MAX_PAUSE'],
  ['redirects per request', 5, 'src/http/redirects.ts', 'MAX_REDIRECTS'],
  ['JSON response', 32 * MIB, 'src/http/json.ts', 'MAX_JSON_BYTES'],
  ['non-JSON response to a drive request', 10 * MIB, 'src/drive/raw-request.ts', 'MAX_CONTENT_BYTES'],
];

/** Factors for the units of the table. */
const UNITS: Readonly<Record<string, number>> = {
  ...{ 'an interrupted upload can be resumed within': 86_400_000, 'JSON response': MIB },
  ...{ 'non-JSON response to a drive request': MIB },
  ...{ 'wait between two attempts': 1_000, 'longest pause of a watch after errors': 60_000 },
};
/** A default value, a limit of the service that the export specs test, and limits that only Google knows. */
const OTHERWISE = [
  ...['download to a Buffer or string', 'export of a Workspace document'],
  ...['uploads per user and day (Google)', 'sign-ins per client and user (Google)'],
];

describe('numbers in the documentation', () => {
  before(ensureBuilt);

  it('the limits in docs/nodes.md equal the constants in the code', async () => {
    const { tables } = await readDocument('docs/nodes.md');
    const rows = tables.find(({ head }) => head[0] === 'limit')!.rows;
    for (const [what = '', text = ''] of rows) {
      const said = [...text.matchAll(/(\d[\d,]*)/g)].map(([, digits]) => Number(digits!.replace(/,/g, '')));
      const known = LIMITS.filter(([name]) => name === what);
      for (const [, says, file, constant] of known) {
        said.map((number) => number * (UNITS[what] ?? 1)).should.containEql(says);
        valueOf(file, constant).should.equal(says, `${file}: ${constant}`);
      }
      if (known.length === 0) OTHERWISE.should.containEql(what);
    }
    const named = rows.map(([what]) => what);
    LIMITS.filter(([what]) => !named.includes(what)).should.eql([]);
  });

  it('the documented maximum download size is the default', async () => {
    const { value } = editorDefinition('download').defaults['maxSize']!;
    for (const file of ['docs/nodes.md', 'docs/nodes/download.md']) {
      (await readDocument(file)).text.should.containEql(`${String(value)} MiB`);
    }
  });

  it('the documented retry duration is the default', async () => {
    const { defaults } = editorDefinition('account');
    Number(defaults['retryFor']!.value).should.equal(5 * 60);
    (await readDocument('README.md')).text.should.containEql('retried for five minutes');
  });

  it('the documented URLs of the local drive are those of the demo', async () => {
    const { text } = await readDocument('docs/signing-in.md');
    const demo = read('scripts/demo-flows.mjs');
    const given = [...demo.matchAll(/\$\{drive\}(\/[\w/]+)/g)].map(([, at]) => at ?? '');
    given.should.have.length(4);
    for (const at of given) text.should.containEql(`\`http://127.0.0.1:3810${at}\``);
    for (const [, value = ''] of demo.matchAll(/(?:folderMimeType|scope): '([^']+)'/g)) {
      text.should.containEql(`\`${value}\``);
    }
  });

  it('the documented rotation is the one of the example', async () => {
    const flow = JSON.parse(read('examples/nightly-backup.json')) as Record<string, unknown>[];
    const backup = flow.find(({ type }) => type === 'cloud-drive-backup')!;
    const inject = flow.find(({ type }) => type === 'inject')!;
    const { daily, weekly, monthly, minimum } = backup;
    const rule = `the last ${String(daily)} days, ${String(weekly)} weeks and ${String(monthly)} months`;
    const { text } = await readDocument('README.md');
    text.should.containEql(`${rule}, and the ${String(minimum)} newest in any case`);
    String(inject['crontab']).should.equal('30 02 * * *');
    text.should.containEql('every night at 02:30');
    const alert = read('examples/alert-drive-full.json');
    alert.should.containEql('const limit = 90;');
    (await readDocument('docs/nodes/about.md')).text.should.containEql('90 % full');
  });

  it('the documented limits of watch equal the constants in the code', async () => {
    const { text } = await readDocument('docs/nodes/watch.md');
    text.should.containEql(`at most ${valueOf('src/drive/changes.ts', 'PAGE_SIZE')} messages`);
    text.should.containEql('up to 10,000').and.containEql('up to 15 minutes');
  });

  it('the lifetime of sign-ins in testing is the same everywhere', async () => {
    for (const { file, text } of await documents()) {
      for (const [, days] of text.matchAll(/ends? after (?:exactly )?(\d+) days/g))
        days!.should.equal('7', file);
    }
    valueOf('src/auth/oauth-errors.ts', 'TESTING_GRANT_DAYS').should.equal(7);
    valueOf('src/auth/oauth-errors.ts', 'TOLERANCE_DAYS').should.equal(1);
  });
});

function read(file: string): string {
  return readFileSync(path.join(ROOT, file), 'utf8');
}

/** The value of a constant that is a product of numbers. */
function valueOf(file: string, constant: string): number {
  const written = new RegExp(`const ${constant} = ([\\d_ *]+);`).exec(read(file))?.[1];
  if (written === undefined) throw new Error(`${file} has no ${constant}`);
  return written.split('*').reduce((product, part) => product * Number(part.replace(/[_ ]/g, '')), 1);
}
