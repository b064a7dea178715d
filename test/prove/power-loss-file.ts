import type { Arrives } from "./power-loss-disk.ts";

/** What a disk writes whole or not at all. */
const sectorBytes = 512;

type Change = { readonly place: number; readonly offset: number; readonly bytes: Buffer; readonly sizeAfter: number };

/** A file: the bytes that are durable, and the changes since it was last synced. */
export class UnsyncedFile {
  readonly #shared: boolean;
  #durable: Buffer = Buffer.alloc(0);
  #durableSize = 0;
  #size = 0;
  #pending: Change[] = [];
  #cut = false;

  /** @param shared whether it is memory that programs share by mmap: nobody sees what is written there, so it is rubbish */
  constructor(shared: boolean) {
    this.#shared = shared;
  }

  write(place: number, offset: number, bytes: Buffer): void {
    this.#size = Math.max(this.#size, offset + bytes.length);
    this.#pending.push({ place, offset, bytes, sizeAfter: this.#size });
  }

  resize(place: number, size: number): void {
    if (size === this.#size) return;
    if (size < this.#size) this.#cut = true;
    this.#size = size;
    this.#pending.push({ place, offset: size, bytes: Buffer.alloc(0), sizeAfter: size });
  }

  sync(): void {
    const room = Math.max(this.#size, ...this.#pending.map(({ sizeAfter }) => sizeAfter));
    if (room > this.#durable.length) this.#durable = grown(this.#durable, 2 * room);
    replay(this.#durable, this.#pending);
    this.#durableSize = this.#size;
    this.#pending = [];
    this.#cut = false;
  }

  after(arrives: Arrives, rubbish: () => number, say: (note: string) => void): Buffer {
    if (this.#shared) return Buffer.from(Uint8Array.from({ length: this.#size }, rubbish));
    if (this.#pending.length === 0) return this.#durable.subarray(0, this.#durableSize);
    return this.#cut ? this.#inOrder(arrives, say) : this.#inAnyOrder(arrives, rubbish, say);
  }

  /** A file that was cut off meanwhile: what is there is what was there at one moment. */
  #inOrder(arrives: Arrives, say: (note: string) => void): Buffer {
    const count = 1 + this.#pending.findLastIndex(({ place }) => arrives(place, "size"));
    const room = Math.max(this.#durableSize, ...this.#pending.map(({ sizeAfter }) => sizeAfter));
    const content = grown(this.#durable.subarray(0, this.#durableSize), room);
    replay(content, this.#pending.slice(0, count));
    say(`: the first ${count} of ${this.#pending.length} changes that were not synced arrived`);
    return content.subarray(0, this.#pending[count - 1]?.sizeAfter ?? this.#durableSize);
  }

  #inAnyOrder(arrives: Arrives, rubbish: () => number, say: (note: string) => void): Buffer {
    const sizeBefore = (index: number): number => this.#pending[index - 1]?.sizeAfter ?? this.#durableSize;
    const sizes = this.#pending.filter(({ sizeAfter }, index) => sizeAfter > sizeBefore(index));
    const size = sizes.findLast(({ place }) => arrives(place, "size"))?.sizeAfter ?? this.#durableSize;
    const content = grown(this.#durable.subarray(0, this.#durableSize), this.#size + sectorBytes);
    const sectors = Map.groupBy(this.#pending.flatMap(sectorsOf), ({ sector }) => sector);
    // What was never written there may be zeros or what the disk held before: any bytes.
    for (let sector = Math.ceil(this.#durableSize / sectorBytes); sector * sectorBytes < size; sector++) {
      content.fill(rubbish(), sector * sectorBytes, (sector + 1) * sectorBytes);
    }
    let arrived = 0;
    for (const [sector, versions] of sectors) {
      const last = versions.findLastIndex(({ change }) => arrives(change.place, sector));
      if (last === -1) continue;
      if (sector * sectorBytes >= this.#durableSize) content.fill(0, sector * sectorBytes, (sector + 1) * sectorBytes);
      for (const { change } of versions.slice(0, last + 1)) copySector(content, sector, change);
      arrived += last === versions.length - 1 ? 1 : 0;
    }
    say(`: ${arrived} of ${sectors.size} sectors that were not synced arrived; ${size} of ${this.#size} bytes long`);
    return content.subarray(0, size);
  }
}

function sectorsOf(change: Change): { sector: number; change: Change }[] {
  const first = Math.floor(change.offset / sectorBytes);
  const end = Math.ceil((change.offset + change.bytes.length) / sectorBytes);
  return Array.from({ length: Math.max(0, end - first) }, (_, index) => ({ sector: first + index, change }));
}

/** The part of a write that falls into the sector. */
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

function grown(content: Buffer, length: number): Buffer {
  const longer = Buffer.alloc(Math.max(length, content.length));
  content.copy(longer);
  return longer;
}
