import type { LocaleFormat } from "./locale-format.ts";
import { TransferError } from "./raw-row.ts";

type Encoding = LocaleFormat["encoding"];

/** The first bytes of a ZIP archive, which is also the form of .xlsx and .ods. */
const zipStart = "PK\u0003\u0004";

/** Returns the encoding of a byte order mark, or undefined if there is none. */
export function markedEncoding([a, b, c]: Uint8Array): Encoding | undefined {
  if (a === 0xff && b === 0xfe) return "utf-16le";
  if (a === 0xfe && b === 0xff) return "utf-16be";
  return a === 0xef && b === 0xbb && c === 0xbf ? "utf-8" : undefined;
}

/**
 * Yields the text of a file. A byte order mark wins over `encoding`, and stays in the text.
 * @throws TransferError if the file isn't text, with the line of the first byte that isn't valid in the encoding
 */
export async function* decodeText(
  chunks: AsyncIterable<Uint8Array>,
  { name, encoding }: { readonly name: string; readonly encoding: Encoding },
): AsyncGenerator<string> {
  let decode: ((bytes?: Uint8Array) => string) | undefined;
  for await (const chunk of joinStart(chunks)) {
    decode ??= createDecoder(name, chunk, encoding);
    const text = decode(chunk);
    if (text !== "") yield text;
  }
  const rest = decode?.() ?? "";
  if (rest !== "") yield rest;
}

/** Yields the chunks, the first with all bytes that tell the type of the file. */
async function* joinStart(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let start: Uint8Array | undefined = new Uint8Array();
  for await (const chunk of chunks) {
    if (start === undefined) yield chunk;
    else {
      start = start.length === 0 ? chunk : Uint8Array.from([...start, ...chunk]);
      if (start.length < zipStart.length) continue;
      yield start;
      start = undefined;
    }
  }
  if (start !== undefined) yield start;
}

/** Returns a function that decodes the next bytes, or the end. @throws TransferError if the file isn't a text file */
function createDecoder(name: string, start: Uint8Array, chosen: Encoding): (bytes?: Uint8Array) => string {
  if (String.fromCharCode(...start.subarray(0, zipStart.length)) === zipStart)
    throw new TransferError(`${name} is a spreadsheet or an archive, not a text file. Save it as CSV UTF-8.`, {
      code: "spreadsheet",
    });
  const encoding = markedEncoding(start) ?? chosen;
  const decoder = new TextDecoder(encoding, { fatal: true, ignoreBOM: true });
  // Replaces invalid bytes, which tells their line.
  const lenient = new TextDecoder(encoding, { ignoreBOM: true });
  let line = 1;
  const lineOf = (text: string, character: string): number =>
    line + text.slice(0, text.indexOf(character)).split("\n").length - 1;
  return (bytes) => {
    const options = { stream: bytes !== undefined };
    const text = lenient.decode(bytes, options);
    try {
      decoder.decode(bytes, options);
    } catch {
      const at = lineOf(text, "\ufffd");
      throw new TransferError(
        `${name} isn't valid ${encoding.slice(0, 6).toUpperCase()} in line ${at}. Save it as UTF-8 ("CSV UTF-8" in a ` +
          `spreadsheet)${encoding === "utf-8" ? ", or use the encoding windows-1252." : "."}`,
        { code: "invalid_encoding", line: at },
      );
    }
    if (text.includes("\0")) {
      const at = lineOf(text, "\0");
      throw new TransferError(
        `${name}: line ${at} has a NUL character, so that it isn't a text file in this encoding. Save it as CSV UTF-8, or ` +
          "use the encoding utf-16le or utf-16be.",
        { code: "not_text", line: at },
      );
    }
    line += text.split("\n").length - 1;
    return text;
  };
}
