import { closeSync, existsSync, fsyncSync, ftruncateSync, openSync, renameSync, writeSync } from "node:fs";
import { stringify } from "csv-stringify/sync";
import { rejectColumns } from "./columns.ts";
import { objectOf } from "./ndjson-rows.ts";
import type { OpenRows, RawRow } from "./rows.ts";

type Shape = Pick<OpenRows, "format" | "head" | "delimiter" | "marked">;

/** Bytes that wait to be written. */
const bufferLengthMax = 65_536;

/** The file of the rows that were refused, each with its line and all reasons; it can be mended and imported. */
export class Rejects {
  readonly file: string;
  readonly #shape: Shape;
  readonly #kept: readonly number[];
  #descriptor: number | undefined;
  #waiting = "";
  #bytes = 0;

  constructor(file: string, shape: Shape) {
    this.file = file;
    this.#shape = shape;
    this.#kept = (shape.head ?? []).flatMap((name, index) => (rejectColumns.includes(name.trim()) ? [] : [index]));
  }

  /** Goes on behind this many bytes; with none, what stands there from before is put aside as `.old`. */
  begin(bytes: number): void {
    if (bytes > 0) {
      this.#descriptor = openSync(this.file, "r+");
      ftruncateSync(this.#descriptor, bytes);
      this.#bytes = bytes;
    } else if (existsSync(this.file)) renameSync(this.file, `${this.file}.old`);
  }

  add({ line, raw }: RawRow, errors: readonly string[]): void {
    if (this.#descriptor === undefined) this.#create();
    this.#waiting += typeof raw === "string" ? jsonLine(raw, line, errors) : this.#csvLine(raw, line, errors);
    if (this.#waiting.length > bufferLengthMax) this.#flush();
  }

  /** Puts everything on the disk. @returns how many bytes the file has */
  sync(): number {
    if (this.#descriptor === undefined) return 0;
    this.#flush();
    fsyncSync(this.#descriptor);
    return this.#bytes;
  }

  close(): void {
    this.sync();
    if (this.#descriptor !== undefined) closeSync(this.#descriptor);
    this.#descriptor = undefined;
  }

  #create(): void {
    this.#descriptor = openSync(this.file, "w", 0o600);
    const { head, format, marked } = this.#shape;
    if (format === "csv")
      this.#waiting = (marked ? "\ufeff" : "") + this.#text([...this.#own(head ?? []), "_line", "_errors"]);
  }

  #csvLine(cells: readonly string[], line: number, errors: readonly string[]): string {
    return this.#text([...this.#own(cells), String(line), errors.join(" ")]);
  }

  /** The cells of the source's own columns, as many as there are. */
  #own(cells: readonly string[]): readonly string[] {
    return this.#kept.map((index) => cells[index] ?? "");
  }

  #text(cells: readonly string[]): string {
    return stringify([[...cells]], { delimiter: this.#shape.delimiter });
  }

  #flush(): void {
    const bytes = Buffer.from(this.#waiting);
    this.#waiting = "";
    for (let at = 0; at < bytes.length; )
      at += writeSync(this.#descriptor as number, bytes, at, bytes.length - at, this.#bytes + at);
    this.#bytes += bytes.length;
  }
}

function jsonLine(text: string, line: number, errors: readonly string[]): string {
  const object = objectOf(text);
  const own = typeof object === "string" ? { _text: text } : object;
  return `${JSON.stringify({ ...own, _line: line, _errors: errors })}\n`;
}
