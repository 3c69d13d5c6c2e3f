/** What a message into a flow node should have come to. */
import should from 'should';
import type { NodeMessage } from 'node-red';
import type { ErrorCode } from '../../../src/index';
import type { CaughtError, Ending, LoadedFlow } from './load';

/** The one message at the first output of a node that went well. */
export function passed({ sent, error }: Ending): NodeMessage {
  should(error).be.undefined();
  sent.should.have.length(1);
  return sent[0] as NodeMessage;
}

/**
 * The error of a message that failed: nothing came out, and what Catch was given is what the contract says.
 * @param words that its text must have
 */
export function failed({ sent, second, error }: Ending, code: ErrorCode, ...words: string[]): CaughtError {
  if (!error) throw new Error(`expected ${code}, but it went well`);
  const { cause, message } = error;
  should(cause?.code).equal(code, message);
  sent.should.be.empty();
  second.should.be.empty();
  should(error.code).equal(code);
  // The error's name is before its text, and every text has at least a sentence.
  message.should.match(/^Error: \S+ \S+/);
  message.should.not.match(/__\w+?__/, 'a place that nothing has filled in');
  for (const word of words) message.should.containEql(word);
  checkCause(cause ?? {});
  return error;
}

/** Exactly the contract's members, in a plain object. */
function checkCause(cause: object): void {
  should(Object.getPrototypeOf(cause)).equal(Object.prototype);
  for (const [name, value] of Object.entries(cause)) {
    const type = { code: 'string', status: 'number', reason: 'string', retryable: 'boolean' }[name];
    should(type).equal(typeof value, `cause.${name}`);
  }
  cause.should.have.properties('code', 'retryable');
}

/** How often a message has come to Complete and to Catch. To be asked when a later message has ended. */
export function endings(flow: LoadedFlow, _msgid: string | undefined): { complete: number; caught: number } {
  const own = flow.messages('ended').filter((msg) => msg._msgid === _msgid);
  const caught = own.filter((msg) => msg['error'] !== undefined).length;
  return { complete: own.length - caught, caught };
}
