import 'should';
import { newPolynomial } from '../../../../src/backup/restic/chunker';
import { idOf } from '../../../../src/backup/restic/crypto';
import {
  configJson,
  lockJson,
  readConfig,
  readLock,
  readSnapshot,
  snapshotJson,
} from '../../../../src/backup/restic/snapshot-file';

const ID = idOf(Buffer.from('x'));

describe('The config of a repository', () => {
  const config = { version: 2 as const, id: ID, polynomial: newPolynomial() };

  it('is read as it was written', () => {
    readConfig(configJson(config)).should.eql(config);
  });

  it('is refused with an unknown version, which the error names', () => {
    const json = configJson(config).toString().replace('"version":2', '"version":3');
    (() => readConfig(Buffer.from(json))).should.throw({
      text: 'bad_response_repository_version',
      params: { version: 3 },
    });
  });

  it('is refused with a polynomial with which restic would not cut', () => {
    for (const polynomial of [0n, config.polynomial - 1n, config.polynomial << 1n]) {
      (() => readConfig(configJson({ ...config, polynomial }))).should.throw({ code: 'bad_response' });
    }
    (() => readConfig(Buffer.from('{"version":2}'))).should.throw({ code: 'bad_response' });
  });
});

describe('A snapshot file', () => {
  const snapshot = {
    ...{ time: 1_795_645_800_123_456_789n, tree: ID, parent: ID, paths: ['/a', '/b'], hostname: 'pi' },
    ...{ username: 'root', tags: ['nightly'], mounts: ['/a/disk'] },
  };

  it('is read as it was written', () => {
    const forRestic = { excludes: ['*.tmp'], uid: 1, gid: 2 };
    const json = snapshotJson({ ...snapshot, ...forRestic });
    readSnapshot(json, 'x').should.eql(snapshot);
    (JSON.parse(json.toString()) as object).should.containEql(forRestic);
  });

  it('may lack what restic omits', () => {
    const json = Buffer.from(
      JSON.stringify({ time: '2026-11-25T22:30:00Z', tree: ID, paths: null, tags: null }),
    );
    readSnapshot(json, 'x').should.containEql({ paths: [], tags: [], hostname: '', username: '' });
    const { tags: _, ...untagged } = JSON.parse(snapshotJson({ ...snapshot, tags: [] }).toString()) as {
      tags?: unknown;
    };
    untagged.should.not.have.property('tags');
  });

  it('is refused without a tree or a time, or with a member of another type', () => {
    for (const change of [
      { tree: null },
      { tree: '../x' },
      { time: 5 },
      { time: 'now' },
      { paths: '/a' },
      { tags: [1] },
    ]) {
      const json = { ...(JSON.parse(snapshotJson(snapshot).toString()) as object), ...change };
      (() => readSnapshot(Buffer.from(JSON.stringify(json)), 'x')).should.throw({ code: 'bad_response' });
    }
  });
});

describe('A lock file', () => {
  const owner = { pidNamespace: '0123abcd', pid: 5, startTime: 'a1', token: '4567cdef' };
  const lock = { time: 1_795_645_800_123, exclusive: true, hostname: 'pi', username: 'root', pid: 5, owner };

  it('is read as it was written', () => {
    readLock(lockJson(lock), 'x').should.eql(lock);
  });

  it('is refused without a time, or with a member of another type', () => {
    for (const change of [{ time: null }, { time: 'x' }, { exclusive: 'no' }, { pid: '5' }, { owner: {} }]) {
      const json = { ...(JSON.parse(lockJson(lock).toString()) as object), ...change };
      (() => readLock(Buffer.from(JSON.stringify(json)), 'x')).should.throw({ code: 'bad_response' });
    }
  });
});
