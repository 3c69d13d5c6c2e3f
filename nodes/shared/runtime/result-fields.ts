/** What upload and create-folder tell of the file they made: the contract's section "Messages". */
export const RESULT_FIELDS = 'id,name,mimeType,size,md5Checksum,parents';
