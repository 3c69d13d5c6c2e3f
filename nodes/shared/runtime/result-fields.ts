/** The fields of a file that upload, create-folder and move return. */
export const RESULT_FIELDS = 'id,name,mimeType,size,md5Checksum,parents';
