import { statfsSync } from "node:fs";
import { type Storage, StorageUnavailable, type Write, wrapStorage } from "#lib";

/** How long a measurement is reused. */
const cacheMs = 250;

/** A write is rejected because the disk is nearly full. The rest of the space is for SQLite and for recovery. */
export class DiskSpaceLowError extends StorageUnavailable {}

/** The free space on a disk, and whether it is below a minimum. */
export type FreeSpace = Pick<FreeSpaceMonitor, "minBytes" | "freeBytes" | "isLow">;

/** The disk of a database that isn't in a folder. */
export const unlimitedSpace: FreeSpace = { minBytes: 0, freeBytes: Number.POSITIVE_INFINITY, isLow: false };

/** The free space on the disk of a folder, and whether it is below a minimum. */
export class FreeSpaceMonitor {
  readonly #folder: string;
  readonly #minBytes: number;
  readonly #onChange: (isLow: boolean, freeBytes: number) => void;
  #measuredAt = Number.NEGATIVE_INFINITY;
  #freeBytes = Number.POSITIVE_INFINITY;
  #isLow = false;

  constructor(folder: string, minBytes: number, onChange: (isLow: boolean, freeBytes: number) => void) {
    this.#folder = folder;
    this.#minBytes = minBytes;
    this.#onChange = onChange;
  }

  get minBytes(): number {
    return this.#minBytes;
  }

  get freeBytes(): number {
    this.#measure();
    return this.#freeBytes;
  }

  get isLow(): boolean {
    this.#measure();
    return this.#isLow;
  }

  #measure(): void {
    const now = performance.now();
    if (now - this.#measuredAt < cacheMs) return;
    this.#measuredAt = now;
    this.#freeBytes = freeBytesOf(this.#folder);
    const isLow = this.#freeBytes < this.#minBytes;
    if (isLow === this.#isLow) return;
    this.#isLow = isLow;
    this.#onChange(isLow, this.#freeBytes);
  }
}

/** Returns infinity if the folder is missing, because the database reports that. */
function freeBytesOf(folder: string): number {
  try {
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize;
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}

/**
 * Wraps a storage so that it rejects writes while disk space is low. Reads and updates of API keys still work, so that
 * keys can be revoked.
 */
export function withFreeSpaceCheck(storage: Storage, freeSpace: FreeSpaceMonitor): Storage {
  const rejectUnlessKeyUpdate = (writes: readonly Write[]): readonly Write[] => {
    if (writes.length === 0 || writes.some(({ kind, op }) => kind === "apiKey" && op === "update")) return writes;
    const minMiB = Math.round(freeSpace.minBytes / 1024 / 1024);
    throw new DiskSpaceLowError(
      `Less than ${minMiB} MiB of disk space is free. Free disk space or lower --min-free-mb.`,
    );
  };
  return wrapStorage(storage, {
    commit: (tenant, now, propose, conditions) =>
      storage.commit(tenant, now, freeSpace.isLow ? (at) => rejectUnlessKeyUpdate(propose(at)) : propose, conditions),
  });
}
