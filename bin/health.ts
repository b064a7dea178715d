import type { Storage } from "../lib/index.ts";
import type { DiskFloor } from "./disk-floor.ts";

/** A status and JSON that tells nothing of tenants, and nothing that helps who should not ask. */
export type HealthAnswer = { readonly status: 200 | 503; readonly body: string };

/** One answer serves all who ask within this time: the address is open to everybody. */
const keepMs = 1_000;
/** A database that takes longer is not answering. */
const patienceMs = 2_000;
/** No tenant has this id. */
const nobody = "00000000-0000-0000-0000-000000000000";

const answering = {
  reads: "The database cannot be read.",
  writes: "The database cannot be written to.",
  closing: "The server is stopping.",
} as const;

/** Whether the process lives, and whether it can do its work. */
export class Health {
  #storage: Storage | undefined;
  #floor: DiskFloor | undefined;
  #isClosing = false;
  #known: { readonly until: number; readonly reasons: Promise<readonly string[]> } | undefined;

  /** Looks at this storage from now on, and at the disk that it is on where that is known. */
  watch(storage: Storage, floor: DiskFloor | undefined): void {
    this.#storage = storage;
    this.#floor = floor;
  }

  /** From now on it is not ready. */
  close(): void {
    this.#isClosing = true;
  }

  /** The answer at this path; undefined where it is none of these. */
  async answer(path: string): Promise<HealthAnswer | undefined> {
    if (path === "/healthz") return { status: 200, body: JSON.stringify({ status: "ok" }) };
    if (path !== "/readyz") return undefined;
    const reasons = this.#isClosing ? [answering.closing] : await this.#reasons();
    if (reasons.length === 0) return { status: 200, body: JSON.stringify({ status: "ready" }) };
    return { status: 503, body: JSON.stringify({ status: "not ready", reasons }) };
  }

  #reasons(): Promise<readonly string[]> {
    const now = performance.now();
    if (this.#known === undefined || now >= this.#known.until) {
      this.#known = { until: now + keepMs, reasons: this.#look() };
    }
    return this.#known.reasons;
  }

  async #look(): Promise<readonly string[]> {
    const least = Math.round((this.#floor?.leastBytes ?? 0) / 1024 / 1024);
    const disk =
      this.#floor?.isLow === true ? [`Less than ${least} MiB of the disk are free: writes are refused.`] : [];
    const storage = this.#storage;
    if (storage === undefined) return disk;
    const reads = await succeeds(() => storage.secret());
    if (!reads) return [...disk, answering.reads];
    // It takes the lock and asks where the file is, as every commit does, and writes nothing.
    const writes = await succeeds(() => storage.commit(nobody, Date.now(), () => []));
    return writes ? disk : [...disk, answering.writes];
  }
}

async function succeeds(work: () => Promise<unknown>): Promise<boolean> {
  const { promise: late, resolve } = Promise.withResolvers<boolean>();
  const timer = setTimeout(resolve, patienceMs, false);
  const done = work().then(
    () => true,
    () => false,
  );
  return Promise.race([done, late]).finally(() => clearTimeout(timer));
}
