/** The summary of invalid values in errors. */
import { runInNewContext } from 'node:vm';
import should from 'should';
import {
  lostInJson,
  summarizePublicValue,
  summarizeText,
  summarizeUrl,
  summarizeValue,
} from '../../../nodes/shared/runtime/value-summary';

describe('summarizeValue', () => {
  for (const [value, summary] of [
    [undefined, 'undefined'],
    [null, 'null'],
    ['', "''"],
    ['secret', 'string'],
    [7, 'number 7'],
    [NaN, 'number NaN'],
    [false, 'boolean false'],
    [1n, 'bigint'],
    [() => 1, 'function'],
    [['secret', 1], 'array[2]'],
    [Buffer.from('secret'), 'Buffer[6]'],
    [new Date(0), 'Date'],
    [runInNewContext('new Date(0)'), 'Date'],
    [runInNewContext('new Map()'), 'Map'],
    [new Uint8Array([7]), 'Uint8Array'],
    [{}, '{}'],
    [{ topic: 'secret', payload: 1 }, '{topic, payload}'],
    [{ a: 1, b: 1, c: 1, d: 1, e: 1, f: 1 }, '{a, b, c, d, e}'],
  ] as [unknown, string][]) {
    it(`summarizes a value as ${summary} without its content`, () => {
      summarizeValue(value).should.equal(summary);
    });
  }
});

describe('summarizePublicValue', () => {
  for (const [value, summary] of [
    ['', "''"],
    ['yesterday', "'yesterday'"],
    [-1, 'number -1'],
    [undefined, 'undefined'],
    ['4\n2', 'string'],
    ['x'.repeat(41), 'string'],
    ['ya29.secret', 'string'],
    ['1//secret', 'string'],
    ['GOCSPX-secret', 'string'],
    [{ payload: 'secret' }, '{payload}'],
  ] as [unknown, string][]) {
    it(`summarizes ${JSON.stringify(value)} as ${summary}, because only a number or a date is not private`, () => {
      summarizePublicValue(value).should.equal(summary);
    });
  }
});

describe('summarizeText', () => {
  for (const [value, summary] of [
    ['', "''"],
    ['ann@example', "'ann@example'"],
    ['{\n  "a": 1,\n}', `'{ "a": 1, }'`],
    ['x'.repeat(41), `'${'x'.repeat(40)}…'`],
    ['\u{1f600}'.repeat(41), `'${'\u{1f600}'.repeat(40)}…'`],
    [`{"token": "ya29.canary"`, 'string'],
    [5, 'number 5'],
  ] as [unknown, string][]) {
    it(`quotes the beginning of ${JSON.stringify(value)} as ${summary}`, () => {
      summarizeText(value).should.equal(summary);
    });
  }

  it('looks only at the beginning of a text, which may be so large that a copy exhausts the memory', () => {
    summarizeText(`${'x'.repeat(1_000)} ya29.canary`).should.equal(`'${'x'.repeat(40)}…'`);
    summarizeText(`{ "a": ${' '.repeat(1_000)}1`).should.equal(`'{ "a":…'`);
  });
});

describe('summarizeUrl', () => {
  for (const [text, summary] of [
    ['https://example.org/a/b', "'https://example.org/…'"],
    ['http://user:canary@example.org:8080?token=canary', "'http://example.org:8080/…'"],
    ['https://user/canary@example.org/a', undefined],
    ['https://user:canary', undefined],
    ['https://ya29.canary', undefined],
    ['example.org/a', undefined],
  ] as const) {
    it(`summarizes ${text} as ${summary ?? 'no URL'}, because only the host is not private`, () => {
      should(summarizeUrl(text)).equal(summary);
    });
  }
});

describe('objects that JSON.stringify empties', () => {
  /** As a function node does. */
  const evaluate = (code: string): object => runInNewContext(`(${code})`) as object;

  for (const code of [
    'new Map([[1, 2]])',
    'new Set([1])',
    'new WeakMap()',
    'new Error("x")',
    'Object.assign(new TypeError("x"), { code: "E" })',
    '/x/',
    '[1].values()',
    '(function* () {})()',
    '(async function* () {})()',
    'new ArrayBuffer(1)',
    'new DataView(new ArrayBuffer(1))',
    'new Proxy(new Map(), {})',
  ]) {
    it(`${code} is recognized at any depth as an object that JSON can't represent`, () => {
      const value = evaluate(code);
      should(lostInJson(value)).equal(value);
      should(lostInJson([{ rows: [1, { value }] }])).equal(value);
    });
  }

  for (const code of [
    '{}',
    '[]',
    'Object.create(null)',
    '{ a: [null, "b", 1, {}], f() {} }',
    'Object.assign(new Map(), { toJSON: () => 1 })',
    'new Date(0)',
    'new Uint8Array(1)',
    'new Number(5)',
    'new (class { a = 1 })()',
    '[new (class {})()]',
  ]) {
    it(`${code} is accepted as JSON`, () => {
      should(lostInJson(evaluate(code))).be.undefined();
    });
  }

  it('an object with only private members is rejected if it is the whole content', () => {
    const value = evaluate('new (class { #a = 1 })()');
    should(lostInJson(value)).equal(value);
  });

  it('a promise is found in objects and arrays', () => {
    const value = Promise.resolve(1);
    should(lostInJson({ rows: [{ value }] })).equal(value);
    should(lostInJson({ rows: [{ value: 1 }, null, new Date(0), Buffer.from('a')] })).be.undefined();
  });

  it('an object that says itself what its JSON is may be circular', () => {
    const parent: Record<string, unknown> = { toJSON: () => 'parent' };
    parent['children'] = [{ parent }];
    JSON.stringify({ parent }).should.equal('{"parent":"parent"}');
    should(lostInJson({ parent })).be.undefined();
  });
});
