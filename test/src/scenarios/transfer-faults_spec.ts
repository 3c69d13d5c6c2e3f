import { mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import should from 'should';
import type { Fault } from '../../local-drive';
import { bytes, md5 } from '../../support/content';
import { PLAIN_UPLOAD, driveFixture } from '../../support/drive-fixture';

/** Right bytes at the end, one file, and nothing half written: on the local drive, which answers as the real one. */
describe('transfers through faults', () => {
  const at = driveFixture({ hash: 'streaming' });
  let folder: string;
  let folderId: string;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'transfers-'));
    folderId = await at.drive.files.addFolder('transfers');
  });
  afterEach(() => rm(folder, { recursive: true }));

  const large = bytes(7_000_003);
  const small = bytes(300_001);

  const put = { method: 'PUT' };
  const upload = { path: /^\/upload/ };
  const uploads: [string, Fault[]][] = [
    ['reset before the session', [{ kind: 'reset', match: { method: 'POST', path: /^\/upload/ } }]],
    ['lost reply to the start', [{ kind: 'lostReply', match: { method: 'POST', path: /^\/upload/ } }]],
    ['a break at the first byte', [{ kind: 'resetRequest', bytes: 1, match: upload }]],
    ['a break in the middle', [{ kind: 'resetRequest', bytes: 200_000, match: upload }]],
    [
      'three breaks',
      [1, 2, 3].map((nth) => ({ kind: 'resetRequest', bytes: 150_000 * nth, match: { ...upload, nth: 1 } })),
    ],
    ['a chunk partly stored', [{ kind: 'partlyStored', bytes: 262_144, match: put }]],
    [
      'a 308 without Range',
      [
        { kind: 'partlyStored', bytes: 524_288, match: put },
        { kind: 'hideStoredRange', match: put },
      ],
    ],
    [
      'a lost last reply',
      [
        { kind: 'lostReply', match: put },
        { kind: 'lostReply', match: { query: /multipart/ } },
      ],
    ],
    ['a session that is gone', [{ kind: 'sessionGone', match: put }]],
    ['a session that is gone for good (410)', [{ kind: 'sessionGone', status: 410, match: put }]],
    ['401', [{ kind: 'error', reason: 'authError', match: upload }]],
    ['429', [{ kind: 'error', reason: 'rateLimitExceeded', status: 429, retryAfter: 3, match: upload }]],
    ['a burst of 503', [{ kind: 'error', reason: 'backendError', status: 503, match: upload, times: 4 }]],
  ];
  for (const [what, faults] of uploads) {
    for (const [size, content] of [
      ['large', large],
      ['small', small],
    ] as const) {
      it(`upload of a ${size} file: ${what}`, async () => {
        const path = join(folder, 'source');
        await writeFile(path, content);
        for (const fault of faults) at.drive.faults.add(fault);
        const { file, created } = await at.under.client.upload({
          ...PLAIN_UPLOAD,
          content: { path },
          folderId,
        });
        created.should.be.true();
        const there = at.drive.files.in(folderId);
        there.map(({ id }) => id).should.deepEqual([file.id]);
        md5(await at.drive.files.contentOf(file.id)).should.equal(md5(content));
        should(file.md5Checksum).equal(md5(content));
      });
    }
  }

  const media = { query: /alt=media/ };
  const cut = (kind: 'resetResponse' | 'truncate', n: number): [string, Fault[]] => [
    `${kind} after ${n} bytes`,
    [{ kind, bytes: n, match: media }],
  ];
  const downloads: [string, Fault[]][] = [
    cut('resetResponse', 0),
    cut('resetResponse', 1),
    cut('resetResponse', 131_072),
    cut('resetResponse', 300_000),
    cut('truncate', 1),
    cut('truncate', 262_144),
    [
      'a body of no length that ends early',
      [{ kind: 'truncate', bytes: 200_000, length: 'none', match: media }],
    ],
    ['reset', [{ kind: 'reset', match: media }]],
    ['401', [{ kind: 'error', reason: 'authError', match: media }]],
    ['429', [{ kind: 'error', reason: 'rateLimitExceeded', status: 429, retryAfter: 3, match: media }]],
    ['a burst of 503', [{ kind: 'error', reason: 'backendError', status: 503, match: media, times: 4 }]],
  ];
  for (const [what, faults] of downloads) {
    it(`download: ${what}`, async () => {
      const id = await at.drive.files.add({ name: 'x', content: large });
      for (const fault of faults) at.drive.faults.add(fault);
      const path = join(folder, 'target');
      await at.under.client.downloadToDisk({
        id,
        fields: 'id',
        acknowledgeAbuse: false,
        path,
        overwrite: 'replace',
      });
      md5(await readFile(path)).should.equal(md5(large));
      (await readdir(folder)).should.deepEqual(['target']);
    });
  }

  it('download: a corrupt byte is a checksum_mismatch, and no file', async () => {
    const id = await at.drive.files.add({ name: 'x', content: small });
    at.drive.faults.add({ kind: 'corrupt', at: 5, match: media, times: Infinity });
    await at.under.client
      .downloadToDisk({
        id,
        fields: 'id',
        acknowledgeAbuse: false,
        path: join(folder, 'x'),
        overwrite: 'replace',
      })
      .should.be.rejectedWith({ code: 'checksum_mismatch' });
    (await readdir(folder)).should.be.empty();
  });

  it('download: a flagged file only when it is asked for', async () => {
    const id = await at.drive.files.add({ name: 'x', content: small, abusive: true });
    const request = { id, fields: 'id', maxSize: 1e6 };
    await at.under.client
      .downloadToMemory({ ...request, acknowledgeAbuse: false })
      .should.be.rejectedWith({ text: 'not_downloadable_abusive' });
    const { content } = await at.under.client.downloadToMemory({ ...request, acknowledgeAbuse: true });
    content.equals(small).should.be.true();
  });
});
