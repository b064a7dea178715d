import type { LocaleFormat } from "./locale-format.ts";
import { TransferError } from "./raw-row.ts";

type Encoding = LocaleFormat["encoding"];

/** The first bytes of a ZIP archive, which is also the form of .xlsx and .ods. */
const zipStart = "PK\u0003\u0004";
const advice = 'Save it as UTF-8 ("CSV UTF-8" in a spreadsheet)';

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
  let decode: Decode | undefined;
  let start = new Uint8Array();
  for await (const chunk of chunks) {
    let bytes = chunk;
    if (decode === undefined) {
      // The first bytes tell the type of the file.
      start = Uint8Array.from([...start, ...chunk]);
      if (start.length < zipStart.length) continue;
      decode = createDecoder(name, start, encoding);
      bytes = start;
    }
    const text = decode(bytes, true);
    if (text !== "") yield text;
  }
  const rest = decode?.(new Uint8Array(), false) ?? createDecoder(name, start, encoding)(start, false);
  if (rest !== "") yield rest;
}

type Decode = (bytes: Uint8Array, stream: boolean) => string;

/** Returns a function that decodes the next bytes. @throws TransferError if the file isn't a text file */
function createDecoder(name: string, start: Uint8Array, chosen: Encoding): Decode {
  if (String.fromCharCode(...start.subarray(0, zipStart.length)) === zipStart)
    throw new TransferError(`${name}: spreadsheets can't be used. ${advice}.`, { code: "spreadsheet" });
  const encoding = markedEncoding(start) ?? chosen;
  const decoder = new TextDecoder(encoding, { fatal: true, ignoreBOM: true });
  // Replaces invalid bytes, which tells their line.
  const lenient = new TextDecoder(encoding, { ignoreBOM: true });
  let line = 1;
  return (bytes, stream) => {
    const text = lenient.decode(bytes, { stream });
    const reject = (code: "invalid_encoding" | "not_text", problem: string, character: string, other: string) => {
      const at = line + text.slice(0, text.indexOf(character)).split("\n").length - 1;
      const message = `${name} ${problem} in line ${at}. ${advice}, or use the encoding ${other}.`;
      return new TransferError(message, { code, line: at });
    };
    try {
      decoder.decode(bytes, { stream });
    } catch {
      const format = encoding.slice(0, 6).toUpperCase();
      throw reject("invalid_encoding", `isn't valid ${format}`, "\ufffd", "windows-1252");
    }
    if (text.includes("\0")) throw reject("not_text", "has a NUL character", "\0", "utf-16le or utf-16be");
    line += text.split("\n").length - 1;
    return text;
  };
}
