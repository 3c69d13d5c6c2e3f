/** The metadata of an upload, read by the runtime and checked by the editor. */

/** File properties that the upload node sets from its own fields. */
export const RESERVED_PROPERTIES = ['id', 'name', 'parents', 'mimeType'] as const;
