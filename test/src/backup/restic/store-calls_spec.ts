import { MessageChannel } from 'node:worker_threads';
import should from 'should';
import { DriveError } from '../../../../src/errors';
import {
  type AnswerMessage,
  type CallMessage,
  Caller,
  answerCall,
} from '../../../../src/backup/restic/store-calls';
import { rejected } from '../../../support/client/rejected';

interface Host {
  write(memory: ArrayBuffer): Promise<ArrayBuffer>;
  read(length: number): Promise<Buffer>;
  fail(): Promise<void>;
}

describe('calls from a worker thread', () => {
  const written: ArrayBuffer[] = [];
  const answered: Buffer[] = [];
  const host: Host = {
    write: (memory) => (written.push(memory), Promise.resolve(memory)),
    read: (length) => (
      answered.push(length > 9_999 ? Buffer.alloc(length, 1) : Buffer.from('small')),
      Promise.resolve(answered.at(-1)!)
    ),
    fail: () => Promise.reject(new DriveError('not_found', { reason: 'notFound' })),
  };
  const { port1, port2 } = new MessageChannel();
  const caller = new Caller((message, transferred) => port1.postMessage(message, transferred));
  port1.on('message', (message: AnswerMessage) => caller.answer(message));
  port2.on('message', (message: CallMessage) => {
    void answerCall(host, message, (answer, transferred) => port2.postMessage(answer, transferred));
  });
  const remote = caller.proxy<Host>();
  after(() => {
    port1.close();
    port2.close();
  });

  it('pass large memory on instead of copying it, both ways', async () => {
    const memory = new ArrayBuffer(1_000_000);
    const returned = await remote.write(memory);
    should([memory.byteLength, written[0]?.byteLength, returned.byteLength]).eql([0, 0, 1_000_000]);
    const content = await remote.read(10_000);
    should([content.length, content.at(-1), answered[0]?.length]).eql([10_000, 1, 0]);
  });

  it('copy small buffers, which share their memory with others', async () => {
    const pooled = Buffer.from('other');
    const content = await remote.read(5);
    content.should.be.instanceof(Buffer);
    should([content.toString(), pooled.toString(), answered.at(-1)?.toString()]).eql([
      'small',
      'other',
      'small',
    ]);
  });

  it('fail with the error of the method, each of several at once with its own result', async () => {
    const [failed, content] = await Promise.all([rejected(remote.fail(), 'not_found'), remote.read(5)]);
    failed.should.have.properties({ code: 'not_found', reason: 'notFound' });
    content.toString().should.equal('small');
  });
});
