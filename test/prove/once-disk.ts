import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";

/** What the kernel writes back as one, and what a disk writes whole or not at all. */
const [pageBytes, sectorBytes] = [4096, 512];

/** A file as programs see it, and as much of it as is on the disk. */
class KeptFile {
  seen: Buffer;
  onDisk: Buffer;
  /** The pages that were written to and not yet synced. */
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

  /** Its size is on the disk with the next sync. */
  truncate(size: number): void {
    this.seen = resized(this.seen, size);
  }

  /** What was written since the last sync gets to the disk, or some of it; none of it is remembered any more. */
  sync(succeeds: boolean, arrives: () => boolean): void {
    const content = this.after(() => succeeds || arrives(), pageBytes);
    this.onDisk = succeeds ? resized(content, this.seen.length) : content;
    this.dirty.clear();
  }

  /** What is on the disk if these parts of what is dirty get there. */
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
 * What Linux makes of writes and syncs: written pages are read back at once, and on the disk after a sync. Where a sync
 * fails, some of them have got there and others have not, and the kernel keeps none of them in mind: the next sync
 * succeeds without them. Fed with what strace saw.
 */
export class Disk {
  readonly #files = new Map<string, KeptFile>();
  readonly #roll: () => number;

  /** All that is in these files now is taken to be on the disk. */
  constructor(files: readonly string[], roll: () => number) {
    this.#roll = roll;
    for (const file of files) if (existsSync(file)) this.#files.set(file, new KeptFile(readFileSync(file)));
  }

  /** Takes in what a program did. */
  apply(calls: readonly string[]): void {
    for (const line of calls) {
      const call = /^(\w+)\(\d+<([^>]*)>(?:, "([^"]*)", \d+)?(?:, (\d+))?\) += (-?\d+|\?)/.exec(line);
      const [, name = "", path = "", bytes = "", place, result] = call ?? [];
      const file = this.#file(text(path));
      // The program ended before the call was done.
      if (result === "?") continue;
      if (/^f(?:data)?sync$/.test(name)) file.sync(result === "0", () => this.#roll() < 0.5);
      else if (result === "-1") continue;
      else if (name === "pwrite64") file.write(bytesOf(bytes), Number(place));
      else if (name === "ftruncate") file.truncate(Number(place));
      else throw new Error(`nothing is known of this call: ${line.slice(0, 200)}`);
    }
  }

  /** Puts into this folder what is there once the power is back: of what was not synced, some sectors. */
  losePower(folder: string): void {
    for (const [path, file] of this.#files)
      writeFileSync(
        join(folder, basename(path)),
        file.after(() => this.#roll() < 0.5, sectorBytes),
      );
  }

  #file(path: string): KeptFile {
    const file = this.#files.get(path) ?? new KeptFile(Buffer.alloc(0));
    this.#files.set(path, file);
    return file;
  }
}

/** A copy, cut off or made longer by zeros. */
function resized(content: Buffer, size: number): Buffer {
  const copy = Buffer.alloc(size);
  content.copy(copy);
  return copy;
}

/**
 * The calls in what `strace -f -y -xx` tells, a line for each that came to an end. It tells one in two lines where it
 * sees something else meanwhile.
 */
export function callsOf(log: string): readonly string[] {
  const begun = new Map<string, string>();
  return log.split("\n").flatMap((line) => {
    const [, thread = "", text = ""] = /^(\d+) +(.*)$/.exec(line) ?? [];
    const resumed = /^<\.\.\. \w+ resumed>(.*)$/.exec(text)?.[1];
    if (resumed !== undefined) return [`${begun.get(thread)}${resumed}`];
    if (text.endsWith("<unfinished ...>")) begun.set(thread, text.slice(0, -"<unfinished ...>".length).trimEnd());
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
