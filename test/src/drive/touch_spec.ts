/** Setting the modified time, which a custom service may not support. */
import should from 'should';
import { CAPABILITIES } from '../../../src/capabilities';
import { createIdempotently } from '../../../src/drive/idempotent-create';
import { setModifiedTime } from '../../../src/drive/metadata';
import { DriveError } from '../../../src/errors';
import { createDriveContext } from '../../support/client/drive-context';
import { rejected } from '../../support/client/rejected';
import { useScriptedService } from '../../support/http/scripted-service';

describe('setModifiedTime', () => {
  const service = useScriptedService();
  const touch = (kind: keyof typeof CAPABILITIES, status: number): Promise<object | undefined> => {
    service.onRequest(() => ({ status, body: { id: 'f' } }));
    const request = { id: 'f', time: new Date(0), fields: 'id' };
    return setModifiedTime(createDriveContext(service.url, { can: CAPABILITIES[kind] }), request, {});
  };

  it('setModifiedTime sends the time as an ISO 8601 date', async () => {
    should(await touch('google', 200)).deepEqual({ id: 'f' });
    should(service.requests[0]?.body.toString()).equal('{"modifiedTime":"1970-01-01T00:00:00.000Z"}');
  });

  it('setModifiedTime returns no file only for a custom service that lacks the request', async () => {
    for (const status of [400, 404, 405, 501]) should(await touch('custom', status)).be.undefined();
    await rejected(touch('custom', 403), 'permission_denied');
    await rejected(touch('google', 404), 'not_found');
  });
});

describe('createIdempotently', () => {
  const service = useScriptedService();
  const create = (error: Error, id: string | undefined = 'f'): Promise<unknown> =>
    createIdempotently(
      createDriveContext(service.url),
      { id, fields: 'id' },
      () => Promise.reject(error),
      {},
    );
  const conflict = new DriveError('conflict');

  it('a creation that may have succeeded returns the file of its id', async () => {
    service.onRequest(() => ({ body: { id: 'f' } }));
    should(await create(conflict)).deepEqual({ id: 'f' });
    for (const error of [new DriveError('not_found'), new TypeError('bug')])
      await create(error).should.be.rejectedWith(error);
    service.requests.length.should.equal(1);
  });

  it('a creation fails with its own error if the file does not exist, else with the error of the lookup', async () => {
    service.onRequest(() => ({ status: 404 }));
    await rejected(create(conflict), 'conflict');
    service.onRequest(() => ({ status: 403 }));
    await rejected(create(conflict), 'permission_denied');
  });
});
