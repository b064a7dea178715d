import {
  decodeText,
  type Format,
  formatByName,
  guessEncoding,
  type LocaleFormat,
  openRows,
  type RawRow,
  type RejectShape,
  TransferError,
} from "crm-integrations/transfer";
import { texts } from "../texts.ts";

export type FileOptions = {
  /** An empty text detects it. */
  readonly delimiter: string;
  /** An empty text detects it. */
  readonly encoding: LocaleFormat["encoding"] | "";
};

/** A file whose rows are read. */
export type OpenFile = RejectShape & {
  readonly name: string;
  readonly rows: readonly RawRow[];
  readonly hash: string;
  readonly encoding: LocaleFormat["encoding"];
};

const partBytes = 262_144;

/** Reads a file to its end. @throws Error in the language of the page if its format is invalid */
export async function openFile(file: File, { delimiter, ...fileOptions }: FileOptions): Promise<OpenFile> {
  const { name } = file;
  const bytes = new Uint8Array(await file.arrayBuffer());
  const encoding = fileOptions.encoding || guessEncoding(bytes);
  try {
    const options = { name, format: formatByName(name), delimiter: delimiter || undefined };
    const opened = await openRows(decodeText(partsOf(bytes), { name, encoding }), options);
    const rows: RawRow[] = [];
    for await (const row of opened.rows) rows.push(row);
    return { ...opened, name, rows, encoding, hash: await hashOf(bytes) };
  } catch (error) {
    const fault = error instanceof TransferError ? error.fault : undefined;
    throw fault === undefined ? error : new Error(texts.files.faults[fault.code](fault.line ?? 1));
  }
}

async function* partsOf(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += partBytes) {
    yield bytes.subarray(at, at + partBytes);
    // Lets the page respond.
    await new Promise((resolve) => setTimeout(resolve));
  }
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
