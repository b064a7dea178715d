import { assertReadable, type NamedTenantFile, namedTenantFile } from "../lib/testing/index.ts";

const name = "stdin";

/** The tenant file that comes in on stdin. @throws TenantFileRefused */
export async function readTenantFileFromStdin(): Promise<NamedTenantFile> {
  const pieces: Uint8Array[] = [];
  let size = 0;
  for await (const piece of process.stdin as AsyncIterable<Uint8Array>) {
    size += piece.length;
    assertReadable(name, size);
    pieces.push(piece);
  }
  return namedTenantFile(name, Buffer.concat(pieces));
}
