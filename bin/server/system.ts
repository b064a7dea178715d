import { statSync } from "node:fs";
import { LRUCache } from "lru-cache";
import type { RequestCounts, RequestSummary, Storage, SystemTools } from "#lib";
import { version } from "../cli/version.ts";
import type { FreeSpace } from "../database/free-space-monitor.ts";
import type { BackupSchedule } from "./backup-schedule.ts";
import type { Health } from "./health.ts";

const minuteMs = 60_000;
/** Minutes whose requests are counted. */
const maxMinutes = 60;
/** Tenants whose requests are counted. */
const maxTenants = 1_000;

/** The parts of a server that the status describes. */
type SystemParts = {
  /** A reset of the test API replaces it. */
  readonly storage: () => Storage;
  /** The file of SQLite. */
  readonly file: string | undefined;
  readonly freeSpace: FreeSpace;
  readonly health: Pick<Health, "problems">;
  /** Undefined if the database isn't in a folder. */
  readonly backups: BackupSchedule | undefined;
};

/** Shows admins the state of the server, and counts the requests of each tenant. */
export class System implements SystemTools {
  readonly #parts: SystemParts;
  readonly #now: () => number;
  readonly #startedAt: number;
  readonly #requests = new LRUCache<string, Map<number, RequestCounts>>({ max: maxTenants });

  constructor(parts: SystemParts, now: () => number = Date.now) {
    this.#parts = parts;
    this.#now = now;
    this.#startedAt = now();
  }

  readonly onRequest = ({ tenantId, status, durationMs }: RequestSummary): void => {
    if (tenantId === null) return;
    const now = this.#now();
    const at = now - (now % minuteMs);
    const counts = this.#requests.get(tenantId) ?? new Map<number, RequestCounts>();
    this.#requests.set(tenantId, counts);
    const before = counts.get(at) ?? { at, count: 0, clientErrors: 0, serverErrors: 0, durationMs: 0 };
    counts.set(at, {
      at,
      count: before.count + 1,
      clientErrors: before.clientErrors + Number(status >= 400 && status < 500),
      serverErrors: before.serverErrors + Number(status >= 500),
      durationMs: before.durationMs + durationMs,
    });
    if (counts.size > maxMinutes)
      for (const each of counts.keys()) if (each <= at - maxMinutes * minuteMs) counts.delete(each);
  };

  async status(tenantId: string) {
    const isShared = await this.#isShared();
    const { file, freeSpace, health, backups } = this.#parts;
    const since = this.#now() - maxMinutes * minuteMs;
    const problems = await health.problems();
    const database = file === undefined || isShared ? null : { bytes: sizeOf(file), freeBytes: freeSpace.freeBytes };
    return {
      version,
      startedAt: this.#startedAt,
      problems: problems.map(({ message }) => message),
      problemCodes: problems.map(({ code }) => code),
      database,
      backups: isShared ? null : (backups?.status() ?? null),
      requests: [...(this.#requests.get(tenantId)?.values() ?? [])].filter(({ at }) => at > since),
    };
  }

  async startBackup(): Promise<boolean> {
    const { backups } = this.#parts;
    if (backups === undefined || (await this.#isShared())) return false;
    void backups.backUpNow(this.#now());
    return true;
  }

  /** Reports whether several tenants share the database. Then no admin may see it. */
  async #isShared(): Promise<boolean> {
    return (await this.#parts.storage().listTenants()).length !== 1;
  }
}

/** The file and its write-ahead log. */
function sizeOf(file: string): number {
  return [file, `${file}-wal`].reduce((sum, each) => sum + (statSync(each, { throwIfNoEntry: false })?.size ?? 0), 0);
}
