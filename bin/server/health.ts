import type { OpenDatabase } from "../database/database.ts";
import type { DiskFloor } from "../database/disk-floor.ts";

/** A status and JSON that tells nothing of tenants, and nothing that helps who should not ask. */
export type HealthResponse = { readonly status: 200 | 503; readonly body: string };

/** One answer serves all who ask within this time: the address is open to everybody. */
const keepMs = 1_000;
/** A database that takes longer is not answering. */
const patienceMs = 2_000;

const answering = {
  reads: "The database cannot be read.",
  writes: "The database cannot be written to.",
  closing: "The server is stopping.",
} as const;

/** What is asked of a database: whether it can be read, and whether a commit could begin. */
export type WatchedDatabase = Pick<OpenDatabase, "storage" | "probe">;

/** Whether the process lives, and whether it can do its work. */
export class Health {
  #place: WatchedDatabase | undefined;
  #floor: DiskFloor | undefined;
  #isClosing = false;
  /** What the database was asked and has not answered, however long ago. */
  readonly #asked = new Map<string, Promise<boolean>>();
  #known: { readonly until: number; readonly reasons: Promise<readonly string[]> } | undefined;

  /** Looks at this database from now on, and at the disk that it is on where that is known. */
  watch(place: WatchedDatabase, floor: DiskFloor | undefined): void {
    this.#place = place;
    this.#floor = floor;
  }

  /** From now on it is not ready. */
  close(): void {
    this.#isClosing = true;
  }

  /** Returns the response of `/healthz` or `/readyz`. */
  async answer(path: "/healthz" | "/readyz"): Promise<HealthResponse> {
    if (path === "/healthz") return { status: 200, body: JSON.stringify({ status: "ok" }) };
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
    const place = this.#place;
    if (place === undefined) return disk;
    const reads = await this.#succeeds("reads", () => place.storage.cursorSecret());
    if (!reads) return [...disk, answering.reads];
    const writes = await this.#succeeds("writes", () => place.probe());
    return writes ? disk : [...disk, answering.writes];
  }

  /** Whether it does in time. What takes longer is not begun again before it has ended: it may hold a connection. */
  async #succeeds(what: string, work: () => Promise<unknown>): Promise<boolean> {
    const asked = this.#asked.get(what) ?? settled(work).finally(() => this.#asked.delete(what));
    this.#asked.set(what, asked);
    const { promise: late, resolve } = Promise.withResolvers<boolean>();
    const timer = setTimeout(resolve, patienceMs, false);
    return Promise.race([asked, late]).finally(() => clearTimeout(timer));
  }
}

async function settled(work: () => Promise<unknown>): Promise<boolean> {
  try {
    await work();
    return true;
  } catch {
    return false;
  }
}
