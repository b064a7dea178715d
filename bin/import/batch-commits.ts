import { type Storage, StorageUnavailable, type Write, WriteConflict } from "#lib";

type Job = {
  readonly tenant: string;
  readonly now: number;
  readonly propose: (at: number) => readonly Write[];
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
};

/** Into how large parts commits that failed together are taken apart, and those again. */
const partSizes = [32, 1];

/**
 * Makes one commit of those that arrive in one turn: rows of a file have nothing in common but the file, and one
 * commit costs a storage far less than hundreds. Where it is refused, its parts are committed by themselves, so that
 * each row hears what was wrong with it alone.
 */
export class BatchCommits {
  readonly #storage: Pick<Storage, "commit" | "get">;
  #waiting: Job[] = [];

  constructor(storage: Pick<Storage, "commit" | "get">) {
    this.#storage = storage;
  }

  readonly commit: Storage["commit"] = (tenant, now, propose) =>
    new Promise((resolve, reject) => {
      if (this.#waiting.length === 0) setImmediate(() => void this.#flush());
      this.#waiting.push({ tenant, now, propose, resolve, reject });
    });

  async #flush(): Promise<void> {
    const jobs = this.#waiting;
    this.#waiting = [];
    await Promise.all(
      [...Map.groupBy(jobs, ({ tenant }) => tenant).values()].map((own) => this.#together(own, partSizes)),
    );
  }

  async #together(jobs: readonly Job[], sizes: readonly number[]): Promise<void> {
    const [{ tenant, now }] = jobs as [Job];
    try {
      await this.#storage.commit(tenant, now, (at) => jobs.flatMap(({ propose }) => propose(at)));
      for (const { resolve } of jobs) resolve();
    } catch (error) {
      const [size = 1, ...smaller] = sizes;
      // What the storage cannot do just now it cannot do in parts either.
      if (jobs.length === 1 || error instanceof StorageUnavailable) for (const { reject } of jobs) reject(error);
      else {
        const open = sizes === partSizes ? await this.#notMade(jobs) : jobs;
        await Promise.all(inParts(open, size).map((part) => this.#together(part, smaller)));
      }
    }
  }

  /** Those whose record is not there yet. A file that is imported again has no others: to try each would take long. */
  async #notMade(jobs: readonly Job[]): Promise<readonly Job[]> {
    const made = await Promise.all(
      jobs.map(async ({ tenant, now, propose, reject }) => {
        const [write] = propose(now);
        if (write?.op !== "insert") return false;
        const { kind, record } = write;
        const isMade = (await this.#storage.get(tenant, kind, record.id)) !== undefined;
        if (isMade) reject(new WriteConflict("duplicate", kind, "id", record.id));
        return isMade;
      }),
    );
    return jobs.filter((_, index) => made[index] !== true);
  }
}

function inParts<T>(values: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(values.length / size) }, (_, part) =>
    values.slice(part * size, (part + 1) * size),
  );
}
