import { isUtf8 } from "node:buffer";
import { constants, createReadStream, openSync, statSync } from "node:fs";
import { Socket } from "node:net";
import { addAbortSignal, type Readable } from "node:stream";
import { Failure } from "../cli/errors.ts";
import { isDescriptor } from "./output-target.ts";

/** The name of standard input, and of standard output. */
export const standard = "-";

/** Enough of a file to see its head. */
const sampleBytes = 65_536;
const newline = 10;

/** A file's bytes, sure to be UTF-8, and how they begin. */
export type Opened = { readonly sample: string; readonly chunks: AsyncIterable<Buffer> };

/** It was stopped while it waited for what a pipe has yet to say. */
export class InputStopped extends Failure {}

/** Whether it can be read once only: standard input, a pipe, a device. */
export function isStream(file: string): boolean {
  if (file === standard) return true;
  const found = statSync(file, { throwIfNoEntry: false });
  return found !== undefined && !found.isFile() && !found.isDirectory();
}

/** Opens a file or a stream; a stream is read until `stop`. @throws Failure where it cannot be read */
export async function open(file: string, stop: AbortSignal): Promise<Opened> {
  const stream = isStream(file)
    ? addAbortSignal(stop, streamOf(file))
    : createReadStream(file, { highWaterMark: sampleBytes });
  const chunks = checked(told(stream as AsyncIterable<Buffer>, file), nameOf(file))[Symbol.asyncIterator]();
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

/** To open a pipe as files are opened waits for its writer, and keeps the program from ending meanwhile. */
function streamOf(file: string): Readable {
  if (file === standard || isDescriptor(file, 0)) return process.stdin;
  if (!statSync(file).isFIFO()) return createReadStream(file);
  return new Socket({ fd: openSync(file, constants.O_RDONLY | constants.O_NONBLOCK), readable: true, writable: false });
}

/** How a message calls it. */
export function nameOf(file: string): string {
  return file === standard ? "Standard input" : file;
}

async function* told(stream: AsyncIterable<Buffer>, file: string): AsyncGenerator<Buffer> {
  try {
    yield* stream;
  } catch (error) {
    if ((error as Error).name === "AbortError")
      throw new InputStopped(`Stopped while ${nameOf(file)} was waited for: nothing was written.`);
    throw new Failure(`${nameOf(file)} cannot be read: ${(error as NodeJS.ErrnoException).code ?? String(error)}.`);
  }
}

/** The same bytes. @throws Failure with the line of the first that is not UTF-8 */
async function* checked(chunks: AsyncIterable<Buffer>, name: string): AsyncGenerator<Buffer> {
  let line = 1;
  let rest: Buffer = Buffer.alloc(0);
  for await (const chunk of chunks) {
    const bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    const end = wholeCharacters(bytes);
    const whole = bytes.subarray(0, end);
    if (!isUtf8(whole)) throw notUtf8(name, line, whole);
    line += count(whole);
    rest = bytes.subarray(end);
    yield whole;
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
    `${name} is not UTF-8 in line ${line}. Save it as UTF-8 ("CSV UTF-8" in a spreadsheet) and begin anew.`,
  );
}

/** Where the last character that is there as a whole ends: a chunk may cut one in two. */
function wholeCharacters(bytes: Buffer): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes[bytes.length - back] ?? 0;
    if ((byte & 0xc0) === 0x80) continue;
    const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
    return length > back ? bytes.length - back : bytes.length;
  }
  return bytes.length;
}

function count(bytes: Buffer): number {
  let lines = 0;
  for (let at = bytes.indexOf(newline); at >= 0; at = bytes.indexOf(newline, at + 1)) lines++;
  return lines;
}
