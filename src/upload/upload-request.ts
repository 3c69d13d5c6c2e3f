/** What to upload, and how. */
import { CHECKSUM_FIELDS } from '../api/checksums';
import { withFields } from '../api/fields';
import type { ConflictPolicy } from '../files/conflict-policy';
import type { OnProgress } from '../types';
import type { Conversion } from './document-type';
import type { Content } from './source';

export interface UploadRequest {
  content: Content;
  /** Name on the drive. */
  name: string;
  /** Folder id; `''` sends no parent, which means the root. */
  folderId: string;
  /** `''`: derived from the name. */
  mimeType: string;
  /** Converts the content to a Google document; undefined stores it as it is. */
  convertTo?: Conversion | undefined;
  /** For content from disk: send the file's modification time as `modifiedTime`. */
  keepModifiedTime: boolean;
  /** More file properties such as `description` or `appProperties`; `id`, `name` and `parents` are ignored. */
  metadata: Record<string, unknown>;
  ifExists: ConflictPolicy;
  /** The id of the file to replace, if it is known: then no file is looked up by its name. */
  replaces?: string | undefined;
  /** Fields of `file` in the result, which always includes `id`. */
  fields: string;
  onProgress?: OnProgress;
}

/** The requested fields and those that verify the upload. */
export function responseFields({ fields }: UploadRequest): string {
  return withFields(fields, ['id', ...CHECKSUM_FIELDS]);
}
