import { UsageError } from "../../cli/errors.ts";
import { CsvParser, detectDelimiter } from "../../import/csv-parser.ts";
import type { LocaleFormat } from "../../import/locale-format.ts";
import { type Format, formatByName, type RawRow } from "../../import/raw-row.ts";
import type { RejectShape } from "../../import/reject-format.ts";
import { texts } from "../texts.ts";

export type FileOptions = {
  /** An empty text detects it. */
  readonly delimiter: string;
  readonly encoding: LocaleFormat["encoding"];
};

/** A file whose rows are read. */
export type OpenFile = RejectShape & { readonly name: string; readonly rows: readonly RawRow[]; readonly hash: string };

const partBytes = 262_144;
const sampleBytes = 65_536;

/** Lets the page respond. */
function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve));
}

/** Reads a file to its end. @throws Failure @throws UsageError if the format is invalid */
export async function openFile(file: File, { delimiter, encoding }: FileOptions): Promise<OpenFile> {
  const format = formatByName(file.name);
  const bytes = new Uint8Array(await file.arrayBuffer());
  const decoder = new TextDecoder(encoding, { fatal: true, ignoreBOM: true });
  const sample = new TextDecoder(encoding, { ignoreBOM: true }).decode(bytes.subarray(0, sampleBytes));
  const used = delimiter || detectDelimiter(sample);
  const take = format === "csv" ? csvTaker(file.name, used) : ndjsonTaker();
  const rows: RawRow[] = [];
  for (let at = 0; at <= bytes.length; at += partBytes) {
    const isLast = at + partBytes > bytes.length;
    for (const row of take(decodePart(decoder, bytes.subarray(at, at + partBytes), isLast), isLast)) rows.push(row);
    await pause();
  }
  const header = format === "csv" ? (rows.shift()?.raw as readonly string[] | undefined) : undefined;
  if (format === "csv" && header === undefined) throw new UsageError(texts.files.empty);
  const hasBom = sample.startsWith("\ufeff");
  return { name: file.name, format, header, delimiter: used, hasBom, rows, hash: await hashOf(bytes) };
}

function decodePart(decoder: TextDecoder, bytes: Uint8Array, isLast: boolean): string {
  try {
    return decoder.decode(bytes, { stream: !isLast });
  } catch {
    throw new UsageError(texts.files.notUtf8);
  }
}

type Taker = (part: string, isLast: boolean) => readonly RawRow[];

function csvTaker(name: string, delimiter: string): Taker {
  const parser = new CsvParser({ delimiter, name });
  return (part, isLast) => {
    const rows = [...parser.push(part), ...(isLast ? parser.end() : [])];
    return rows.map(({ line, cells }) => ({ line, raw: cells }));
  };
}

function ndjsonTaker(): Taker {
  let [line, rest] = [0, ""];
  return (part, isLast) => {
    const lines = (rest + part).split("\n");
    rest = isLast ? "" : (lines.pop() ?? "");
    return lines.flatMap((text) => {
      line += 1;
      return text.trim() === "" ? [] : [{ line, raw: text.replace(/^\ufeff/, "").trim() }];
    });
  };
}

/** Returns the SHA-256 as hex digits. Without https, browsers have no SHA-256, so that a weaker hash replaces it. */
export async function hashOf(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  const subtle = crypto.subtle as SubtleCrypto | undefined;
  if (subtle === undefined) return [1, 2, 3, 4].map((seed) => weakHash(bytes, seed)).join("");
  const hash = await subtle.digest("SHA-256", bytes);
  return Array.from(new Uint8Array(hash), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** Returns a hash of 32 bits as hex digits, after MurmurHash3. */
function weakHash(bytes: Uint8Array, seed: number): string {
  let hash = Math.imul(seed, 0x9e3779b1) ^ bytes.length;
  for (const byte of bytes) {
    hash = Math.imul(hash ^ byte, 0x85ebca6b);
    hash ^= hash >>> 13;
  }
  return (Math.imul(hash, 0xc2b2ae35) >>> 0).toString(16).padStart(8, "0");
}

/** Downloads a text as a file. */
export function download(name: string, parts: readonly string[], format: Format): void {
  const type = format === "csv" ? "text/csv" : "application/x-ndjson";
  const url = URL.createObjectURL(new Blob([...parts], { type }));
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  // Firefox starts the download after the click.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
