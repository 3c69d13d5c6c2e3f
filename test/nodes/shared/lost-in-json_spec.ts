/** Objects in messages that JSON.stringify turns into `{}`, and some that it accepts although they are circular. */
import { runInNewContext } from 'node:vm';
import should from 'should';
import { lostInJson } from '../../../nodes/shared/runtime/value-summary';

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
