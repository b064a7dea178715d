import type { LocaleFormat } from "./locale-format.ts";
import { TransferError } from "./raw-row.ts";

const newline = 10;

/**
 * Yields the text of a file. Keeps a byte order mark.
 * @throws TransferError with the line of the first byte that isn't valid in the encoding
 */
export async function* decodeText(
  chunks: AsyncIterable<Uint8Array>,
  { name, encoding }: { readonly name: string; readonly encoding: LocaleFormat["encoding"] },
): AsyncGenerator<string> {
  const decoder = new TextDecoder(encoding, { fatal: true, ignoreBOM: true });
  let line = 1;
  const decode = (bytes?: Uint8Array): string => {
    try {
      return bytes === undefined ? decoder.decode() : decoder.decode(bytes, { stream: true });
    } catch {
      const at = line + linesBefore(bytes);
      throw new TransferError(
        `${name} isn't valid UTF-8 in line ${at}. Save it as UTF-8 ("CSV UTF-8" in a spreadsheet), or use the encoding ` +
          "windows-1252.",
        { code: "invalid_encoding", line: at },
      );
    }
  };
  for await (const chunk of chunks) {
    const text = decode(chunk);
    for (let at = chunk.indexOf(newline); at >= 0; at = chunk.indexOf(newline, at + 1)) line += 1;
    if (text !== "") yield text;
  }
  const rest = decode();
  if (rest !== "") yield rest;
}

/** Returns the number of valid lines at the start of bytes that aren't valid UTF-8. */
function linesBefore(bytes: Uint8Array = new Uint8Array()): number {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  // The chunk can start inside a character.
  let start = bytes.findIndex((byte) => (byte & 0xc0) !== 0x80);
  for (let lines = 0; ; lines++) {
    const end = bytes.indexOf(newline, start);
    try {
      decoder.decode(bytes.subarray(start, end < 0 ? bytes.length : end));
    } catch {
      return lines;
    }
    if (end < 0) return lines;
    start = end + 1;
  }
}
