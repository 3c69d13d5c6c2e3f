/** What to upload, and how. */
import { CHECKSUM_FIELDS } from '../../drive/checksums';
import { withFields } from '../../drive/fields';
import type { ConflictPolicy } from '../../drive/conflict-policy';
import type { OnProgress } from '../../types';
import type { Content } from './source';

/** The Google documents that an upload can be converted to. */
export const CONVERSIONS = ['document', 'spreadsheet', 'presentation'] as const;
export type Conversion = (typeof CONVERSIONS)[number];

/** The MIME type of the document that a conversion creates. */
export function convertedType(conversion: Conversion): string {
  return `application/vnd.google-apps.${conversion}`;
}

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
