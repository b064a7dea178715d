import { statfsSync } from "node:fs";
import { type Storage, StorageUnavailable, type Write } from "#lib";

/** How often the disk is asked, at the most. */
const askEveryMs = 250;

/** A write is refused so that the disk does not fill up: what is left is for SQLite, for a restart and for whoever helps. */
export class DiskSpaceLow extends StorageUnavailable {}

/** The free space of the disk that a folder is on, and whether it is below what must stay free. */
export class DiskFloor {
  readonly #folder: string;
  readonly #leastBytes: number;
  readonly #onChange: (isLow: boolean, freeBytes: number) => void;
  #askedAt = Number.NEGATIVE_INFINITY;
  #freeBytes = Number.POSITIVE_INFINITY;
  #isLow = false;

  constructor(folder: string, leastBytes: number, onChange: (isLow: boolean, freeBytes: number) => void) {
    this.#folder = folder;
    this.#leastBytes = leastBytes;
    this.#onChange = onChange;
  }

  get leastBytes(): number {
    return this.#leastBytes;
  }

  get freeBytes(): number {
    this.#ask();
    return this.#freeBytes;
  }

  get isLow(): boolean {
    this.#ask();
    return this.#isLow;
  }

  #ask(): void {
    const now = performance.now();
    if (now - this.#askedAt < askEveryMs) return;
    this.#askedAt = now;
    this.#freeBytes = freeBytesOf(this.#folder);
    const isLow = this.#freeBytes < this.#leastBytes;
    if (isLow === this.#isLow) return;
    this.#isLow = isLow;
    this.#onChange(isLow, this.#freeBytes);
  }
}

/** A folder that is gone is the database's to tell. */
function freeBytesOf(folder: string): number {
  try {
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize;
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}

/**
 * The storage, which writes nothing while the disk is low, but to revoke keys and to note their use: that is little,
 * and must not wait. Reads go on.
 */
export function withDiskFloor(storage: Storage, floor: DiskFloor): Storage {
  const refusing = (writes: readonly Write[]): readonly Write[] => {
    if (writes.length === 0 || writes.some(({ kind, op }) => kind === "apiKey" && op === "update")) return writes;
    const least = Math.round(floor.leastBytes / 1024 / 1024);
    throw new DiskSpaceLow(
      `Less than ${least} MiB of the disk are free (--min-free-mb). Make room, or let less stay free.`,
    );
  };
  return {
    get: (tenant, kind, id) => storage.get(tenant, kind, id),
    ...(storage.getJson && { getJson: storage.getJson.bind(storage) }),
    list: (tenant, kind, query) => storage.list(tenant, kind, query),
    ...(storage.listJson && { listJson: storage.listJson.bind(storage) }),
    commit: (tenant, now, propose) =>
      storage.commit(tenant, now, floor.isLow ? (at) => refusing(propose(at)) : propose),
    findApiKey: (hash) => storage.findApiKey(hash),
    activeOpportunities: (tenant, keys, limit) => storage.activeOpportunities(tenant, keys, limit),
    listTenants: () => storage.listTenants(),
    cursorSecret: () => storage.cursorSecret(),
    pruneIdempotencyRecords: (before) => storage.pruneIdempotencyRecords(before),
    close: () => storage.close(),
  };
}
