/** The summary of invalid values in errors. */
import { summarizePublicValue, summarizeValue } from '../../../nodes/shared/runtime/value-summary';

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
