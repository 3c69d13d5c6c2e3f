/** What happened to a file, from what is known of it before and after: docs/nodes/watch.md. */
import should from 'should';
import fc from 'fast-check';
import { CHANGE_EVENTS, type ChangeContext, classifyChange } from '../../../src/watch/change-events';
import type { Change } from '../../../src/api/changes';
import { KnownFiles, MAX_KNOWN_FILES } from '../../../src/watch/known-files';
import type { DriveFile } from '../../../src/types';
import { checkProperty } from '../../support/property';

const NOON = Date.UTC(2026, 10, 21, 12);
const at = (time: number): string => new Date(time).toISOString();
const FILE: DriveFile = {
  id: 'f',
  name: 'f.txt',
  parents: ['p'],
  trashed: false,
  createdTime: at(NOON - 86_400_000),
  modifiedTime: at(NOON - 86_400_000),
};

function known(more: Partial<DriveFile> = {}): ChangeContext['before'] {
  const files = new KnownFiles();
  files.record({ ...FILE, ...more });
  return files.get('f');
}

function gone(): ChangeContext['before'] {
  const files = new KnownFiles();
  files.record(FILE);
  files.markRemoved('f');
  return files.get('f');
}

const WHOLE: ChangeContext = {
  before: undefined,
  wasInside: false,
  isInside: true,
  hasFolder: false,
  knowsAll: true,
  emitsExisting: false,
  isNew: false,
};
const FOLDER: ChangeContext = { ...WHOLE, hasFolder: true };
const change = (more: Partial<DriveFile> = {}, time = NOON + 5_000): Change => ({
  fileId: 'f',
  file: { ...FILE, ...more },
  time,
});
const GONE: Change = { fileId: 'f', time: NOON };

describe('what happened to a file', () => {
  const edited = { modifiedTime: at(NOON + 4_000) };
  const cases: [string, Change, ChangeContext, string][] = [
    ['a new file', change(), { ...WHOLE, knowsAll: false, isNew: true }, 'created'],
    ['an old file that nobody knew, where all are known', change(), WHOLE, 'created'],
    ['an old file that nobody knew', change(edited), { ...WHOLE, knowsAll: false }, 'changed'],
    ['a new file in the folder', change(), { ...FOLDER, knowsAll: false, isNew: true }, 'created'],
    ['an old file that comes into the folder', change(), FOLDER, 'moved'],
    ['one that comes and changes', change(edited), FOLDER, 'moved changed'],
    ['one that may have been there, changed', change(edited), { ...FOLDER, knowsAll: false }, 'changed'],
    ['one that may have been there, not changed', change(), { ...FOLDER, knowsAll: false }, 'moved'],
    ['a strange file elsewhere', change(), { ...FOLDER, isInside: false, isNew: true }, ''],
    ['one that leaves', change(), { ...FOLDER, before: known(), wasInside: true, isInside: false }, 'moved'],
    ['one that is as it was', change(), { ...FOLDER, before: known(), wasInside: true }, ''],
    ['a change', change(edited), { ...FOLDER, before: known(), wasInside: true }, 'changed'],
    ['a move', change({ parents: ['q'] }), { ...FOLDER, before: known(), wasInside: true }, 'moved'],
    [
      'a move and a change',
      change({ parents: ['q'], ...edited }),
      { ...FOLDER, before: known(), wasInside: true },
      'moved changed',
    ],
    ['into the trash', change({ trashed: true }), { ...FOLDER, before: known(), wasInside: true }, 'trashed'],
    ['a new one into the trash', change({ trashed: true }), { ...WHOLE, isNew: true }, 'trashed'],
    [
      'a change in the trash',
      change({ trashed: true, ...edited }),
      { ...WHOLE, before: known({ trashed: true }), wasInside: true },
      '',
    ],
    [
      'out of the trash',
      change(),
      { ...WHOLE, before: known({ trashed: true }), wasInside: true },
      'changed',
    ],
    ['away', GONE, { ...WHOLE, before: known(), wasInside: true, isInside: false }, 'removed'],
    ['away from elsewhere', GONE, { ...FOLDER, before: known(), isInside: false }, ''],
    ['away and never known', GONE, { ...WHOLE, isInside: false }, 'removed'],
    ['away and never known in the folder', GONE, { ...FOLDER, isInside: false }, ''],
    ['away a second time', GONE, { ...FOLDER, before: gone(), wasInside: true, isInside: false }, ''],
    ['back after it was removed', change(), { ...FOLDER, before: gone(), wasInside: true }, 'created'],
    ['back in a whole drive', change(), { ...WHOLE, before: gone(), wasInside: true }, 'created'],
    ['back in the trash', change({ trashed: true }), { ...WHOLE, before: gone(), wasInside: true }, ''],
    ['back elsewhere', change(), { ...FOLDER, before: gone(), wasInside: true, isInside: false }, ''],
    ['what is there at the start', change(), { ...FOLDER, emitsExisting: true }, 'created'],
  ];
  for (const [what, given, situation, expected] of cases) {
    it(`${what}: ${expected || 'nothing'}`, () => {
      classifyChange(given, situation).join(' ').should.equal(expected);
    });
  }

  it('is nothing the second time, whatever it was', () => {
    const some = fc.record({
      name: fc.string(),
      parents: fc.array(fc.constantFrom('p', 'q'), { maxLength: 1 }),
      trashed: fc.boolean(),
      starred: fc.boolean(),
      modifiedTime: fc.constantFrom(at(NOON), at(NOON + 1)),
    });
    checkProperty(
      fc.property(some, fc.boolean(), (more, knowsAll) => {
        const files = new KnownFiles();
        const { file } = change(more);
        if (file) files.record(file);
        const situation = { ...WHOLE, knowsAll, before: files.get('f'), wasInside: true };
        return classifyChange(change(more), situation).length === 0;
      }),
    );
  });

  it('is never nothing where a known file is another', () => {
    const name = fc.string();
    checkProperty(
      fc.property(name, name, (before, after) => {
        const events = classifyChange(change({ name: after }), {
          ...WHOLE,
          before: known({ name: before }),
          wasInside: true,
        });
        return events.length === (before === after ? 0 : 1) && events.every((e) => CHANGE_EVENTS.includes(e));
      }),
    );
  });
});

describe('what is remembered of files', () => {
  it('is the latest of them, and comes back as it was', () => {
    const files = new KnownFiles();
    for (let index = 0; index < MAX_KNOWN_FILES; index++) {
      should(files.record({ ...FILE, id: `f${index}` })).be.undefined();
    }
    should(files.record({ ...FILE, id: 'f0' })).be.undefined();
    should(files.record({ ...FILE, id: 'one more' })).equal('f1');
    files.size.should.equal(MAX_KNOWN_FILES);
    (files.get('f1') === undefined).should.be.true();
    const again = new KnownFiles(JSON.parse(JSON.stringify(files.toJSON())));
    again.toJSON().should.eql(files.toJSON());
  });

  it('takes little room, whatever the names are', () => {
    const files = new KnownFiles();
    files.record({ ...FILE, name: 'n'.repeat(100_000) });
    JSON.stringify(files.toJSON()).length.should.be.below(400);
  });

  it('leaves out what it did not write', () => {
    new KnownFiles([['a'], null, ['a', 'b', 'c', 'd', 'elsewhere'], 5]).size.should.equal(0);
    new KnownFiles({ length: 3 }).size.should.equal(0);
  });
});
