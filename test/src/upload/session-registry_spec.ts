/**
 * Which session is taken up again, and which isn't.
 * https://developers.google.com/workspace/drive/api/guides/manage-uploads#resumable
 */
import { writeFile } from 'node:fs/promises';
import type { Upload } from '../../../src/index';
import { bytes } from '../../support/content';
import { CHANGED_AT, CONTENT, resumeFixture } from '../../support/client/resume-fixture';

describe('the session of an upload that is run again', () => {
  const the = resumeFixture();

  it('forgets it after a week', async () => {
    await the.interrupted();
    the.clock.elapse(7 * 24 * 3_600_000);
    await the.run();
    the.sent().should.equal(CONTENT.length);
  });

  for (const [what, change] of [
    ['another size', () => the.write(bytes(6_000_002))],
    ['another time', () => the.write(CONTENT, new Date(CHANGED_AT.getTime() + 1))],
    ['another path', async () => void (the.path = await the.at.onDisk(CONTENT, 'other.bin'))],
  ] as const) {
    it(`is another upload with ${what}`, async () => {
      await the.interrupted();
      await change();
      await the.run();
      the.starts().should.equal(2);
    });
  }

  for (const more of [
    { name: 'other' },
    { folderId: 'other' },
    { mimeType: 'a/b' },
    { metadata: { description: 'x' } },
    { keepModifiedTime: true },
    { ifExists: 'skip' },
    { fields: 'id' },
  ] satisfies Partial<Upload>[]) {
    it(`is another upload with ${JSON.stringify(more)}`, async () => {
      await the.interrupted();
      await the.run(more);
      the.starts().should.equal(2);
    });
  }

  it('takes nothing from disk that makes no sense, and sends its token nowhere else', async () => {
    await the.interrupted();
    const [[key, text] = ['', '']] = the.sessions.kept;
    const [session] = JSON.parse(text) as object[];
    for (const odd of [
      5,
      {},
      [null, 5, {}],
      [{ ...session, address: 5 }],
      [{ ...session, method: 'DELETE' }],
      [{ ...session, address: 'http://198.51.100.7/x' }],
      [{ ...session, address: 'file:///etc/passwd' }],
    ]) {
      the.sessions.kept.set(key, JSON.stringify(odd));
      (await the.run()).created.should.be.true();
    }
    the.sessions.kept.size.should.equal(0);
  });

  it('keeps no session of a small file, nor of what came in a message', async () => {
    const kept: number[] = [];
    the.service.fault = () => void kept.push(the.sessions.kept.size);
    await the.at.upload({ data: CONTENT });
    await writeFile(the.path, 'small');
    await the.run();
    Math.max(...kept).should.equal(0);
  });
});
