/** The saved state of a watch: what is restored from it, also if someone edited the file. */
import should from 'should';
import { WatchState } from '../../../src/watch/watch-state';
import { checkFolderExists } from '../../../src/watch/folder-scope';

const OF = 'fingerprint';
const SAVED = { of: OF, token: '5', since: 1_000, knowsAll: true, pass: 'none' };
const restored = (more: object): WatchState | undefined => WatchState.restore({ ...SAVED, ...more }, OF);

describe('WatchState', () => {
  const invalid: [string, object][] = [
    ['of another target', { of: 'other' }],
    ['without a page token', { token: undefined }],
    ['with an empty page token', { token: '' }],
    ['without a time', { since: '1000' }],
  ];
  for (const [description, change] of invalid) {
    it(`a saved state ${description} is not restored`, () => {
      should(restored(change)).be.undefined();
      should(restored({})?.toJSON()).containEql({ token: '5', since: 1_000 });
    });
  }

  it('a saved state that is no object is not restored', () => {
    for (const saved of [undefined, null, 'state', [SAVED]])
      should(WatchState.restore(saved, OF)).be.undefined();
  });

  it('invalid entries of a saved state are ignored, and the valid ones are restored', () => {
    const file = ['a', 'p', 'a.txt', 'digest', 'here'];
    const state = restored({
      known: [file, 'b', ['c'], ['d', 'p', 5, 'digest', 'here'], ['e', 'p', 'e.txt', 'digest', 'lost']],
      outside: { f: 2_000, g: 'yesterday' },
      strangers: { h: { name: 'h.txt', parent: 'p' }, i: 'i.txt', k: null, j: { name: 'j.txt' } },
    });
    should(state?.toJSON()).containEql({
      known: [file],
      outside: { f: 2_000 },
      strangers: { h: { name: 'h.txt', parent: 'p' } },
    });
  });

  it('lists of a wrong type in a saved state are taken as empty', () => {
    const state = restored({ known: {}, told: 5, outside: [1], strangers: 'x' });
    should(state?.toJSON()).deepEqual(WatchState.restore(SAVED, OF)?.toJSON());
    should(state?.known.size).equal(0);
  });

  it('a file without a name is emitted and saved with an empty name', () => {
    const state = new WatchState(OF, '5');
    state.record({ id: 'a' });
    state.addPendingEmits([{ id: 'b' }]);
    const again = WatchState.restore(structuredClone(state.toJSON()), OF);
    should(again?.known.get('a')).containEql({ name: '', parent: '' });
    should(again?.pendingEmit('b')).containEql({ name: '', parent: '' });
  });

  it('a file outside the folder is forgotten once all files of its time are emitted', () => {
    const state = new WatchState(OF, '5');
    const file = { id: 'a', createdTime: '2026-11-21T12:00:00Z' };
    const created = Date.parse(file.createdTime);
    state.recordOutside(file);
    should(state.toJSON()).containEql({ outside: { a: created } });
    const hour = 3_600_000;
    state.emittedUpTo(created + hour - 1, created + hour);
    should(state.toJSON()).containEql({ outside: { a: created } });
    state.emittedUpTo(created + hour, created + hour);
    should(state.toJSON()).containEql({ outside: {} });
  });
});

describe('checkFolderExists', () => {
  const folder = { folderId: 'f', recursive: false };
  const cases: [string, object, boolean][] = [
    ['is removed', { fileId: 'f' }, false],
    ['is trashed', { fileId: 'f', file: { id: 'f', trashed: true } }, false],
    ['is renamed', { fileId: 'f', file: { id: 'f', trashed: false } }, true],
    ['is not among the changes', { fileId: 'g' }, true],
  ];
  for (const [description, change, exists] of cases) {
    it(`a watched folder that ${description} ${exists ? 'still exists' : 'is not_found'}`, () => {
      const check = () => checkFolderExists(folder, [change as { fileId: string }]);
      if (exists) check();
      else should(check).throw({ code: 'not_found', text: 'not_found_watched' });
    });
  }
});
