/** The documented limit of a multipart upload: https://developers.google.com/workspace/drive/api/guides/manage-uploads */
import should from 'should';
import { chooseUploadType } from '../../../../src/transfer/upload/multipart';

describe('chooseUploadType', () => {
  for (const [length, expected] of [
    [0, 'multipart'],
    [5_000_000, 'multipart'],
    [5_000_001, 'resumable'],
  ] as const) {
    it(`chooseUploadType returns ${expected} for ${length} bytes`, () =>
      should(chooseUploadType(length)).equal(expected));
  }
});
