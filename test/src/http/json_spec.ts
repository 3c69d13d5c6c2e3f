/** Reading JSON responses, and their limits: docs/nodes.md, "Limits". */
import { PassThrough, Readable } from 'node:stream';
import should from 'should';
import {
  isBoolean,
  isNonEmptyString,
  isNumber,
  isObject,
  isString,
  member,
  optionalMember,
  parseObject,
  readAll,
  tryParse,
} from '../../../src/http/json';
import { maximumSize } from '../../../src/errors';
import { blockEventLoop } from '../../support/block-event-loop';
import { rejected } from '../../support/client/rejected';

describe('json', () => {
  it('readAll reads a stream up to a limit', async () => {
    const chunks = () => Readable.from([Buffer.from('ab'), Buffer.from('cd')]);
    (await readAll(chunks(), 4)).toString().should.equal('abcd');
    (await readAll(Readable.from([]), 4)).length.should.equal(0);
    const stream = chunks();
    const error = await rejected(readAll(stream, 3), 'bad_response', 'bad_response_too_large');
    should(error.params).deepEqual({ limit: maximumSize(3) });
    stream.destroyed.should.be.true();
  });

  it('readAll reads a stream whose end arrives while the event loop is blocked', async () => {
    const stream = new PassThrough();
    const read = readAll(stream, 4, 20);
    blockEventLoop(100);
    setImmediate(() => stream.end('ab'));
    (await read).toString().should.equal('ab');
  });

  it('parseObject and tryParse accept valid UTF-8 only, and parseObject only objects', () => {
    parseObject(Buffer.from('{"a":1}')).should.deepEqual({ a: 1 });
    for (const bytes of ['', 'x', '[]', '5', 'null', '"{}"', '<html>', '{"a":1}}']) {
      (() => parseObject(Buffer.from(bytes))).should.throw(/bad_response_no_json/);
    }
    should(tryParse(Buffer.from([0x22, 0xff, 0x22]))).be.undefined();
  });

  it('tryParse rejects nesting that could overflow the stack', () => {
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

  it('member and optionalMember check the type of a member', () => {
    const object = { text: 'x', empty: '', number: 5, nothing: null, endless: Infinity, no: false };
    member(object, 'text', isNonEmptyString).should.equal('x');
    member(object, 'number', isNumber).should.equal(5);
    member(object, 'no', isBoolean).should.be.false();
    member(object, 'empty', isString).should.equal('');
    (() => member(object, 'text', isBoolean)).should.throw(/bad_response_type member=text/);
    (() => member(object, 'number', isString)).should.throw(/bad_response_type member=number/);
    (() => member(object, 'text', isNumber)).should.throw(/bad_response_type/);
    for (const name of ['empty', 'number', 'nothing']) {
      (() => member(object, name, isNonEmptyString)).should.throw(/bad_response_type/);
    }
    (() => member(object, 'absent', isNonEmptyString)).should.throw(/bad_response_missing member=absent/);
    (() => member(object, 'endless', isNumber)).should.throw(/bad_response_type/);
    should(optionalMember(object, 'absent', isNonEmptyString)).be.undefined();
    should(optionalMember(object, 'nothing', isNonEmptyString)).be.undefined();
    (() => optionalMember(object, 'number', isNonEmptyString)).should.throw(/member=number/);
    for (const value of [[], null, undefined, 'x', 5]) isObject(value).should.be.false();
    isObject({}).should.be.true();
  });
});
