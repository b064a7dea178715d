import { constants, createReadStream, openSync, statSync } from "node:fs";
import { Socket } from "node:net";
import { addAbortSignal, type Readable } from "node:stream";
import { Failure } from "../cli/errors.ts";
import { systemErrorReason } from "../cli/system-error.ts";
import { isDescriptor } from "./output-target.ts";

/** File name for stdin and stdout. */
export const stdio = "-";

/** Bytes per read. */
const chunkBytes = 65_536;

/** The import was stopped while it waited for input from a pipe. */
export class InputStopped extends Failure {}

/** Returns whether the file can be read only once: stdin, a pipe or a device. */
export function isStream(file: string): boolean {
  if (file === stdio) return true;
  const found = statSync(file, { throwIfNoEntry: false });
  return found !== undefined && !found.isFile() && !found.isDirectory();
}

/**
 * Yields the bytes of a file or a stream. `stop` ends a stream, and `tap` receives all bytes.
 * @throws Failure if it can't be read
 */
export async function* readBytes(
  file: string,
  stdin: Readable,
  stop: AbortSignal,
  tap: (bytes: Uint8Array) => void = () => {},
): AsyncGenerator<Uint8Array> {
  const stream: AsyncIterable<Buffer> = isStream(file)
    ? addAbortSignal(stop, openStream(file, stdin))
    : createReadStream(file, { highWaterMark: chunkBytes });
  try {
    for await (const bytes of stream) {
      tap(bytes);
      yield bytes;
    }
  } catch (error) {
    if ((error as Error).name === "AbortError")
      throw new InputStopped(`Stopped while waiting for ${displayName(file)}. Nothing was written.`);
    throw new Failure(`Cannot read ${displayName(file)}: ${systemErrorReason(error)}.`);
  }
}

/** Opens a pipe without blocking. Otherwise the program couldn't exit before a writer opens it. */
function openStream(file: string, stdin: Readable): Readable {
  if (file === stdio || isDescriptor(file, 0)) return stdin;
  if (!statSync(file).isFIFO()) return createReadStream(file);
  return new Socket({ fd: openSync(file, constants.O_RDONLY | constants.O_NONBLOCK), readable: true, writable: false });
}

/** Returns the name of the source for messages. */
export function displayName(file: string): string {
  return file === stdio ? "stdin" : file;
}
