/** The position of a compressed file behind the index, and the ETag of its content. */
export type PackedFile = { readonly start: number; readonly end: number; readonly etag: string };

/** Files that a build packed into one. */
export type PackedFiles = {
  readonly index: ReadonlyMap<string, PackedFile>;
  /** Returns the content, compressed with gzip. */
  read(file: PackedFile): Uint8Array<ArrayBuffer>;
};

/** Reads the index of packed files. site/pack-files.ts describes the format. */
export function openPackedFiles(bytes: Uint8Array<ArrayBuffer>): PackedFiles {
  const length = new DataView(bytes.buffer, bytes.byteOffset).getUint32(0);
  const bodies = bytes.subarray(4 + length);
  const index = JSON.parse(new TextDecoder().decode(bytes.subarray(4, 4 + length)));
  return {
    index: new Map(Object.entries(index)),
    read: ({ start, end }) => bodies.subarray(start, end),
  };
}
