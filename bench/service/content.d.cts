/** @returns at most 1 MiB of the content of that size */
export function pieceAt(position: number, size: number): Buffer;
/** Hexadecimal, of the content of that size. */
export function digests(size: number): { md5: string; sha256: string };
export function writeContent(path: string, size: number): void;
