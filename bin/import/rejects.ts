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
import { rejectColumns, textColumn, textIndexOf } from "./columns.ts";
import { objectOf } from "./ndjson-rows.ts";
import { isSame, type OutputTarget, resolveOutputTarget } from "./output-target.ts";
import { fullDisk } from "./progress-file.ts";
import type { OpenRows, RawRow } from "./rows.ts";

type Shape = Pick<OpenRows, "format" | "head" | "delimiter" | "marked">;

/** Bytes that wait to be written. */
const bufferLengthMax = 65_536;

/** The file of the rows that were refused, each with its line and all reasons; it can be mended and imported. */
export class Rejects {
  readonly file: string;
  readonly #place: OutputTarget;
  readonly #shape: Shape;
  readonly #kept: readonly number[];
  #descriptor: number | undefined;
  #waiting = "";
  #bytes = 0;

  /** @throws UsageError where it is a folder */
  constructor(file: string, shape: Shape) {
    this.file = file;
    this.#place = resolveOutputTarget(file);
    this.#shape = shape;
    this.#kept = (shape.head ?? []).flatMap((name, index) => (rejectColumns.includes(name.trim()) ? [] : [index]));
  }

  /** Whether it is a file, and no pipe or device: only of a file is it known how much it has. */
  get isFile(): boolean {
    return this.#place.isFile;
  }

  /** @throws UsageError where the rows would go over those that are imported */
  assertNot(input: Stats | undefined): void {
    const { path, isFile } = this.#place;
    for (const name of isFile ? [path, `${path}.old`] : [path]) {
      const found = statSync(name, { throwIfNoEntry: false });
      if (input === undefined || found === undefined || found.isCharacterDevice() || !isSame(input, found)) continue;
      throw new UsageError(
        `Rejected rows would go to ${name}, which is what is imported. Name another file with --rejected.`,
      );
    }
  }

  /** Goes on behind this many bytes of a file; else begins anew, a file with its first row. @throws Failure */
  begin(bytes: number): void {
    const { path, isFile } = this.#place;
    if (!isFile) this.#descriptor = openStream(path);
    else if (bytes > 0) {
      this.#descriptor = openSync(path, "r+");
      ftruncateSync(this.#descriptor, bytes);
      this.#bytes = bytes;
    }
  }

  add({ line, raw }: RawRow, errors: readonly string[]): void {
    if (this.#descriptor === undefined) this.#create();
    if (this.#bytes === 0 && this.#waiting === "") this.#waiting = this.#head();
    this.#waiting += typeof raw === "string" ? jsonLine(raw, line, errors) : this.#csvLine(raw, line, errors);
    if (this.#waiting.length > bufferLengthMax) this.#flush();
  }

  /** Puts everything on the disk. @returns how many bytes the file has */
  sync(): number {
    if (this.#descriptor === undefined) return 0;
    this.#flush();
    if (this.#place.isFile) fsyncSync(this.#descriptor);
    return this.#bytes;
  }

  close(): void {
    this.sync();
    if (this.#descriptor !== undefined) closeSync(this.#descriptor);
    this.#descriptor = undefined;
  }

  /** What stands there from before is put aside. */
  #create(): void {
    const { path } = this.#place;
    if (existsSync(path)) renameSync(path, `${path}.old`);
    this.#descriptor = openSync(path, "w", 0o600);
  }

  #head(): string {
    const { head, format, marked } = this.#shape;
    if (format !== "csv") return "";
    return (marked ? "\ufeff" : "") + this.#text([...this.#own(head ?? []), ...rejectColumns]);
  }

  /** A row of another number of cells cannot be told which is which: it stands in `_text` as it was. */
  #csvLine(cells: readonly string[], line: number, errors: readonly string[]): string {
    const { head = [] } = this.#shape;
    const isWhole = cells.length === head.length;
    const own = isWhole ? this.#own(cells) : this.#kept.map(() => "");
    const text = isWhole ? (cells[textIndexOf(head)] ?? "") : this.#text(cells).slice(0, -1);
    return this.#text([...own, String(line), errors.join(" "), text]);
  }

  /** The cells of the source's own columns. */
  #own(cells: readonly string[]): readonly string[] {
    return this.#kept.map((index) => cells[index] ?? "");
  }

  #text(cells: readonly string[]): string {
    return stringify([[...cells]], { delimiter: this.#shape.delimiter });
  }

  #flush(): void {
    const bytes = Buffer.from(this.#waiting);
    try {
      this.#write(bytes);
    } catch (error) {
      throw (error as NodeJS.ErrnoException).code === "ENOSPC" ? fullDisk(this.file) : error;
    }
    // Not before: progress that says these rows are done waits for them.
    this.#waiting = "";
    this.#bytes += bytes.length;
  }

  #write(bytes: Buffer): void {
    const { isFile } = this.#place;
    for (let at = 0; at < bytes.length; ) {
      const position = isFile ? this.#bytes + at : null;
      at += writeSync(this.#descriptor as number, bytes, at, bytes.length - at, position);
    }
  }
}

/** To open a pipe waits for its reader, deaf to signals: so it is asked first whether there is one. @throws Failure */
function openStream(path: string): number {
  if (!statSync(path).isFIFO()) return openSync(path, "w");
  try {
    const asked = openSync(path, constants.O_WRONLY | constants.O_NONBLOCK);
    const descriptor = openSync(path, "w");
    closeSync(asked);
    return descriptor;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENXIO") throw error;
    throw new Failure(`Nobody reads ${path}, where rejected rows are to go. Begin to read it first.`);
  }
}

function jsonLine(text: string, line: number, errors: readonly string[]): string {
  const object = objectOf(text);
  const own = typeof object === "string" ? { [textColumn]: text } : object;
  return `${JSON.stringify({ ...own, _line: line, _errors: errors })}\n`;
}
