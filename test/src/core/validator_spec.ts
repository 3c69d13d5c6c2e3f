/** Checks of values whose type isn't known. */
import should from 'should';
import {
  type TypeGuard,
  Validator,
  isArrayOf,
  isBoolean,
  isNonEmptyString,
  isNumber,
  isObject,
  isObjectArray,
  isObjectOf,
  isOneOf,
  isOptional,
  isString,
  isText,
  tryParse,
} from '../../../src/core/validator';

const isUser = isObjectOf<{ name: string; age?: number | undefined }>({
  name: isString,
  age: isOptional(isNumber),
});

/** A check, values that it accepts, and others. */
const CHECKS: Readonly<Record<string, [TypeGuard<unknown>, accepted: unknown[], refused: unknown[]]>> = {
  isObject: [isObject, [{}, { a: 1 }], [[], null, undefined, 'x', 5]],
  isObjectArray: [isObjectArray, [[], [{}]], [{}, [[]], [null]]],
  isString: [isString, ['', 'x'], [5, null, undefined, {}, ['x']]],
  isNonEmptyString: [isNonEmptyString, ['x'], ['', 5, null]],
  isNumber: [isNumber, [0, -1.5], [NaN, Infinity, '5', null]],
  isBoolean: [isBoolean, [true, false], ['true', 0, null]],
  isText: [isText(2), ['', 'ab'], ['abc', 5]],
  isOneOf: [isOneOf('a', 'b'), ['a', 'b'], ['c', '', ['a'], undefined]],
  isArrayOf: [isArrayOf(isString), [[], ['']], ['', [5], {}]],
  isOptional: [isOptional(isString), [undefined, ''], [null, 5]],
  isObjectOf: [
    isUser,
    [{ name: '' }, { name: 'x', age: 5, more: 1 }],
    [{}, { name: 5 }, { name: 'x', age: 'y' }, [], null],
  ],
};

describe('the validator', () => {
  for (const [name, [check, accepted, refused]] of Object.entries(CHECKS))
    it(`${name} accepts only what it says`, () => {
      accepted.map((value) => check(value)).should.matchEach((is: boolean) => is);
      refused.map((value) => check(value)).should.matchEach((is: boolean) => !is);
    });

  it('rejects a wrong member with its name and value, and lets an optional one be absent or null', () => {
    const validator = new Validator((name, value) => new Error(`${name}: ${String(value)}`));
    const object = validator.object({ text: 'x', number: 5, nothing: null });
    validator.member(object, 'number', isNumber).should.equal(5);
    should(validator.optional(object, 'absent', isString)).be.undefined();
    should(validator.optional(object, 'nothing', isString)).be.undefined();
    (() => validator.member(object, 'text', isNumber)).should.throw('text: x');
    (() => validator.member(object, 'nothing', isString)).should.throw('nothing: null');
    (() => validator.optional(object, 'number', isString)).should.throw('number: 5');
    (() => validator.object('x')).should.throw(': x');
    (() => validator.object([], 'list')).should.throw('list: ');
  });

  it('tryParse rejects invalid UTF-8, and nesting that could overflow the stack', () => {
    should(tryParse(Buffer.from([0x22, 0xff, 0x22]))).be.undefined();
    const deep = (levels: number, open: string, close: string): Buffer =>
      Buffer.from(`${open.repeat(levels)}1${close.repeat(levels)}`);
    for (const [open, close] of [
      ['[', ']'],
      ['{"a":', '}'],
      ['[0,', ',null]'],
      ['{"a":1,"b":', ',"c":null}'],
    ] as const) {
      should(tryParse(deep(200, open, close))).be.an.Object();
      should(tryParse(deep(201, open, close))).be.undefined();
    }
  });
});
