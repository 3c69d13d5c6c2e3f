import { once } from 'node:events';
import http from 'node:http';
import { type AddressInfo, type Server, type Socket, createServer } from 'node:net';
import { ReadingHttpAgent, borrow } from '../../../src/http/reused-reads';

describe('connections that read into one buffer', () => {
  const agent = new ReadingHttpAgent();
  let server: Server;
  let there: Socket;
  let here: Socket;
  const pieces: Buffer[] = [];

  beforeEach(async () => {
    pieces.splice(0);
    server = createServer((socket) => (there = socket)).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    here = agent.createConnection({ host: '127.0.0.1', port }) as Socket;
    const accepted = once(server, 'connection');
    await Promise.all([once(here, 'connect'), accepted]);
  });
  afterEach(() => {
    here.destroy();
    server.close();
  });

  /** Each in a read of its own: the next is sent when it has come. */
  async function read(...texts: string[]): Promise<void> {
    for (const text of texts) {
      const come = once(here, 'data');
      there.write(text);
      await come;
    }
  }
  it('give copies to who may keep them', async () => {
    here.on('data', (piece: Buffer) => pieces.push(piece));
    await read('first', 'other');
    pieces.map(String).should.deepEqual(['first', 'other']);
  });

  it('give the buffer itself to who has said that he keeps nothing', async () => {
    const body = new http.IncomingMessage(here);
    body.resume();
    borrow(body);
    const texts: string[] = [];
    here.on('data', (piece: Buffer) => {
      pieces.push(piece);
      texts.push(String(piece));
    });
    await read('first', 'other', 'third');
    texts.should.deepEqual(['first', 'other', 'third']);
    new Set(pieces.map(({ buffer }) => buffer)).size.should.equal(1);
    body.emit('close');
    await read('again', 'twice');
    pieces.slice(3).map(String).should.deepEqual(['again', 'twice']);
  });

  it('leave the buffer to an answer in which a part of it waits', async () => {
    const body = new http.IncomingMessage(here);
    borrow(body);
    body.once('data', () => body.pause());
    here.on('data', (piece: Buffer) => {
      // As the parser does where one read brings two chunks.
      body.push(piece.subarray(0, 1));
      body.push(piece.subarray(1));
    });
    await read('first', 'other');
    String(body.read()).should.equal('irstother');
  });
});
