/** Errors on their way from a worker thread: a message keeps neither their class nor their properties. */
import { types } from 'node:util';
import { DriveError, type ErrorParam, type ErrorParams, Size, LocalTime, errorCode } from '../../errors';

export type ThreadError =
  | {
      isDriveError: true;
      code: DriveError['code'];
      detail: Pick<DriveError, 'text' | 'params' | 'reason' | 'retryable'>;
    }
  | { isDriveError: false; code: string | undefined; message: string; stack: string | undefined };

export function toThreadError(error: unknown): ThreadError {
  if (error instanceof DriveError) {
    const { code, text, params, reason, retryable } = error;
    return { isDriveError: true, code, detail: { text, params, reason, retryable } };
  }
  const { message, stack } = types.isNativeError(error) ? error : new Error(String(error));
  return { isDriveError: false, code: errorCode(error), message, stack };
}

export function fromThreadError(error: ThreadError): Error {
  if (error.isDriveError)
    return new DriveError(error.code, { ...error.detail, params: withUnits(error.detail.params) });
  const { code, message, stack } = error;
  return Object.assign(new Error(message), { code, stack });
}

function withUnits(params: ErrorParams): ErrorParams {
  return Object.fromEntries(Object.entries(params).map(([name, value]) => [name, withUnit(value)]));
}

function withUnit(value: ErrorParam): ErrorParam {
  if (typeof value !== 'object') return value;
  return 'bytes' in value ? new Size(value.bytes, value.round) : new LocalTime(value.time);
}
