/**
 * A kept session whose host can't be reached.
 * https://developers.google.com/workspace/drive/api/guides/manage-uploads#resumable
 */
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import should from 'should';
import { rejected } from '../../support/client/rejected';
import { CONTENT, STORED, resumeFixture } from '../../support/client/resume-fixture';
import { ScriptedService } from '../../support/http/scripted-service';

/** @returns the origin of a server that there is no more */
async function nowhere(): Promise<string> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return `http://127.0.0.1:${port}`;
}

describe('the session of an upload that is run again, on a host of its own that can’t be reached', () => {
  const the = resumeFixture();

  /** @param host where the session is now */
  async function cutOff(host?: string): Promise<void> {
    const [[key, text] = ['', '']] = the.sessions.kept;
    the.sessions.kept.set(key, text.replaceAll(the.service.wire.url, host ?? (await nowhere())));
  }

  for (const ifExists of ['duplicate', 'replace'] as const) {
    it(`is given up, and the upload begins anew, with ${ifExists}`, async () => {
      await the.interrupted({ ifExists });
      await cutOff();
      (await the.run({ ifExists })).created.should.be.true();
      the.at.only().content.equals(CONTENT).should.be.true();
      the.starts().should.equal(2);
      the.sent().should.equal(CONTENT.length);
      the.sessions.kept.size.should.equal(0);
    });
  }

  it('is given up where it was to replace a file, too', async () => {
    the.put('backup.tar', 'old-id');
    await the.interrupted({ ifExists: 'replace' });
    await cutOff();
    should((await the.run({ ifExists: 'replace' })).file.id).equal('old-id');
    the.at.only().content.equals(CONTENT).should.be.true();
  });

  it('is not needed where it has made the file after all', async () => {
    const { id } = await the.made();
    await cutOff();
    should((await the.run()).file.id).equal(id);
    the.sent().should.equal(0);
    the.at.only().id.should.equal(id);
  });

  it('is kept while the service can’t be reached either', async () => {
    await the.interrupted();
    const kept = new Map(the.sessions.kept);
    await cutOff();
    the.service.fault = () => 'reset';
    await rejected(the.run(), 'network');
    the.service.fault = () => undefined;
    for (const [key, text] of kept) {
      the.sessions.kept.has(key).should.be.true();
      the.sessions.kept.set(key, text);
    }
    await the.run();
    the.sent().should.equal(CONTENT.length - STORED);
  });

  it('is given up where it is let in and never answered, too', async () => {
    const silent = await ScriptedService.start();
    try {
      silent.before(() => 'handled');
      await the.interrupted();
      await cutOff(silent.url);
      the.at.restart({ uploadSessions: the.sessions, clock: the.clock, retryFor: 0, timeout: 300 });
      await the.run();
      the.at.only().content.equals(CONTENT).should.be.true();
    } finally {
      await silent.close();
    }
  });

  for (const [status, code] of [
    [408, 'timeout'],
    [503, 'service_unavailable'],
  ] as const) {
    it(`is kept where that host is there and has no time (${status})`, async () => {
      const busy = await ScriptedService.start();
      try {
        busy.on(() => ({ status }));
        await the.interrupted();
        await cutOff(busy.url);
        await rejected(the.run(), code);
        the.sessions.kept.size.should.equal(1);
        the.starts().should.equal(1);
      } finally {
        await busy.close();
      }
    });
  }

  it('is kept where the service chose the id: the file could come to be twice', async () => {
    await the.interrupted();
    await cutOff();
    for (const [key, text] of the.sessions.kept) {
      const sessions = JSON.parse(text) as { id?: string }[];
      for (const session of sessions) delete session.id;
      the.sessions.kept.set(key, JSON.stringify(sessions));
    }
    await rejected(the.run(), 'network');
    the.sessions.kept.size.should.equal(1);
    the.starts().should.equal(1);
  });
});
