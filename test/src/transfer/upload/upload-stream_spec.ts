/** Content of unknown length. https://developers.google.com/workspace/drive/api/guides/manage-uploads#resumable */
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import fs, { chmod, mkdtemp, readdir, readlink, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import should from 'should';
import { type CallOptions } from '../../../../src/index';
import { driveError } from '../../../support/client/drive-error';
import type { StreamUploadRequest } from '../../../../src/transfer/upload/upload-stream';
import type { Fault, RecordedRequest } from '../../../local-drive';
import { driveFixture } from '../../../support/client/drive-fixture';
import { rejected } from '../../../support/client/rejected';
import { inReusedMemory, uploadStreamTo } from '../../../support/client/stream-fixture';
import { contentsOf, writeTree } from '../../../support/archive/tree';
import { bytes } from '../../../support/content';

const UNIT = 256 * 1024;
const PART = 8 * 1024 * 1024;
const content = bytes(2 * PART + 1000);
const LAST = content.length - 1;

/** Paths of the files that this process has open. */
async function openFiles(): Promise<string[]> {
  const names = await readdir('/proc/self/fd');
  return Promise.all(names.map((name) => readlink(`/proc/self/fd/${name}`).catch(() => '')));
}

describe('upload of a stream', () => {
  const fixture = driveFixture();

  let folderId: string;

  beforeEach(async () => {
    folderId = await fixture.drive.files.addFolder('target');
  });

  const uploadContent = (
    data: AsyncIterable<Buffer>,
    more: Partial<StreamUploadRequest> = {},
    call: CallOptions = {},
  ) => uploadStreamTo(fixture, { folderId, content: data, ...more }, call);
  const upload = (data = content) => uploadContent(inReusedMemory(data));
  const ranges = (): string[] =>
    fixture.drive.requests.all.flatMap(({ headers }) => headers['content-range'] ?? []);
  const files = () => fixture.drive.files.in(folderId);

  async function shouldHaveOneFile(expected = content): Promise<void> {
    const [file, ...more] = files();
    more.should.be.empty();
    should(file).be.ok();
    (await fixture.drive.files.contentOf(file!.id)).equals(expected).should.be.true();
  }

  const inSession = ({ method, headers }: RecordedRequest): boolean =>
    method === 'PUT' && /^bytes \d/.test(String(headers['content-range']));
  const onPart = (nth: number, fault: Fault): void => {
    fixture.drive.faults.add({ ...fault, match: { when: inSession, nth } });
  };

  it('a stream is sent in parts, and the last one announces the length', async () => {
    const file = await upload();
    file.should.have.properties({ name: 'archive.tar', size: String(content.length) });
    await shouldHaveOneFile();
    ranges().should.eql([
      `bytes 0-${PART - 1}/*`,
      `bytes ${PART}-${2 * PART - 1}/*`,
      `bytes ${2 * PART}-${LAST}/${LAST + 1}`,
    ]);
    const [start] = fixture.drive.requests.all.filter(({ method }) => method === 'POST');
    start!.headers.should.not.have.property('x-upload-content-length');
  });

  for (const parts of [1, 2]) {
    it(`the last of exactly ${parts} parts announces the length`, async () => {
      const exact = content.subarray(0, parts * PART);
      await upload(exact);
      await shouldHaveOneFile(exact);
      should(ranges().at(-1)).endWith(`-${exact.length - 1}/${exact.length}`);
      ranges().length.should.equal(parts);
    });
  }

  for (const length of [0, 1, 5_000_000]) {
    it(`a stream of ${length} bytes is sent in one request, because its length is known by then`, async () => {
      const small = content.subarray(0, length);
      await upload(small);
      await shouldHaveOneFile(small);
      ranges().should.be.empty();
    });
  }

  it('after a lost connection, the upload continues with what the service has not stored', async () => {
    const long = bytes(2 * PART + 4 * UNIT);
    onPart(2, { kind: 'resetRequest', bytes: 3 * UNIT + 5 });
    await upload(long);
    await shouldHaveOneFile(long);
    const continued = PART + 3 * UNIT + 5;
    const last = continued + PART;
    ranges().should.eql([
      `bytes 0-${PART - 1}/*`,
      `bytes ${PART}-${2 * PART - 1}/*`,
      'bytes */*',
      `bytes ${continued}-${last - 1}/*`,
      `bytes ${last}-${long.length - 1}/${long.length}`,
    ]);
  });

  it('a part of which the service stores less is sent again from there, in whole units of 256 KiB', async () => {
    onPart(1, { kind: 'partiallyStored', bytes: UNIT });
    await upload();
    await shouldHaveOneFile();
    ranges()[1]!.should.equal(`bytes ${UNIT}-${UNIT + PART - 1}/*`);
  });

  for (const [title, fault] of Object.entries<Fault>({
    'a server error': { kind: 'error', reason: 'backendError', status: 503 },
    'a reset connection': { kind: 'reset' },
    'a lost response': { kind: 'lostResponse' },
    'a 308 without Range': { kind: 'omitRange' },
    'nothing stored': { kind: 'partiallyStored', bytes: 0 },
  })) {
    it(`exactly one file remains after ${title} at each part`, async () => {
      const added = [0, PART, 2 * PART].map((start) => {
        const isPart = ({ headers }: RecordedRequest) =>
          headers['content-range']?.startsWith(`bytes ${start}-`) ?? false;
        return fixture.drive.faults.add({ ...fault, match: { when: isPart } });
      });
      await upload();
      await shouldHaveOneFile();
      added.map(({ hits }) => hits).should.eql([1, 1, 1]);
    });
  }

  it('after a lost final response, the status query returns the file', async () => {
    onPart(3, { kind: 'lostResponse' });
    await upload();
    await shouldHaveOneFile();
    should(ranges().at(-1)).equal(`bytes */${LAST + 1}`);
  });

  it('if the session expires before anything was confirmed, a new one starts', async () => {
    onPart(1, { kind: 'sessionGone' });
    await upload();
    await shouldHaveOneFile();
  });

  for (const status of [404, 410] as const) {
    it(`if the session expires with ${status} later, the upload fails and no file remains`, async () => {
      onPart(2, { kind: 'sessionGone', status });
      await rejected(upload(), 'service_unavailable', 'service_unavailable_session');
      files().should.be.empty();
    });
  }

  it('if the session has expired after it created the file, the file is found by its id', async () => {
    onPart(3, { kind: 'lostResponse' });
    fixture.drive.faults.add({
      ...{ kind: 'sessionGone' },
      match: { when: ({ headers }) => headers['content-range'] === `bytes */${LAST + 1}` },
    });
    await upload();
    await shouldHaveOneFile();
  });

  it('if the service loses confirmed bytes for good, the upload fails and no file remains', async () => {
    const match = { when: ({ method }: RecordedRequest) => method === 'PUT', nth: 2 };
    fixture.drive.faults.add({ kind: 'omitRange', match, times: Infinity });
    await rejected(upload(), 'service_unavailable');
    files().should.be.empty();
  });

  it('if the service refuses a part for good, the upload fails when its retry budget is used up', async () => {
    fixture.drive.faults.add({
      kind: 'error',
      reason: 'backendError',
      status: 503,
      match: { when: inSession },
      times: 1_000,
    });
    await rejected(uploadContent(inReusedMemory(content), {}, { retryFor: 60 }), 'service_unavailable');
    files().should.be.empty();
    ranges().length.should.be.below(100);
  });

  it('content that arrives changed is removed and reported', async () => {
    onPart(2, { kind: 'corruptStored', at: PART + 7 });
    await rejected(upload(), 'checksum_mismatch');
    files().should.be.empty();
  });

  it('an error of the content ends the upload, and no file remains', async () => {
    const failing = async function* (): AsyncGenerator<Buffer> {
      yield* inReusedMemory(content);
      throw driveError('local_file', { text: 'local_file_missing' });
    };
    await rejected(uploadContent(failing()), 'local_file', 'local_file_missing');
    files().should.be.empty();
  });

  it('a cancelled upload leaves no file and ends the reading of its content', async () => {
    const aborter = new AbortController();
    let hasEnded = false;
    const endless = async function* (): AsyncGenerator<Buffer> {
      try {
        for (;;) yield* inReusedMemory(content);
      } finally {
        hasEnded = true;
      }
    };
    const onProgress = (sent: number): void => {
      if (sent > 2 * PART) aborter.abort();
    };
    const uploading = uploadContent(endless(), { onProgress }, { signal: aborter.signal });
    await rejected(uploading, 'cancelled');
    hasEnded.should.be.true();
    files().should.be.empty();
  });

  it('an upload that is cancelled after its last part has arrived leaves no file', async () => {
    const aborter = new AbortController();
    onPart(3, { kind: 'lostResponse' });
    fixture.clock.onSleep = () => aborter.abort();
    await rejected(uploadContent(inReusedMemory(content), {}, { signal: aborter.signal }), 'cancelled');
    files().should.be.empty();
  });

  describe('to a service without sessions', () => {
    let temporaryFolder: string;

    beforeEach(async () => {
      const refuse = { kind: 'error', reason: 'badRequest', status: 501 } as const;
      fixture.drive.faults.add({ ...refuse, match: { query: /uploadType=resumable/ }, times: Infinity });
      temporaryFolder = await mkdtemp(path.join(tmpdir(), 'upload-stream-'));
    });
    afterEach(() => rm(temporaryFolder, { recursive: true }));

    const uploadFromDisk = (folder = temporaryFolder) =>
      uploadStreamTo(
        fixture,
        { folderId, content: inReusedMemory(content), temporaryFolder: folder },
        {},
        'custom',
      );

    it('a service without sessions gets the content from a temporary file, which is removed', async () => {
      await uploadFromDisk();
      await shouldHaveOneFile();
      (await readdir(temporaryFolder)).should.be.empty();
    });

    it('on a system that can’t remove an open file, the temporary file is removed at the end', async function () {
      if (!existsSync('/proc/self/fd')) this.skip('needs Linux');
      const { rm: original } = fs;
      let refused = 0;
      // As on Windows.
      fs.rm = async (...args) => {
        if (!(await openFiles()).includes(String(args[0]))) return original(...args);
        refused += 1;
        throw Object.assign(new Error('EBUSY'), { code: 'EBUSY' });
      };
      try {
        await uploadFromDisk();
      } finally {
        fs.rm = original;
      }
      refused.should.equal(1);
      await shouldHaveOneFile();
      (await readdir(temporaryFolder)).should.be.empty();
    });

    it('a folder that another user puts in the place of the temporary one keeps its files', async function () {
      // Only root can act as two users.
      if (process.geteuid?.() !== 0) this.skip('needs root');
      const home = path.join(temporaryFolder, 'home');
      await writeTree(home, { file: 'secret', 'folder/file': 'secret' });
      await chmod(temporaryFolder, 0o777);
      const { mkdtemp: original } = fs;
      const replacing = async (prefix: string): Promise<string> => {
        const created = await original(prefix);
        for (const names of [
          [created, `${created}-moved`],
          [home, created],
        ])
          execFileSync('mv', ['-T', ...names], { uid: 65534, gid: 65534 });
        return created;
      };
      Object.assign(fs, { mkdtemp: replacing });
      try {
        await uploadFromDisk();
      } finally {
        fs.mkdtemp = original;
      }
      const left = Object.entries(await contentsOf(temporaryFolder)).filter(([, text]) => text === 'secret');
      left.should.have.length(2);
    });

    it('if no temporary file can be written, the error names its folder', async () => {
      const error = await rejected(uploadFromDisk('/nowhere'), 'local_file');
      error.params.should.have.property('path', '/nowhere');
      files().should.be.empty();
    });
  });
});
