import { DriveError, type ErrorCode } from '../../../src/index';

/** Waits for a promise to reject. @returns the error. @throws unless it is a DriveError with this code */
export async function rejected(work: Promise<unknown>, code: ErrorCode, text?: string): Promise<DriveError> {
  let error: unknown;
  try {
    await work;
  } catch (caught) {
    error = caught;
  }
  if (error === undefined) throw new Error(`expected ${code}, but nothing was thrown`);
  if (!(error instanceof DriveError)) throw new Error(`expected ${code}`, { cause: error });
  error.code.should.equal(code, `${error.message} ${error.reason ?? ''}`);
  if (text !== undefined) error.text.should.equal(text);
  return error;
}
