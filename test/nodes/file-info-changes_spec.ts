/** The metadata that the file info node may change, and the type of each value: docs/nodes/file-info.md. */
import should from 'should';
import { changesProblem } from '../../nodes/file-info/changes';

describe('changesProblem', () => {
  const accepted: Record<string, unknown>[] = [
    {},
    { name: 'a.txt', description: null, starred: true },
    { modifiedTime: '2026-11-22T02:30:00Z', viewedByMeTime: '2026-11-22T02:30:00.250+01:00' },
    { modifiedTime: new Date(0) },
    { properties: { key: 'value', other: null }, appProperties: {} },
    { contentRestrictions: [{ readOnly: true }], contentHints: { indexableText: 'a' } },
  ];
  for (const changes of accepted) {
    it(`changesProblem accepts ${JSON.stringify(changes)}`, () => {
      should(changesProblem(changes)).be.undefined();
    });
  }

  const rejected: [string, Record<string, unknown>, string, string?][] = [
    ['an unknown member after a valid one', { name: 'a', size: '5' }, 'size'],
    ['a number as name', { name: 5 }, 'name', 'string'],
    ['a text as boolean', { starred: 'true' }, 'starred', 'boolean'],
    ['a date without a time', { modifiedTime: '2026-11-22' }, 'modifiedTime', '2026-11-22T02:30:00Z'],
    [
      'a time that does not exist',
      { modifiedTime: '2026-11-22T25:30:00Z' },
      'modifiedTime',
      '2026-11-22T02:30:00Z',
    ],
    ['an invalid Date', { modifiedTime: new Date(NaN) }, 'modifiedTime', '2026-11-22T02:30:00Z'],
    ['a function as time', { modifiedTime: () => 0 }, 'modifiedTime', '2026-11-22T02:30:00Z'],
    ['an array as properties', { properties: ['a'] }, 'properties', '{"key": "value"}'],
    ['a number as property', { appProperties: { a: 5 } }, 'appProperties', '{"key": "value"}'],
    ['an object as list', { contentRestrictions: {} }, 'contentRestrictions', 'array'],
    ['an array as object', { contentHints: [] }, 'contentHints', 'object'],
  ];
  for (const [description, changes, member, type] of rejected) {
    it(`changesProblem rejects ${description}`, () => {
      should(changesProblem(changes)).deepEqual(type === undefined ? { member } : { member, type });
    });
  }
});
