/** Pages of the editor's drive tree, and the user and storage that it shows. */
import should from 'should';
import { CAPABILITIES } from '../../../src/capabilities';
import { nextCursor, parseCursor, sortFiles } from '../../../nodes/account/browse/drive-browser';
import { parseUser } from '../../../nodes/account/sign-in/sign-in-flows';

const START = { pageToken: undefined, offset: 0 };

describe('cursors of the drive tree', () => {
  type Next = Parameters<typeof nextCursor>;
  const next: [string, Next[0], Omit<Next[1], 'size'>, ReturnType<typeof nextCursor>][] = [
    ['the rest of the first page', START, { total: 120, nextPageToken: 'b' }, { ...START, offset: 50 }],
    [
      'the rest of a later page',
      { pageToken: 'b.c', offset: 50 },
      { total: 120, nextPageToken: 'd' },
      { pageToken: 'b.c', offset: 100 },
    ],
    [
      'the next page',
      { pageToken: 'b', offset: 100 },
      { total: 120, nextPageToken: 'd' },
      { pageToken: 'd', offset: 0 },
    ],
    ['the end', START, { total: 50, nextPageToken: undefined }, undefined],
  ];
  for (const [description, start, page, expected] of next) {
    it(`the next cursor is ${description}`, () => {
      should(nextCursor(start, { ...page, size: 50 })).deepEqual(expected);
    });
  }

  it('a cursor is parsed, and an invalid one is undefined', () => {
    should(parseCursor('')).deepEqual(START);
    should(parseCursor('50.')).deepEqual({ pageToken: undefined, offset: 50 });
    should(parseCursor('100.b.c')).deepEqual({ pageToken: 'b.c', offset: 100 });
    for (const text of ['5', '.b', '-1.b', '1234567890.b', 'x.b']) should(parseCursor(text)).be.undefined();
  });

  it('files of a custom service are sorted here: folders first, then by name with numbers', () => {
    const files = ['b 10', 'B 9', 'a'].map((name) => ({ id: name, name, mimeType: '', isFolder: false }));
    const all = [...files, { id: 'z', name: 'z', mimeType: '', isFolder: true }];
    should(sortFiles(CAPABILITIES.custom, all).map(({ name }) => name)).deepEqual(['z', 'a', 'B 9', 'b 10']);
    should(sortFiles(CAPABILITIES.google, all)).deepEqual(all);
  });
});

describe('parseUser', () => {
  const cases: [string, unknown, object | undefined][] = [
    [
      'name and address',
      { displayName: 'Me', emailAddress: 'me@a.example', kind: 'x' },
      { displayName: 'Me', emailAddress: 'me@a.example' },
    ],
    ['a name only', { displayName: 'Me', emailAddress: 5 }, { displayName: 'Me' }],
    [
      'an address only',
      { displayName: null, emailAddress: 'me@a.example' },
      { emailAddress: 'me@a.example' },
    ],
    ['neither', {}, {}],
    ['null', null, undefined],
    ['a text', 'me', undefined],
    ['nothing', undefined, undefined],
  ];
  for (const [description, user, expected] of cases) {
    it(`a user with ${description} is read without other members`, () => {
      should(parseUser(user)).deepEqual(expected);
    });
  }
});
