import { isUtf8 } from "node:buffer";
import { constants, createReadStream, openSync, statSync } from "node:fs";
import { Socket } from "node:net";
import { addAbortSignal, type Readable } from "node:stream";
import { Failure } from "../cli/errors.ts";
import { systemErrorReason } from "../cli/system-error.ts";
import type { LocaleFormat } from "./locale-format.ts";
import { isDescriptor } from "./output-target.ts";

/** File name for stdin and stdout. */
export const stdio = "-";

/** Bytes that are read to detect the format. */
const sampleBytes = 65_536;
const newline = 10;

/** Validated UTF-8 bytes of a file, and the text of the first of them. */
export type OpenSource = { readonly sample: string; readonly chunks: AsyncIterable<Buffer> };

/** The import was stopped while it waited for input from a pipe. */
export class InputStopped extends Failure {}

/** Returns whether the file can be read only once: stdin, a pipe or a device. */
export function isStream(file: string): boolean {
  if (file === stdio) return true;
  const found = statSync(file, { throwIfNoEntry: false });
  return found !== undefined && !found.isFile() && !found.isDirectory();
}

/** Opens a file or a stream. `stop` ends a stream. @throws Failure if it can't be read */
export async function openSource(
  file: string,
  stop: AbortSignal,
  encoding: LocaleFormat["encoding"],
): Promise<OpenSource> {
  const stream = isStream(file)
    ? addAbortSignal(stop, openStream(file))
    : createReadStream(file, { highWaterMark: sampleBytes });
  const bytes = withFailures(stream as AsyncIterable<Buffer>, file);
  const text = encoding === "utf-8" ? bytes : recode(bytes, encoding);
  const chunks = validateUtf8(text, displayName(file))[Symbol.asyncIterator]();
  const first: Buffer[] = [];
  let [size, ended] = [0, false];
  while (size < sampleBytes && !ended) {
    const { value, done } = await chunks.next();
    ended = done === true;
    if (!ended) first.push(value as Buffer);
    size += value?.length ?? 0;
    if (value?.includes(newline)) break;
  }
  async function* all(): AsyncGenerator<Buffer> {
    yield* first;
    if (!ended) yield* { [Symbol.asyncIterator]: () => chunks };
  }
  return { sample: Buffer.concat(first).toString("utf8"), chunks: all() };
}

/** Opens a pipe without blocking. Otherwise the program couldn't exit before a writer opens it. */
function openStream(file: string): Readable {
  if (file === stdio || isDescriptor(file, 0)) return process.stdin;
  if (!statSync(file).isFIFO()) return createReadStream(file);
  return new Socket({ fd: openSync(file, constants.O_RDONLY | constants.O_NONBLOCK), readable: true, writable: false });
}

/** Returns the name of the source for messages. */
export function displayName(file: string): string {
  return file === stdio ? "stdin" : file;
}

async function* withFailures(stream: AsyncIterable<Buffer>, file: string): AsyncGenerator<Buffer> {
  try {
    yield* stream;
  } catch (error) {
    if ((error as Error).name === "AbortError")
      throw new InputStopped(`Stopped while waiting for ${displayName(file)}. Nothing was written.`);
    throw new Failure(`Cannot read ${displayName(file)}: ${systemErrorReason(error)}.`);
  }
}

/** Converts an encoding with one byte per character to UTF-8. */
async function* recode(chunks: AsyncIterable<Buffer>, encoding: string): AsyncGenerator<Buffer> {
  const decoder = new TextDecoder(encoding);
  for await (const chunk of chunks) yield Buffer.from(decoder.decode(chunk));
}

/** Passes the bytes on. @throws Failure with the line of the first invalid byte */
async function* validateUtf8(chunks: AsyncIterable<Buffer>, name: string): AsyncGenerator<Buffer> {
  let line = 1;
  let rest: Buffer = Buffer.alloc(0);
  for await (const chunk of chunks) {
    const bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    const end = completeLength(bytes);
    const complete = bytes.subarray(0, end);
    if (!isUtf8(complete)) throw notUtf8(name, line, complete);
    line += countLines(complete);
    rest = bytes.subarray(end);
    yield complete;
  }
  if (rest.length > 0) throw notUtf8(name, line, rest);
}

function notUtf8(name: string, lineBefore: number, bytes: Buffer): Failure {
  let [line, start] = [lineBefore, 0];
  for (let end = bytes.indexOf(newline); end >= 0; end = bytes.indexOf(newline, start)) {
    if (!isUtf8(bytes.subarray(start, end))) break;
    [line, start] = [line + 1, end + 1];
  }
  return new Failure(
    `${name} isn't valid UTF-8 in line ${line}. Save it as UTF-8 ("CSV UTF-8" in a spreadsheet), or add --encoding windows-1252.`,
  );
}

/** Returns the end of the last complete character, because a chunk can end within one. */
function completeLength(bytes: Buffer): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes[bytes.length - back] ?? 0;
    if ((byte & 0xc0) === 0x80) continue;
    const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
    return length > back ? bytes.length - back : bytes.length;
  }
  return bytes.length;
}

function countLines(bytes: Buffer): number {
  let lines = 0;
  for (let at = bytes.indexOf(newline); at >= 0; at = bytes.indexOf(newline, at + 1)) lines++;
  return lines;
}
