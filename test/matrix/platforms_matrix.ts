/** The packed package on everything it claims to work on: `npm run test:matrix`. The first run fetches it all. */
import should from 'should';
import { PLATFORMS, platformName } from '../support/run/platforms';
import { editorPage, example, examples, icon, icons, nodeSets, texts } from './node-red-admin';
import { EXAMPLE_FLOWS, ICONS, LANGUAGES, TYPES, VERSION, helpOf, textsOf } from './package-sources';
import { resultTable, type PlatformResult } from './result-table';
import { pack, type Tarball } from './tarball';
import { PlatformEnv } from './platform-env';

describe('the packed package', function () {
  this.timeout(300_000);
  const seen: PlatformResult[] = [];
  let tarball: Tarball;

  before(async () => {
    tarball = await pack();
  });
  after(async () => {
    await tarball.remove();
    process.stdout.write(`\n${resultTable(seen)}\n\n`);
  });

  for (const platform of PLATFORMS) {
    describe(`in ${platformName(platform)}`, () => {
      const found: PlatformResult = { platform };
      let trial: PlatformEnv;

      before(async () => {
        seen.push(found);
        trial = await PlatformEnv.start(platform, tarball.file);
      });
      after(() => trial.close());

      it('loads every node', async () => {
        const sets = await nodeSets(trial.nodeRed);
        sets.flatMap(({ types }) => types).should.eql(TYPES);
        for (const set of sets)
          set.should.containEql({ enabled: true, version: VERSION }).and.not.have.key('err');
        found.nodes = sets.length;
      });

      it('finds each icon once', async () => {
        const files = await icons(trial.nodeRed);
        files.sort().should.eql([...ICONS.keys()].sort());
        for (const [file, content] of ICONS) (await icon(trial.nodeRed, file)).should.equal(content);
        found.icons = files.length;
      });

      it('finds the texts in each language', async () => {
        for (const language of LANGUAGES) {
          const catalogues = await texts(trial.nodeRed, language);
          for (const type of TYPES) should(catalogues.get(type)).eql(textsOf(type, language));
        }
        found.languages = LANGUAGES.length;
      });

      it('finds the help in each language', async () => {
        for (const language of LANGUAGES) {
          const page = await editorPage(trial.nodeRed, language);
          for (const type of TYPES) {
            page.should.containEql(helpOf(type, language));
            page.split(`data-help-name="${type}"`).should.have.length(2);
            found.help = (found.help ?? 0) + 1;
          }
        }
      });

      it('offers the examples', async () => {
        const names = await examples(trial.nodeRed);
        names.sort().should.eql([...EXAMPLE_FLOWS.keys()].sort());
        for (const [name, text] of EXAMPLE_FLOWS) {
          should(await example(trial.nodeRed, name)).eql(JSON.parse(text));
        }
        found.examples = names.length;
      });

      it('runs the backup round, before and after a deploy that comes in the middle of one', async () => {
        const { drive } = trial;
        await trial.examples.deploy('nightly-backup', drive.url);
        await trial.examples.pressInject('nightly-backup');
        (await trial.backup(1)).should.containEql({ ok: true, number: '0001', kept: 1 });
        found.round = true;

        const held = drive.faults.add({
          ...{ kind: 'delay', until: new Promise<void>(() => undefined) },
          match: { method: 'POST', path: '/upload/' },
        });
        await trial.examples.pressInject('nightly-backup');
        await drive.traffic.until(() => held.hits > 0);
        await trial.examples.deploy('nightly-backup', drive.url);
        await trial.examples.pressInject('nightly-backup');
        (await trial.backup(2)).should.containEql({ ok: true, number: '0002', kept: 2 });
        (await trial.unexpectedWarnings()).should.be.empty();
        found.redeploy = true;
      });

      it('stops when it is told to, and starts again, without a complaint', async () => {
        await trial.nodeRed.restart();
        (await trial.unexpectedWarnings()).should.be.empty();
        found.stop = true;
      });
    });
  }
});
