/** Names that aren't UTF-8, and others that programs mix up, in lists, checks and parts of archives. */
import { execFileSync } from 'node:child_process';
import { rm, writeFile } from 'node:fs/promises';
import should from 'should';
import { toIncludeLine } from '../../../nodes/restore/entry-tree';
import { generateAgeKeys } from '../../../src/backup/archive/age';
import { diskPath, readablePath } from '../../../src/fs/path-bytes';
import { packed } from '../../support/archive/packed';
import { needsProgram } from '../../support/archive/programs';
import { restoreFixture } from '../../support/archive/restore-fixture';
import { contentsOf, writeTree } from '../../support/archive/tree';

const TREE = {
  'home/\udcff\udcfe': 'first',
  'home/\udcfe\udcff': 'differs only in bytes that are not UTF-8',
  'home/caf\udce9/men\udcfc': 'in a folder',
  'home/caf\udcea/men\udcfc': 'in the other folder',
  'home/caf\ufffd': 'a character that users see for such a byte',
  'home/\u00e9t\u00e9': 'NFC',
  'home/e\u0301te\u0301': 'NFD',
  'home/line\nbreak \r': 'newline',
  'home/bell\u0007 \u001b[31mred\u007f': 'control characters',
  'home/ spaces \\ [x] {y} *': 'special in patterns',
  [`home/${'n'.repeat(254)}\udcff`]: '255 bytes',
  [`home/${'\udcff'.repeat(255)}`]: '255 of them',
  'home/empty\udcff/': '',
  'home/link\udcff': '-> caf\udce9/men\udcfc',
};

describe('names that are not UTF-8', () => {
  const fixture = restoreFixture();
  const source = (...names: string[]): string => fixture.path('source', ...names);
  const target = (): string => fixture.path('target');
  let secrets: { identities: string[] };

  const KINDS: Record<string, () => Promise<void>> = {
    'a plain archive': async () => {
      await fixture.addArchive('x.tar.gz', await packed(source('home')));
    },
    'an encrypted archive': async () => {
      const { identity, recipient } = await generateAgeKeys();
      secrets = { identities: [identity] };
      const encryption = { recipients: [recipient] };
      await fixture.addArchive('x.tar.gz.age', await packed(source('home'), { encryption }));
    },
    'an archive of GNU tar': () => addTar('gnu'),
    'an archive of GNU tar with extended headers': () => addTar('pax'),
  };
  async function addTar(format: string): Promise<void> {
    const content = execFileSync('tar', [`--format=${format}`, '-czf', '-', '-C', source(), 'home']);
    await fixture.addArchive('x.tar.gz', content);
  }

  before(function () {
    if (process.platform !== 'linux') this.skip('needs Linux');
    needsProgram(this, 'tar');
  });
  beforeEach(async () => {
    secrets = { identities: [] };
    await writeTree(source(), TREE);
  });

  for (const [kind, add] of Object.entries(KINDS)) {
    const hasIndex = !kind.includes('GNU');

    it(`Each name in ${kind} is listed, and none is lost in the whole of it`, async () => {
      await add();
      const { archive, paths } = await fixture.list(secrets);
      const expected = await contentsOf(source());
      archive.should.containEql({ indexed: hasIndex, entries: Object.keys(expected).length });
      const names = Object.keys(expected).map((path) => readablePath(path.replace(/\/$/, '')));
      paths.sort().should.eql(names.sort());
      await fixture.restore(secrets);
      should(await contentsOf(target())).eql(expected);
    });

    it(`What is ticked in the list of ${kind} is restored with its bytes, and nothing else`, async () => {
      await add();
      const contents = await contentsOf(source());
      const folders = Object.keys(TREE).map((path) => path.split('/').slice(0, 2).join('/'));
      for (const path of new Set(folders.map(readablePath).filter((each) => /\ufffd|\n|\u0301/.test(each)))) {
        // Unicode's forms of a name are the same for patterns, as are names that users can't tell apart.
        const isTicked = (other: string): boolean =>
          `${readablePath(other).normalize('NFC')}/`.startsWith(`${path.normalize('NFC')}/`);
        await fixture.restore({ ...secrets, include: [toIncludeLine(path)], overwrite: 'replace' });
        const restored = await contentsOf(target());
        const wanted = Object.entries(contents).filter(([other]) => isTicked(other) || other === 'home/');
        should(restored).eql(Object.fromEntries(wanted));
        await rm(target(), { recursive: true });
      }
    });

    it(`A check of ${kind} tells the names apart when it compares`, async () => {
      await add();
      const check = () =>
        fixture.client.checkArchive({
          ...{ ...fixture.query, ...secrets },
          ...{ maxAge: 0, depth: 'content', compareWith: source() },
        });
      should((await check()).differences).eql({ missing: [], extra: [], different: [] });
      await writeFile(diskPath(source('home/caf\udcea/men\udcfc')), 'changed');
      await writeFile(diskPath(source('home/\udcfd\udcfd')), 'new');
      const { differences } = await check();
      should(differences).match({ missing: [], different: ['home/caf\ufffd/men\ufffd'] });
      should(differences?.extra).eql(['home/\ufffd\ufffd']);
    });
  }
});
