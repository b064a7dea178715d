import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";

/** The size of a page of the kernel, and of a sector, which a disk writes completely or not at all. */
const [pageBytes, sectorBytes] = [4096, 512];

/** A file as programs see it, and its durable content. */
class DurableFile {
  seen: Buffer;
  onDisk: Buffer;
  /** The pages that were written and not synced. */
  readonly dirty = new Set<number>();

  constructor(content: Buffer) {
    this.seen = content;
    this.onDisk = content;
  }

  write(bytes: Buffer, offset: number): void {
    this.seen = resized(this.seen, Math.max(this.seen.length, offset + bytes.length));
    bytes.copy(this.seen, offset);
    for (let at = offset; at < offset + bytes.length; at += pageBytes - (at % pageBytes))
      this.dirty.add(Math.floor(at / pageBytes));
  }

  /** Its size is durable after the next fsync. */
  truncate(size: number): void {
    this.seen = resized(this.seen, size);
  }

  /** Makes the written pages durable, or some of them if the fsync fails. All are clean afterwards. */
  sync(succeeds: boolean, arrives: () => boolean): void {
    const content = this.after(() => succeeds || arrives(), pageBytes);
    this.onDisk = succeeds ? resized(content, this.seen.length) : content;
    this.dirty.clear();
  }

  /** Returns the durable content if these parts of the dirty pages are written. */
  after(arrives: (offset: number) => boolean, unit: number): Buffer {
    const parts = [...this.dirty].flatMap((page) =>
      Array.from({ length: pageBytes / unit }, (_, part) => page * pageBytes + part * unit),
    );
    const there = parts.filter((offset) => offset < this.seen.length && arrives(offset));
    const end = Math.max(this.onDisk.length, ...there.map((offset) => Math.min(offset + unit, this.seen.length)));
    const content = resized(this.onDisk, end);
    for (const offset of there) this.seen.copy(content, offset, offset, offset + unit);
    return content;
  }
}

/**
 * Simulates writes and fsyncs of Linux from a trace of strace. Written pages are visible at once, and durable after an
 * fsync. If an fsync fails, some pages are durable and others not, and the kernel marks all as clean: the next fsync
 * succeeds without them.
 */
export class Disk {
  readonly #files = new Map<string, DurableFile>();
  readonly #random: () => number;

  /** Takes the current content of these files as durable. */
  constructor(files: readonly string[], random: () => number) {
    this.#random = random;
    for (const file of files) if (existsSync(file)) this.#files.set(file, new DurableFile(readFileSync(file)));
  }

  /** Applies the calls of a program. */
  apply(calls: readonly string[]): void {
    for (const line of calls) {
      const call = /^(\w+)\(\d+<([^>]*)>(?:, "([^"]*)", \d+)?(?:, (\d+))?\) += (-?\d+|\?)/.exec(line);
      const [, name = "", path = "", bytes = "", offset, result] = call ?? [];
      const file = this.#file(text(path));
      // The program ended before the call was complete.
      if (result === "?") continue;
      if (/^f(?:data)?sync$/.test(name)) file.sync(result === "0", () => this.#random() < 0.5);
      else if (result === "-1") continue;
      else if (name === "pwrite64") file.write(bytesOf(bytes), Number(offset));
      else if (name === "ftruncate") file.truncate(Number(offset));
      else throw new Error(`nothing is known of this call: ${line.slice(0, 200)}`);
    }
  }

  /** Writes the files as they are after a power loss, with some of the sectors that were not synced. */
  losePower(folder: string): void {
    for (const [path, file] of this.#files)
      writeFileSync(
        join(folder, basename(path)),
        file.after(() => this.#random() < 0.5, sectorBytes),
      );
  }

  #file(path: string): DurableFile {
    const file = this.#files.get(path) ?? new DurableFile(Buffer.alloc(0));
    this.#files.set(path, file);
    return file;
  }
}

/** Returns a copy of this length, truncated or padded with zeros. */
function resized(content: Buffer, size: number): Buffer {
  const copy = Buffer.alloc(size);
  content.copy(copy);
  return copy;
}

/**
 * Returns the completed calls in the output of `strace -f -y -xx`, one line each. strace splits a call into two lines
 * if another thread makes a call in between.
 */
export function callsOf(log: string): readonly string[] {
  const unfinished = new Map<string, string>();
  return log.split("\n").flatMap((line) => {
    const [, thread = "", text = ""] = /^(\d+) +(.*)$/.exec(line) ?? [];
    const resumed = /^<\.\.\. \w+ resumed>(.*)$/.exec(text)?.[1];
    if (resumed !== undefined) return [`${unfinished.get(thread)}${resumed}`];
    if (text.endsWith("<unfinished ...>")) unfinished.set(thread, text.slice(0, -"<unfinished ...>".length).trimEnd());
    else if (/^\w+\(/.test(text)) return [text];
    return [];
  });
}

function bytesOf(hexadecimal: string): Buffer {
  return Buffer.from(hexadecimal.replaceAll("\\x", ""), "hex");
}

function text(path: string): string {
  return path.startsWith("\\x") ? bytesOf(path).toString() : path;
}
