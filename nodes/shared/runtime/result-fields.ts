/** What upload and create-folder tell of the file they made: what comes out, in docs/nodes/upload.md. */
export const RESULT_FIELDS = 'id,name,mimeType,size,md5Checksum,parents';
