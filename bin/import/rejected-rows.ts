import {
  closeSync,
  constants,
  existsSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  renameSync,
  type Stats,
  statSync,
  writeSync,
} from "node:fs";
import { createRejectFormat, type RawRow, type RejectFormat, type RejectShape } from "#lib/transfer";
import { Failure, UsageError } from "../cli/errors.ts";
import { isSame, type OutputTarget, resolveOutputTarget } from "./output-target.ts";
import { diskFullFailure } from "./progress-file.ts";

/** Characters to buffer before a write. */
const maxBuffered = 65_536;

/** Writes the rejected rows with their line numbers and errors. The file can be corrected and imported. */
export class RejectedRows {
  readonly file: string;
  readonly #target: OutputTarget;
  readonly #format: RejectFormat;
  #descriptor: number | undefined;
  #buffered = "";
  #bytes = 0;

  /** @throws UsageError if the file is a folder */
  constructor(file: string, shape: RejectShape) {
    this.file = file;
    this.#target = resolveOutputTarget(file);
    this.#format = createRejectFormat(shape);
  }

  /** Whether the target is a file, not a pipe or a device. */
  get isFile(): boolean {
    return this.#target.isFile;
  }

  /** @throws UsageError if the file is the input of the import */
  assertNotInput(input: Stats | undefined): void {
    const { path, isFile } = this.#target;
    for (const name of isFile ? [path, `${path}.old`] : [path]) {
      const found = statSync(name, { throwIfNoEntry: false });
      if (input === undefined || found === undefined || found.isCharacterDevice() || !isSame(input, found)) continue;
      throw new UsageError(`Rejected rows would overwrite the input ${name}. Set another file with --rejected.`);
    }
  }

  /** Continues a file after this number of bytes, or starts a new one with the first row. @throws Failure */
  begin(bytes: number): void {
    const { path, isFile } = this.#target;
    if (!isFile) this.#descriptor = openStream(path);
    else if (bytes > 0) {
      this.#descriptor = openSync(path, "r+");
      ftruncateSync(this.#descriptor, bytes);
      this.#bytes = bytes;
    }
  }

  add(row: RawRow, errors: readonly string[]): void {
    if (this.#descriptor === undefined) this.#create();
    if (this.#bytes === 0 && this.#buffered === "") this.#buffered = this.#format.header;
    this.#buffered += this.#format.row(row, errors);
    if (this.#buffered.length > maxBuffered) this.#flush();
  }

  /** Syncs the file and returns its size. */
  sync(): number {
    if (this.#descriptor === undefined) return 0;
    this.#flush();
    if (this.#target.isFile) fsyncSync(this.#descriptor);
    return this.#bytes;
  }

  close(): void {
    this.sync();
    if (this.#descriptor !== undefined) closeSync(this.#descriptor);
    this.#descriptor = undefined;
  }

  /** Creates the file. Renames an existing file to `.old`. */
  #create(): void {
    const { path } = this.#target;
    if (existsSync(path)) renameSync(path, `${path}.old`);
    this.#descriptor = openSync(path, "w", 0o600);
  }

  #flush(): void {
    const bytes = Buffer.from(this.#buffered);
    const { isFile } = this.#target;
    try {
      for (let offset = 0; offset < bytes.length; ) {
        const position = isFile ? this.#bytes + offset : null;
        offset += writeSync(this.#descriptor as number, bytes, offset, bytes.length - offset, position);
      }
    } catch (error) {
      throw (error as NodeJS.ErrnoException).code === "ENOSPC" ? diskFullFailure(this.file) : error;
    }
    // Clear the buffer after the write, so that a failed write can be repeated.
    this.#buffered = "";
    this.#bytes += bytes.length;
  }
}

/** Checks for a reader first, because opening a pipe blocks until there is one. @throws Failure */
function openStream(path: string): number {
  if (!statSync(path).isFIFO()) return openSync(path, "w");
  try {
    const probe = openSync(path, constants.O_WRONLY | constants.O_NONBLOCK);
    const descriptor = openSync(path, "w");
    closeSync(probe);
    return descriptor;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENXIO") throw error;
    throw new Failure(`No process reads ${path}, the target for rejected rows. Start the reader first.`);
  }
}
