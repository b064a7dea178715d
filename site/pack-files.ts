import { createHash } from "node:crypto";
import { gzipSync } from "node:zlib";
import type { PackedFile } from "../bin/server/packed-files.ts";

/**
 * Returns files in one: the length of the index in 4 bytes, the index as JSON, and the compressed files one after another.
 */
export function packFiles(files: readonly (readonly [path: string, content: Uint8Array])[]): Buffer {
  const index: Record<string, PackedFile> = {};
  const bodies: Buffer[] = [];
  let start = 0;
  for (const [path, content] of files) {
    const body = gzipSync(content, { level: 9 });
    const etag = `"${createHash("sha256").update(content).digest("base64url")}"`;
    index[path] = { start, end: start + body.length, etag };
    bodies.push(body);
    start += body.length;
  }
  const head = Buffer.from(JSON.stringify(index));
  const length = Buffer.alloc(4);
  length.writeUInt32BE(head.length);
  return Buffer.concat([length, head, ...bodies]);
}
