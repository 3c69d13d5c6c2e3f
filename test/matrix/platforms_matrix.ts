/** `npm run test:matrix`: the packed package on all supported platforms, which the first run downloads. */
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import should from 'should';
import { PLATFORMS, platformName } from '../support/run/platforms';
import { editorPage, example, examples, icon, icons, nodeSets, texts } from './node-red-admin';
import { EXAMPLE_FLOWS, ICONS, LANGUAGES, TYPES, VERSION, helpOf, textsOf } from './package-sources';
import { resultTable, type PlatformResult } from './result-table';
import { pack, type Tarball } from './tarball';
import { PlatformEnv } from './platform-env';

const FILES = 20_000;

describe('the packed package', function () {
  this.timeout(300_000);
  const results: PlatformResult[] = [];
  let tarball: Tarball;

  before(async () => {
    tarball = await pack();
  });
  after(async () => {
    await tarball.remove();
    process.stdout.write(`\n${resultTable(results)}\n\n`);
  });

  for (const platform of PLATFORMS) {
    describe(`on ${platformName(platform)}`, () => {
      const result: PlatformResult = { platform };
      let env: PlatformEnv;

      before(async () => {
        results.push(result);
        env = await PlatformEnv.start(platform, tarball.file);
      });
      after(() => env.close());

      it('Node-RED loads every node of the packed package', async () => {
        const sets = await nodeSets(env.nodeRed);
        sets.flatMap(({ types }) => types).should.eql(TYPES);
        for (const set of sets)
          set.should.containEql({ enabled: true, version: VERSION }).and.not.have.key('err');
        result.nodes = sets.length;
      });

      it('Node-RED finds each icon once', async () => {
        const files = await icons(env.nodeRed);
        files.sort().should.eql([...ICONS.keys()].sort());
        for (const [file, content] of ICONS) (await icon(env.nodeRed, file)).should.equal(content);
        result.icons = files.length;
      });

      it('Node-RED finds the texts of each language', async () => {
        for (const language of LANGUAGES) {
          const catalogues = await texts(env.nodeRed, language);
          for (const type of TYPES) should(catalogues.get(type)).eql(textsOf(type, language));
        }
        result.languages = LANGUAGES.length;
      });

      it('Node-RED finds the help of each language', async () => {
        for (const language of LANGUAGES) {
          const page = await editorPage(env.nodeRed, language);
          for (const type of TYPES) {
            page.should.containEql(helpOf(type, language));
            page.split(`data-help-name="${type}"`).should.have.length(2);
            result.help = (result.help ?? 0) + 1;
          }
        }
      });

      it('the editor offers the examples', async () => {
        const names = await examples(env.nodeRed);
        names.sort().should.eql([...EXAMPLE_FLOWS.keys()].sort());
        for (const [name, text] of EXAMPLE_FLOWS) {
          should(await example(env.nodeRed, name)).eql(JSON.parse(text));
        }
        result.examples = names.length;
      });

      it('the backup example runs before and after a deploy that interrupts it', async () => {
        const { drive } = env;
        await env.examples.deploy('nightly-backup', drive.url);
        await env.examples.pressInject('nightly-backup');
        (await env.backup(1)).should.eql({ number: 1, kept: 1 });
        result.round = true;

        const delayed = drive.faults.add({
          ...{ kind: 'delay', until: new Promise<void>(() => undefined) },
          match: { method: 'POST', path: '/upload/' },
        });
        await env.examples.pressInject('nightly-backup');
        await drive.traffic.until(() => delayed.hits > 0);
        await env.examples.deploy('nightly-backup', drive.url);
        await env.examples.pressInject('nightly-backup');
        (await env.backup(2)).should.eql({ number: 2, kept: 2 });
        (await env.unexpectedWarnings()).should.be.empty();
        result.redeploy = true;
      });

      it('the examples that synchronize folders run up and down', async () => {
        const { drive, examples: running } = env;
        await running.deploy('copy-folder', drive.url);
        for (const [nth, expected] of [{ created: 1 }, { unchanged: 1 }].entries()) {
          await running.pressInject('copy-folder');
          const { payload } = await running.debugMessage('copy-folder', 'result', nth + 1);
          should(payload).match(expected);
        }
        const parent = await drive.files.addFolder('Photos');
        await drive.files.add({ name: 'a.jpg', parent, content: 'picture' });
        const target = env.path('photos');
        await running.deploy('mirror-drive-to-nas', drive.url, { '/mnt/nas/photos': target });
        await running.pressInject('mirror-drive-to-nas', 1);
        const { payload } = await running.debugMessage('mirror-drive-to-nas', 'result');
        should(payload).match({ created: 1 });
        (await readFile(path.join(target, 'a.jpg'), 'utf8')).should.equal('picture');
        (await env.unexpectedWarnings()).should.be.empty();
        result.sync = true;
      });

      it('the examples of sharing, file info and requests run', async () => {
        const { drive, examples: running } = env;
        await drive.files.add({ name: 'report-42.txt', content: 'text' });
        await running.deploy('share-report', drive.url);
        await running.pressInject('share-report');
        should(await running.debugMessage('share-report', 'email')).match({ payload: /http\S+\/view/ });
        await running.deploy('file-info', drive.url);
        await running.pressInject('file-info', 1);
        should(await running.debugMessage('file-info', 'changed')).match({ payload: { starred: true } });
        await running.deploy('request', drive.url);
        await running.pressInject('request');
        should(await running.debugMessage('request', 'revisions')).match({ payload: [{ size: '4' }] });
        (await env.unexpectedWarnings()).should.be.empty();
        result.requests = true;
      });

      it('a service account backs up to the drive of the user that it acts as', async () => {
        const { name, folderId } = await env.serviceAccountBackup();
        env.drive.files.names(folderId).should.eql([name]);
        result.serviceAccount = true;
      });

      it(`${FILES} files with unusual names come back identical from backup and restore`, async () => {
        const expected = await env.writeSource(FILES);
        Object.keys(expected).length.should.be.above(0.9 * FILES);
        const { backup, restored, tree } = await env.backUpAndRestore();
        should(backup).containEql({ number: 1, changed: [], skipped: [] });
        should(restored).containEql({ number: 1, entries: backup!.entries });
        tree.should.eql(expected);
        result.files = Object.keys(tree).length;
      });

      it('Node-RED stops and restarts without warnings', async () => {
        await env.nodeRed.restart();
        (await env.unexpectedWarnings()).should.be.empty();
        result.stop = true;
      });
    });
  }
});
