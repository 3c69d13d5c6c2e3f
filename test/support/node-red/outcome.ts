/** Checks the result of a message to a flow node. */
import should from 'should';
import type { NodeMessage } from 'node-red';
import type { ErrorCode } from '../../../src/index';
import type { CaughtError, Ending, LoadedFlow } from './load';

/** @returns the only message at the first output, after checking that there was no error */
export function passed({ sent, error }: Ending): NodeMessage {
  should(error).be.undefined();
  sent.should.have.length(1);
  return sent[0] as NodeMessage;
}

/**
 * Checks that a message failed with this code, that nothing was sent, and that the error has the documented shape.
 * @param words that the error text must contain
 */
export function failed({ sent, second, error }: Ending, code: ErrorCode, ...words: string[]): CaughtError {
  if (!error) throw new Error(`expected ${code}, but there was no error`);
  const { cause, message } = error;
  should(cause?.code).equal(code, message);
  sent.should.be.empty();
  second.should.be.empty();
  should(error.code).equal(code);
  // The name of the error, then a text of at least two words.
  message.should.match(/^Error: \S+ \S+/);
  message.should.not.match(/__\w+?__/, 'a placeholder without a value');
  for (const word of words) message.should.containEql(word);
  checkCause(cause ?? {});
  return error;
}

/** A plain object with the documented members only. */
function checkCause(cause: object): void {
  should(Object.getPrototypeOf(cause)).equal(Object.prototype);
  for (const [name, value] of Object.entries(cause)) {
    const type = { code: 'string', status: 'number', reason: 'string', retryable: 'boolean' }[name];
    should(type).equal(typeof value, `cause.${name}`);
  }
  cause.should.have.properties('code', 'retryable');
}

/** How often Complete and Catch have received a message. Call it after a later message has ended. */
export function endings(flow: LoadedFlow, _msgid: string | undefined): { complete: number; caught: number } {
  const own = flow.messages('ended').filter((msg) => msg._msgid === _msgid);
  const caught = own.filter((msg) => msg['error'] !== undefined).length;
  return { complete: own.length - caught, caught };
}
