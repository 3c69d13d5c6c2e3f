/** The events of a change, by the known and the current state of the file: docs/nodes/watch.md. */
import should from 'should';
import fc from 'fast-check';
import { CHANGE_EVENTS, type ChangeContext, classifyChange } from '../../../src/watch/change-events';
import type { Change } from '../../../src/drive/changes';
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

function removedBefore(): ChangeContext['before'] {
  const files = new KnownFiles();
  files.record(FILE);
  files.markRemoved('f');
  return files.get('f');
}

const WHOLE_DRIVE: ChangeContext = {
  before: undefined,
  wasInside: false,
  isInside: true,
  hasFolder: false,
  knowsAll: true,
  emitsExisting: false,
  isNew: false,
};
const FOLDER: ChangeContext = { ...WHOLE_DRIVE, hasFolder: true };
const change = (more: Partial<DriveFile> = {}, time = NOON + 5_000): Change => ({
  fileId: 'f',
  file: { ...FILE, ...more },
  time,
});
const REMOVAL: Change = { fileId: 'f', time: NOON };

describe('classifyChange', () => {
  const edited = { modifiedTime: at(NOON + 4_000) };
  const trashed = { trashed: true };
  const elsewhere = { parents: ['q'] };
  /** Whether a file is inside the folder, or was before. */
  const OUTSIDE = { ...FOLDER, isInside: false };
  const KNOWN = { ...FOLDER, before: known(), wasInside: true };
  const LEFT = { ...KNOWN, isInside: false };
  const KNOWN_OUTSIDE = { ...OUTSIDE, before: known() };
  const REMOVED = { ...FOLDER, before: removedBefore(), wasInside: true };
  const REMOVED_OUTSIDE = { ...REMOVED, isInside: false };
  const UNSURE = { ...FOLDER, knowsAll: false };
  /** On the drive. */
  const TRASHED = { ...WHOLE_DRIVE, before: known(trashed), wasInside: true };
  const GONE = { ...WHOLE_DRIVE, isInside: false };
  const KNOWN_GONE = { ...GONE, before: known(), wasInside: true };
  const DRIVE_REMOVED = { ...WHOLE_DRIVE, before: removedBefore(), wasInside: true };
  const DRIVE_UNSURE = { ...WHOLE_DRIVE, knowsAll: false };
  const untimed = { modifiedTime: undefined };

  const cases: [string, Change, ChangeContext, string][] = [
    ['a new file on the drive', change(), { ...DRIVE_UNSURE, isNew: true }, 'created'],
    ['an unknown old file if all files are known', change(), WHOLE_DRIVE, 'created'],
    ['a changed unknown old file if not all files are known', change(edited), DRIVE_UNSURE, 'changed'],
    ['a new file in the folder', change(), { ...UNSURE, isNew: true }, 'created'],
    ['an old file that is moved into the folder', change(), FOLDER, 'moved'],
    ['an old file that is moved into the folder and changed', change(edited), FOLDER, 'moved changed'],
    ['a changed file that may have been in the folder', change(edited), UNSURE, 'changed'],
    ['an unchanged file that may have been in the folder', change(), UNSURE, 'moved'],
    ['an unknown file without a modified time that is moved in', change(untimed), FOLDER, 'moved'],
    ['a changed known file that stays outside the folder', change(edited), KNOWN_OUTSIDE, ''],
    ['an unknown file outside the folder', change(), { ...OUTSIDE, isNew: true }, ''],
    ['a file that leaves the folder', change(), LEFT, 'moved'],
    ['an unchanged known file', change(), KNOWN, ''],
    ['a changed known file', change(edited), KNOWN, 'changed'],
    ['a known file with another parent', change(elsewhere), KNOWN, 'moved'],
    ['a changed known file with another parent', change({ ...elsewhere, ...edited }), KNOWN, 'moved changed'],
    ['a known file that is trashed', change(trashed), KNOWN, 'trashed'],
    ['a new file that is in the trash', change(trashed), { ...WHOLE_DRIVE, isNew: true }, 'trashed'],
    ['a changed file that was in the trash before', change({ ...trashed, ...edited }), TRASHED, ''],
    ['a file that is restored from the trash', change(), TRASHED, 'changed'],
    ['a known file that is removed', REMOVAL, KNOWN_GONE, 'removed'],
    ['a known file outside the folder that is removed', REMOVAL, KNOWN_OUTSIDE, ''],
    ['an unknown file that is removed, if the drive is watched', REMOVAL, GONE, 'removed'],
    ['an unknown file that is removed, if a folder is watched', REMOVAL, OUTSIDE, ''],
    ['a removed file that is removed again', REMOVAL, REMOVED_OUTSIDE, ''],
    ['a removed file that is back in the folder', change(), REMOVED, 'created'],
    ['a removed file that is back on the drive', change(), DRIVE_REMOVED, 'created'],
    ['a removed file that is back in the trash', change(trashed), DRIVE_REMOVED, ''],
    ['a removed file that is back outside the folder', change(), REMOVED_OUTSIDE, ''],
    [
      'an existing file while existing files are emitted',
      change(),
      { ...FOLDER, emitsExisting: true },
      'created',
    ],
  ];
  for (const [description, input, context, expected] of cases) {
    it(`classifyChange returns ${expected || 'nothing'} for ${description}`, () => {
      classifyChange(input, context).join(' ').should.equal(expected);
    });
  }

  it('classifyChange returns nothing for a file that is already recorded with these properties', () => {
    const properties = fc.record({
      name: fc.string(),
      parents: fc.array(fc.constantFrom('p', 'q'), { maxLength: 1 }),
      trashed: fc.boolean(),
      starred: fc.boolean(),
      modifiedTime: fc.constantFrom(at(NOON), at(NOON + 1)),
    });
    checkProperty(
      fc.property(properties, fc.boolean(), (more, knowsAll) => {
        const files = new KnownFiles();
        const { file } = change(more);
        if (file) files.record(file);
        const context = { ...WHOLE_DRIVE, knowsAll, before: files.get('f'), wasInside: true };
        return classifyChange(change(more), context).length === 0;
      }),
    );
  });

  it('classifyChange returns one event for a known file that was renamed', () => {
    const name = fc.string();
    checkProperty(
      fc.property(name, name, (before, after) => {
        const events = classifyChange(change({ name: after }), {
          ...WHOLE_DRIVE,
          before: known({ name: before }),
          wasInside: true,
        });
        return events.length === (before === after ? 0 : 1) && events.every((e) => CHANGE_EVENTS.includes(e));
      }),
    );
  });
});

describe('KnownFiles', () => {
  it('KnownFiles evicts the oldest file and restores the saved files', () => {
    const files = new KnownFiles();
    for (let index = 0; index < MAX_KNOWN_FILES; index++) {
      should(files.record({ ...FILE, id: `f${index}` })).be.undefined();
    }
    should(files.record({ ...FILE, id: 'f0' })).be.undefined();
    should(files.record({ ...FILE, id: 'one more' })).equal('f1');
    files.size.should.equal(MAX_KNOWN_FILES);
    (files.get('f1') === undefined).should.be.true();
    const restored = new KnownFiles(JSON.parse(JSON.stringify(files.toJSON())));
    restored.toJSON().should.eql(files.toJSON());
  });

  it('KnownFiles needs little memory for long names', () => {
    const files = new KnownFiles();
    files.record({ ...FILE, name: 'n'.repeat(100_000) });
    JSON.stringify(files.toJSON()).length.should.be.below(400);
  });

  it('KnownFiles ignores malformed saved entries', () => {
    new KnownFiles([['a'], null, ['a', 'b', 'c', 'd', 'unknown'], 5]).size.should.equal(0);
    new KnownFiles({ length: 3 }).size.should.equal(0);
  });
});
