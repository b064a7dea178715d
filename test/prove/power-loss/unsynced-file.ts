import type { Persists } from "./disk.ts";

/** The size of a sector, which a disk writes atomically. */
const sectorBytes = 512;

type Change = {
  readonly position: number;
  readonly offset: number;
  readonly bytes: Buffer;
  readonly sizeAfter: number;
};

/** A file: the durable bytes, and the changes since the last fsync. */
export class UnsyncedFile {
  readonly #shared: boolean;
  #durable: Buffer = Buffer.alloc(0);
  #durableSize = 0;
  #size = 0;
  #pending: Change[] = [];
  #truncated = false;

  /**
   * @param shared whether programs write the file by mmap. The recorder doesn't see these writes: the content is
   * garbage.
   */
  constructor(shared: boolean) {
    this.#shared = shared;
  }

  write(position: number, offset: number, bytes: Buffer): void {
    this.#size = Math.max(this.#size, offset + bytes.length);
    this.#pending.push({ position, offset, bytes, sizeAfter: this.#size });
  }

  resize(position: number, size: number): void {
    if (size === this.#size) return;
    if (size < this.#size) this.#truncated = true;
    this.#size = size;
    this.#pending.push({ position, offset: size, bytes: Buffer.alloc(0), sizeAfter: size });
  }

  sync(): void {
    const length = Math.max(this.#size, ...this.#pending.map(({ sizeAfter }) => sizeAfter));
    if (length > this.#durable.length) this.#durable = extended(this.#durable, 2 * length);
    replay(this.#durable, this.#pending);
    this.#durableSize = this.#size;
    this.#pending = [];
    this.#truncated = false;
  }

  after(persists: Persists, garbage: () => number, note: (text: string) => void): Buffer {
    if (this.#shared) return Buffer.from(Uint8Array.from({ length: this.#size }, garbage));
    if (this.#pending.length === 0) return this.#durable.subarray(0, this.#durableSize);
    return this.#truncated ? this.#inOrder(persists, note) : this.#inAnyOrder(persists, garbage, note);
  }

  /** Returns the content of a truncated file at one point in time. */
  #inOrder(persists: Persists, note: (text: string) => void): Buffer {
    const count = 1 + this.#pending.findLastIndex(({ position }) => persists(position, "size"));
    const length = Math.max(this.#durableSize, ...this.#pending.map(({ sizeAfter }) => sizeAfter));
    const content = extended(this.#durable.subarray(0, this.#durableSize), length);
    replay(content, this.#pending.slice(0, count));
    note(`: the first ${count} of ${this.#pending.length} unsynced changes are on disk`);
    return content.subarray(0, this.#pending[count - 1]?.sizeAfter ?? this.#durableSize);
  }

  #inAnyOrder(persists: Persists, garbage: () => number, note: (text: string) => void): Buffer {
    const sizeBefore = (index: number): number => this.#pending[index - 1]?.sizeAfter ?? this.#durableSize;
    const sizes = this.#pending.filter(({ sizeAfter }, index) => sizeAfter > sizeBefore(index));
    const size = sizes.findLast(({ position }) => persists(position, "size"))?.sizeAfter ?? this.#durableSize;
    const content = extended(this.#durable.subarray(0, this.#durableSize), this.#size + sectorBytes);
    const sectors = Map.groupBy(this.#pending.flatMap(sectorsOf), ({ sector }) => sector);
    // A sector that was never written may contain any bytes.
    for (let sector = Math.ceil(this.#durableSize / sectorBytes); sector * sectorBytes < size; sector++) {
      content.fill(garbage(), sector * sectorBytes, (sector + 1) * sectorBytes);
    }
    let persisted = 0;
    for (const [sector, versions] of sectors) {
      const last = versions.findLastIndex(({ change }) => persists(change.position, sector));
      if (last === -1) continue;
      if (sector * sectorBytes >= this.#durableSize) content.fill(0, sector * sectorBytes, (sector + 1) * sectorBytes);
      for (const { change } of versions.slice(0, last + 1)) copySector(content, sector, change);
      persisted += last === versions.length - 1 ? 1 : 0;
    }
    note(`: ${persisted} of ${sectors.size} unsynced sectors are on disk; size ${size} of ${this.#size} bytes`);
    return content.subarray(0, size);
  }
}

function sectorsOf(change: Change): { sector: number; change: Change }[] {
  const first = Math.floor(change.offset / sectorBytes);
  const end = Math.ceil((change.offset + change.bytes.length) / sectorBytes);
  return Array.from({ length: Math.max(0, end - first) }, (_, index) => ({ sector: first + index, change }));
}

/** Copies the part of a write that is in the sector. */
function copySector(content: Buffer, sector: number, { offset, bytes }: Change): void {
  const from = Math.max(offset, sector * sectorBytes);
  const to = Math.min(offset + bytes.length, (sector + 1) * sectorBytes);
  bytes.copy(content, from, from - offset, to - offset);
}

function replay(content: Buffer, changes: readonly Change[]): void {
  for (const { offset, bytes, sizeAfter } of changes) {
    bytes.copy(content, offset);
    if (bytes.length === 0) content.fill(0, sizeAfter);
  }
}

function extended(content: Buffer, length: number): Buffer {
  const longer = Buffer.alloc(Math.max(length, content.length));
  content.copy(longer);
  return longer;
}
