/** The content of an upload session, as its requests need it. */
import type { ChecksumAlgorithm } from '../../drive/checksums';
import type { BodySource } from '../../http/client';

export interface UploadBody {
  /** Bytes of the whole content; undefined for a stream until its last request. */
  readonly length: number | undefined;
  /** The bytes before this were released and can't be sent again: 0 for content that can be read repeatedly. */
  readonly released: number;
  /** The end of the bytes that are known so far. The service can't have stored more. */
  readonly end: number;
  /** True once the whole content has been handed to a socket. */
  readonly wasSent: boolean;
  /** How far the current request has got: everything before was handed to the socket. */
  readonly position: number;
  /**
   * Makes the bytes from `start` available. The service has stored those before, so a stream releases them.
   * @param limit the highest end of the request
   * @returns the end of the request. Unless it is the end of the content, the length is a multiple of 256 KiB.
   */
  prepare(start: number, limit: number): Promise<number>;
  /** The bytes from `start` up to `end`, which {@link prepare} has returned. */
  from(start: number, range: { end: number }): BodySource;
  /** @returns the checksum of the whole content */
  digest(algorithm: ChecksumAlgorithm): Promise<string>;
}
