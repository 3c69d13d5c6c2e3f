import {
  type DriveError,
  type ErrorCode,
  type ErrorDetail,
  type ErrorParams,
  type TextKey,
  uncheckedError,
} from '../../../src/errors';

/** An error for tests that don't need the parameters of its text. */
export function driveError(
  code: ErrorCode,
  { text = code, params = {}, ...detail }: ErrorDetail & { text?: string; params?: ErrorParams } = {},
): DriveError {
  return uncheckedError(code, text as TextKey, params, detail);
}
