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
import { stringify } from "csv-stringify/sync";
import { Failure, UsageError } from "../cli/errors.ts";
import { rejectColumns, textColumn, textIndexOf } from "./column-mapping.ts";
import { parseLine } from "./ndjson-rows.ts";
import type { OpenRows, RawRow } from "./open-rows.ts";
import { isSame, type OutputTarget, resolveOutputTarget } from "./output-target.ts";
import { diskFullFailure } from "./progress-file.ts";

type Shape = Pick<OpenRows, "format" | "header" | "delimiter" | "hasBom">;

/** Characters to buffer before a write. */
const maxBuffered = 65_536;

/** Writes the rejected rows with their line numbers and errors. The file can be corrected and imported. */
export class RejectedRows {
  readonly file: string;
  readonly #target: OutputTarget;
  readonly #shape: Shape;
  readonly #columnIndexes: readonly number[];
  #descriptor: number | undefined;
  #buffered = "";
  #bytes = 0;

  /** @throws UsageError if the file is a folder */
  constructor(file: string, shape: Shape) {
    this.file = file;
    this.#target = resolveOutputTarget(file);
    this.#shape = shape;
    this.#columnIndexes = (shape.header ?? []).flatMap((name, index) =>
      rejectColumns.includes(name.trim()) ? [] : [index],
    );
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

  add({ line, raw }: RawRow, errors: readonly string[]): void {
    if (this.#descriptor === undefined) this.#create();
    if (this.#bytes === 0 && this.#buffered === "") this.#buffered = this.#headerLine();
    this.#buffered += typeof raw === "string" ? jsonLine(raw, line, errors) : this.#csvLine(raw, line, errors);
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

  #headerLine(): string {
    const { header, format, hasBom } = this.#shape;
    if (format !== "csv") return "";
    return (hasBom ? "\ufeff" : "") + this.#formatLine([...this.#sourceCells(header ?? []), ...rejectColumns]);
  }

  /** Writes a row with a wrong number of cells to `_text`, because its columns are unknown. */
  #csvLine(cells: readonly string[], line: number, errors: readonly string[]): string {
    const { header = [] } = this.#shape;
    const isComplete = cells.length === header.length;
    const sourceCells = isComplete ? this.#sourceCells(cells) : this.#columnIndexes.map(() => "");
    const text = isComplete ? (cells[textIndexOf(header)] ?? "") : this.#formatLine(cells).slice(0, -1);
    return this.#formatLine([...sourceCells, String(line), errors.join(" "), text]);
  }

  /** Returns the cells without the columns that this class adds. */
  #sourceCells(cells: readonly string[]): readonly string[] {
    return this.#columnIndexes.map((index) => cells[index] ?? "");
  }

  #formatLine(cells: readonly string[]): string {
    return stringify([[...cells]], { delimiter: this.#shape.delimiter });
  }

  #flush(): void {
    const bytes = Buffer.from(this.#buffered);
    try {
      this.#write(bytes);
    } catch (error) {
      throw (error as NodeJS.ErrnoException).code === "ENOSPC" ? diskFullFailure(this.file) : error;
    }
    // Clear the buffer after the write, so that a failed write can be repeated.
    this.#buffered = "";
    this.#bytes += bytes.length;
  }

  #write(bytes: Buffer): void {
    const { isFile } = this.#target;
    for (let offset = 0; offset < bytes.length; ) {
      const position = isFile ? this.#bytes + offset : null;
      offset += writeSync(this.#descriptor as number, bytes, offset, bytes.length - offset, position);
    }
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

function jsonLine(text: string, line: number, errors: readonly string[]): string {
  const object = parseLine(text);
  const fields = typeof object === "string" ? { [textColumn]: text } : object;
  return `${JSON.stringify({ ...fields, _line: line, _errors: errors })}\n`;
}
