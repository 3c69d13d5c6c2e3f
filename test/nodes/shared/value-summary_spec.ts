/** What an error says came in: short, and never a content. */
import { summarizeValue as told } from '../../../nodes/shared/runtime/value-summary';

describe('what came', () => {
  for (const [value, words] of [
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
    it(`is told as ${words}, not shown`, () => {
      told(value).should.equal(words);
    });
  }
});
