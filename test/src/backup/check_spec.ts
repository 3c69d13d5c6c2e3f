/** Checking and listing archives without writing anything. */
import { mkdir, writeFile } from 'node:fs/promises';
import { chmod, link, rm, symlink, unlink } from 'node:fs/promises';
import { gzipSync } from 'node:zlib';
import should from 'should';
import { generateAgeKeys } from '../../../src/backup/archive/age';
import type { CheckRequest } from '../../../src/backup/check';
import type { ArchiveListRequest } from '../../../src/backup/list-archive';
import type { CallOptions, ErrorCode } from '../../../src/index';
import { packed } from '../../support/archive/packed';
import { restoreFixture } from '../../support/archive/restore-fixture';
import { tar, tarGz } from '../../support/archive/tar-builder';
import { describeTree, writeTree } from '../../support/archive/tree';
import { rejected } from '../../support/client/rejected';
import { bytes } from '../../support/content';

const CONTENT = { query: /alt=media/ };
const FILES = tar(
  { name: 'home/', type: '5', mode: 0o755 },
  { name: 'home/a', content: 'hello' },
  { name: 'home/to-a', type: '2', linkName: 'a' },
  { name: 'home/same', type: '1', linkName: 'home/a' },
);

describe('check of an archive', () => {
  const fixture = restoreFixture();

  const fields = 'id,name,size,md5Checksum';
  const check = (more: Partial<CheckRequest> = {}, call: CallOptions = {}) =>
    fixture.client.checkArchive({ ...fixture.query, fields, maxAge: 0, depth: 'content', ...more }, call);
  const list = (more: Partial<ArchiveListRequest> = {}) => fixture.list({ fields, ...more });

  it('A check reads the whole archive, counts what it contains, and writes nothing', async () => {
    await fixture.addArchive('home-2026-11-22-0042.tar.gz', gzipSync(FILES));
    const { file, age, milliseconds, ...counts } = await check();
    counts.should.eql({ entries: 4, files: 2, folders: 1, bytes: 5 });
    should(file.name).equal('home-2026-11-22-0042.tar.gz');
    should(age).be.within(0, 0.1);
    should(milliseconds).be.aboveOrEqual(0);
    (await fixture.names()).should.be.empty();
  });

  it('A list has each entry with its type, size, time, mode and target', async () => {
    await fixture.addArchive('home-0042.incomplete.tar', FILES);
    const { archive, entries } = await list({ allowIncomplete: true });
    const modifiedTime = '2023-11-14T22:13:20.000Z';
    entries.should.eql([
      { path: 'home', type: 'folder', size: 0, modifiedTime, mode: 0o755 },
      { path: 'home/a', type: 'file', size: 5, modifiedTime, mode: 0o644 },
      { path: 'home/to-a', type: 'symlink', size: 0, modifiedTime, mode: 0o644, target: 'a' },
      { path: 'home/same', type: 'link', size: 0, modifiedTime, mode: 0o644, target: 'home/a' },
    ]);
    archive.should.containEql({ number: 42, complete: false, indexed: false, entries: 4, bytes: 5 });
    const some = await list({ allowIncomplete: true, include: ['home/to-*'] });
    some.entries.map(({ path }) => path).should.eql(['home/to-a']);
    some.archive.should.containEql({ entries: 4 });
  });

  it('A list has paths of up to 16 KiB, and no longer ones', async () => {
    const name = 'n'.repeat(16 * 1024);
    await fixture.addArchive('x.tar', tar({ name: 'a', pax: { path: name } }));
    should((await list()).paths).eql([name]);
    await fixture.addArchive('x.tar', tar({ name: 'a', pax: { path: `${name}n` } }));
    for (const run of [list, check]) await rejected(run(), 'bad_response', 'bad_response_archive_damaged');
  });

  const damages: [string, ErrorCode, RegExp, (archive: Buffer) => Buffer][] = [
    [
      'a changed byte in a gzip member',
      'bad_response',
      /incorrect .*after home\/b/,
      (archive) => corrupted(archive, 500_000),
    ],
    [
      'no end',
      'bad_response',
      /truncated after home\/b/,
      (archive) => archive.subarray(0, archive.length - 100),
    ],
    ['no content at all', 'bad_response', /truncated/, () => Buffer.alloc(0)],
    ['something else', 'bad_response', /neither gzip nor tar/, () => Buffer.from('<html>')],
  ];
  for (const [title, code, text, damage] of damages) {
    it(`An archive with ${title} is damaged, and the error says where it was noticed`, async () => {
      const content = tarGz({ name: 'home/a', content: 'x' }, { name: 'home/b', content: bytes(2_000_000) });
      await fixture.addArchive('x.tar.gz', damage(content));
      for (const run of [check, list, () => list({ include: ['home/b'] })])
        (await rejected(run(), code)).message.should.match(text);
      const include = ['home/b'];
      await rejected(fixture.restore({ include }), code);
      (await fixture.names()).should.be.empty();
    });
  }

  it('An archive that could not be restored safely fails the check', async () => {
    await fixture.addArchive('x.tar', tar({ name: '../evil', content: 'x' }));
    await rejected(check(), 'bad_response', 'bad_response_archive_path');
  });

  it('An encrypted archive is decrypted to its end with its passphrase or key only', async () => {
    await writeTree(fixture.path('home'), { a: 'hello' });
    const { identity, recipient } = await generateAgeKeys();
    const archive = await packed(fixture.path('home'), { encryption: { recipients: [recipient] } });
    await fixture.addArchive('x.tar.gz.age', archive);
    (await check({ identities: [identity] })).should.containEql({ entries: 2, bytes: 5 });
    await rejected(check(), 'invalid_input', 'invalid_input_archive_identity');
    const { identity: other } = await generateAgeKeys();
    for (const run of [check, list])
      await rejected(run({ identities: [other] }), 'invalid_input', 'invalid_input_identity_wrong');
    await fixture.addArchive('y.tar.gz.age', archive.subarray(0, -1));
    await rejected(check({ identities: [identity] }), 'bad_response', 'bad_response_age');
  });

  it('A lost connection is continued where it ended', async () => {
    await fixture.addArchive('x.tar', tar({ name: 'a', content: bytes(3_000_000) }));
    fixture.drive.faults.add({ kind: 'resetResponse', bytes: 1_000_000, match: CONTENT });
    (await check()).should.containEql({ bytes: 3_000_000 });
    const [, second] = fixture.drive.requests.to('GET').filter(({ query }) => /alt=media/.test(query));
    should(second?.headers['range']).match(/^bytes=\d+-$/);
  });

  it('A transfer that arrives changed is fetched again, and fails the check if it does so again', async () => {
    await fixture.addArchive('x.tar', tar({ name: 'a', content: bytes(300_000) }));
    fixture.drive.faults.add({ kind: 'corrupt', at: 10_000, match: CONTENT });
    (await check()).should.containEql({ bytes: 300_000 });
    fixture.drive.faults.add({ kind: 'corrupt', at: 10_000, match: CONTENT, times: 9 });
    await rejected(check(), 'checksum_mismatch');
  });

  it('An archive that is replaced while it is read is read again, once', async () => {
    const id = await fixture.addArchive('x.tar', tar({ name: 'a', content: bytes(3_000_000) }));
    const other = (size: number): Buffer => tar({ name: 'b', content: bytes(size) });
    let replaced = 0;
    const replace = async (): Promise<void> => {
      const content = other(1_000_000 + 1_000 * ++replaced);
      const upload = { name: 'x.tar', content: { data: content }, ifExists: 'replace' } as const;
      const request = { ...upload, folderId: fixture.folderId, mimeType: '', keepModifiedTime: false };
      await fixture.client.upload({ ...request, metadata: {}, fields: 'id' });
    };
    let times = 1;
    const onProgress = (): void => void (times-- > 0 && (pending = replace()));
    let pending: Promise<void> | undefined;
    fixture.drive.faults.add({
      kind: 'stallResponse',
      bytes: 500_000,
      match: CONTENT,
      until: (async () => {
        while (!pending) await new Promise((resolve) => setImmediate(resolve));
        await pending;
      })(),
    } as never);
    (await check({ onProgress })).should.containEql({ bytes: 1_001_000 });
    should(fixture.drive.files.find(id)).not.be.undefined();
  });

  it('An archive that is replaced again while it is read again is a conflict', async () => {
    await fixture.addArchive('x.tar', tar({ name: 'a', content: bytes(300_000) }));
    let replaced = 0;
    const until = async (): Promise<void> => {
      const data = tar({ name: 'b', content: bytes(300_000 + 1_000 * ++replaced) });
      const request = { folderId: fixture.folderId, mimeType: '', keepModifiedTime: false, metadata: {} };
      const upload = { name: 'x.tar', content: { data }, ifExists: 'replace', fields: 'id' } as const;
      await fixture.client.upload({ ...request, ...upload });
    };
    for (const run of [check, list]) {
      const fault = { kind: 'delay', until, match: CONTENT, times: Infinity } as const;
      const added = fixture.drive.faults.add(fault);
      const { params } = await rejected(run(), 'conflict', 'conflict_archive_replaced');
      params.should.containEql({ name: 'x.tar' });
      added.remove();
    }
    replaced.should.be.belowOrEqual(8);
  });

  it('Several checks of one archive at the same moment have the same result', async () => {
    await writeTree(fixture.path('home'), { a: 'hello', large: bytes(500_000).toString('latin1') });
    await fixture.addArchive('home.tar.gz', await packed(fixture.path('home')));
    const compareWith = fixture.path('home');
    const [one, compared, { entries }] = await Promise.all([check(), check({ compareWith }), list()]);
    one.should.containEql({ entries: 3 });
    should(compared.differences).eql({ missing: [], extra: [], different: [] });
    entries.should.have.length(3);
  });

  it('A check that is cancelled ends at once', async () => {
    await fixture.addArchive('x.tar', tar({ name: 'a', content: bytes(3_000_000) }));
    const controller = new AbortController();
    const onProgress = (): void => controller.abort();
    await rejected(check({ onProgress }, { signal: controller.signal }), 'cancelled');
  });

  describe('of its age', () => {
    const hoursAgo = (hours: number): number => Date.now() - hours * 3_600_000;
    const add = (name: string, hours: number) =>
      fixture.drive.files.add({
        ...{ name, parent: fixture.folderId, content: FILES },
        ...{ createdTime: hoursAgo(hours), modifiedTime: hoursAgo(hours) },
      });

    it('takes one request, and the newest complete archive counts', async () => {
      await add('x-0001.tar', 40);
      await add('x-0002.tar', 30);
      await add('x-0003.incomplete.tar', 1);
      fixture.drive.requests.clear();
      const { file, age, ...rest } = await check({ depth: 'age', maxAge: 30.5 });
      rest.should.eql({});
      should(file.name).equal('x-0002.tar');
      should(age).be.approximately(30, 0.05);
      fixture.drive.requests.all.length.should.equal(1);
      const error = await rejected(check({ depth: 'age', maxAge: 29 }), 'outdated', 'outdated');
      error.params.should.containEql({ name: 'x-0002.tar', age, limit: 29 });
      await rejected(check({ maxAge: 29, allowIncomplete: true }), 'outdated', 'outdated');
      (await check({ maxAge: 31, allowIncomplete: true })).should.containEql({ complete: false });
    });

    it('is that by the clock of the service, even if that of this machine is wrong by a year', async () => {
      await add('x-0001.tar', 40);
      for (const days of [365, -730]) {
        fixture.clock.jump(days * 86_400_000);
        should((await check({ depth: 'age', maxAge: 41 })).age).be.approximately(40, 0.05);
        await rejected(check({ depth: 'age', maxAge: 39 }), 'outdated', 'outdated');
      }
    });

    it('finds no archive outdated if there is none', async () => {
      await add('x-0003.incomplete.tar', 1);
      await rejected(check({ depth: 'age', maxAge: 1 }), 'outdated', 'outdated_none');
      await rejected(check({ depth: 'age' }), 'not_found', 'not_found_archive_incomplete');
    });
  });

  describe('that compares it with a folder', () => {
    const home = (...names: string[]): string => fixture.path('home', ...names);
    const compare = async (compareWith = home(), more: Partial<CheckRequest> = {}) => {
      const {
        missing = [],
        extra = [],
        different = [],
      } = (await check({ compareWith, ...more })).differences ?? {};
      return { missing: missing.sort(), extra: extra.sort(), different: different.sort() };
    };
    const NONE = { missing: [], extra: [], different: [] };

    beforeEach(async () => {
      await writeTree(home(), {
        'docs/a.txt': 'hello',
        'docs/link': '-> a.txt',
        'empty/': '',
        script: '#!/bin/sh',
        'caf\udce9': 'not UTF-8',
        large: bytes(300_000).toString('latin1'),
      });
      await link(home('docs/a.txt'), home('same'));
      await fixture.addArchive('home.tar.gz', await packed(home()));
    });

    it('finds no differences from its source, or from a folder that contains its copy or is one', async () => {
      const before = await describeTree(fixture.path());
      should(await compare()).eql(NONE);
      (await describeTree(fixture.path())).should.eql(before);
      await fixture.restore();
      should(await compare(fixture.path('target'))).eql(NONE);
      should(await compare(fixture.path('target', 'home'))).eql(NONE);
    });

    it('lists what is missing, extra and different, by type, size, mode, target and content', async () => {
      await rm(home('empty'), { recursive: true });
      await unlink(home('docs/link'));
      await symlink('b.txt', home('docs/link'));
      await writeFile(home('docs/a.txt'), 'hellO');
      await chmod(home('script'), 0o700);
      await mkdir(home('new/deep'), { recursive: true });
      await unlink(home('large'));
      await mkdir(home('large'));
      await writeFile(home('large', 'inside'), '');
      should(await compare()).eql({
        missing: ['home/empty'],
        extra: ['home/large/inside', 'home/new'],
        different: ['home/docs/a.txt', 'home/docs/link', 'home/large', 'home/same', 'home/script'],
      });
      should(await compare(home(), { include: ['docs', 'same'] })).eql({
        ...NONE,
        different: ['home/docs/a.txt', 'home/docs/link', 'home/same'],
      });
    });

    it('never follows a link on disk', async () => {
      await writeTree(fixture.path('elsewhere'), { 'a.txt': 'hello', link: '-> a.txt' });
      await rm(home('docs'), { recursive: true });
      await symlink('../elsewhere', home('docs'));
      const { different, ...rest } = await compare();
      should(different).containEql('home/docs');
      should(rest).eql({ missing: ['home/docs/a.txt', 'home/docs/link'], extra: [] });
    });

    it('needs a folder, and requests nothing without one', async () => {
      fixture.drive.requests.clear();
      for (const path of [fixture.path('nowhere'), home('same')]) {
        const error = await rejected(compare(path), 'local_file', 'local_file_compare');
        error.params.should.eql({ path });
      }
      fixture.drive.requests.all.length.should.equal(0);
    });
  });
});

function corrupted(content: Buffer, at: number): Buffer {
  const changed = Buffer.from(content);
  changed.writeUInt8(changed.readUInt8(at) ^ 0xff, at);
  return changed;
}
