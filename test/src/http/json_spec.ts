/** Reading JSON responses, and their limits: docs/nodes.md, "Limits". */
import { PassThrough, Readable } from 'node:stream';
import should from 'should';
import { isNonEmptyString, isString } from '../../../src/core/validator';
import { member, optionalMember, parseObject, readAll, discard } from '../../../src/http/json';
import { maximumSize } from '../../../src/errors';
import { blockEventLoop } from '../../support/block-event-loop';
import { rejected } from '../../support/client/rejected';
import { HttpClient } from '../../../src/http/client';
import { useScriptedService } from '../../support/http/scripted-service';

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

  it('parseObject accepts only objects', () => {
    parseObject(Buffer.from('{"a":1}')).should.deepEqual({ a: 1 });
    for (const bytes of ['', 'x', '[]', '5', 'null', '"{}"', '<html>', '{"a":1}}']) {
      (() => parseObject(Buffer.from(bytes))).should.throw(/bad_response_no_json/);
    }
    (() => parseObject(Buffer.from('{"a":"\xff"}', 'latin1'))).should.throw(/bad_response_no_json/);
  });

  it('member and optionalMember say whether a member is missing or has the wrong type', () => {
    const object = { text: 'x', number: 5, nothing: null };
    member(object, 'text', isNonEmptyString).should.equal('x');
    (() => member(object, 'number', isString)).should.throw(/bad_response_type member=number/);
    (() => member(object, 'nothing', isString)).should.throw(/bad_response_type member=nothing/);
    (() => member(object, 'absent', isString)).should.throw(/bad_response_missing member=absent/);
    should(optionalMember(object, 'absent', isString)).be.undefined();
    (() => optionalMember(object, 'number', isString)).should.throw(/member=number/);
  });
});

const MAX_DISCARDED = 64 * 1024;

describe('discard', () => {
  const service = useScriptedService();
  const http = new HttpClient({ timeout: 5_000 });

  /** @returns whether the next request uses the same connection */
  async function isConnectionReused(length: number): Promise<boolean> {
    const sockets = new Set<unknown>();
    service.onRequest((_request, { request }) => {
      sockets.add(request.socket);
      return { body: Buffer.alloc(length) };
    });
    for (let count = 0; count < 2; count++) {
      const { body } = await http.send({ method: 'GET', url: service.url });
      const closed = new Promise((resolve) => body.once('close', resolve));
      discard(body);
      await closed;
    }
    return sockets.size === 1;
  }

  it('discard lets the connection of a small response be reused', async () => {
    (await isConnectionReused(0)).should.be.true();
    (await isConnectionReused(MAX_DISCARDED)).should.be.true();
  });

  it('discard closes the connection of a large response', async () => {
    (await isConnectionReused(5e6)).should.be.false();
  });
});
