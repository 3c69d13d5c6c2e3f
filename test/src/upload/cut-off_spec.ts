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
  const fixture = resumeFixture();

  /** @param host where the session is now */
  async function cutOff(host?: string): Promise<void> {
    const [[key, text] = ['', '']] = fixture.sessions.saved;
    fixture.sessions.saved.set(key, text.replaceAll(fixture.service.server.url, host ?? (await nowhere())));
  }

  for (const ifExists of ['duplicate', 'replace'] as const) {
    it(`is given up, and the upload begins anew, with ${ifExists}`, async () => {
      await fixture.interruptUpload({ ifExists });
      await cutOff();
      (await fixture.upload({ ifExists })).created.should.be.true();
      fixture.base.onlyFile().content.equals(CONTENT).should.be.true();
      fixture.sessionsStarted().should.equal(2);
      fixture.takeBytesSent().should.equal(CONTENT.length);
      fixture.sessions.saved.size.should.equal(0);
    });
  }

  it('is given up where it was to replace a file, too', async () => {
    fixture.addFile('backup.tar', 'old-id');
    await fixture.interruptUpload({ ifExists: 'replace' });
    await cutOff();
    should((await fixture.upload({ ifExists: 'replace' })).file.id).equal('old-id');
    fixture.base.onlyFile().content.equals(CONTENT).should.be.true();
  });

  it('is not needed where it has made the file after all', async () => {
    const { id } = await fixture.loseResponse();
    await cutOff();
    should((await fixture.upload()).file.id).equal(id);
    fixture.takeBytesSent().should.equal(0);
    fixture.base.onlyFile().id.should.equal(id);
  });

  it('is kept while the service can’t be reached either', async () => {
    await fixture.interruptUpload();
    const kept = new Map(fixture.sessions.saved);
    await cutOff();
    fixture.service.fault = () => 'reset';
    await rejected(fixture.upload(), 'network');
    fixture.service.fault = () => undefined;
    for (const [key, text] of kept) {
      fixture.sessions.saved.has(key).should.be.true();
      fixture.sessions.saved.set(key, text);
    }
    await fixture.upload();
    fixture.takeBytesSent().should.equal(CONTENT.length - STORED);
  });

  it('is given up where it is let in and never answered, too', async () => {
    const silent = await ScriptedService.start();
    try {
      silent.before(() => 'handled');
      await fixture.interruptUpload();
      await cutOff(silent.url);
      fixture.base.restart({
        uploadSessions: fixture.sessions,
        clock: fixture.clock,
        retryFor: 0,
        timeout: 300,
      });
      await fixture.upload();
      fixture.base.onlyFile().content.equals(CONTENT).should.be.true();
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
        await fixture.interruptUpload();
        await cutOff(busy.url);
        await rejected(fixture.upload(), code);
        fixture.sessions.saved.size.should.equal(1);
        fixture.sessionsStarted().should.equal(1);
      } finally {
        await busy.close();
      }
    });
  }

  it('is kept where the service chose the id: the file could come to be twice', async () => {
    await fixture.interruptUpload();
    await cutOff();
    for (const [key, text] of fixture.sessions.saved) {
      const sessions = JSON.parse(text) as { id?: string }[];
      for (const session of sessions) delete session.id;
      fixture.sessions.saved.set(key, JSON.stringify(sessions));
    }
    await rejected(fixture.upload(), 'network');
    fixture.sessions.saved.size.should.equal(1);
    fixture.sessionsStarted().should.equal(1);
  });
});
