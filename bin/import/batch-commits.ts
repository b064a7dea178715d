import { type Storage, StorageUnavailable, type Write, WriteConflict } from "#lib";

type Job = {
  readonly tenant: string;
  readonly now: number;
  readonly propose: (at: number) => readonly Write[];
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
};

/** Sizes of the parts into which a failed commit is split, one after the other. */
const partSizes = [32, 1];

/**
 * Combines the commits of one event loop tick into one, which is much faster. If the combined commit fails, its parts are
 * committed separately, so that each row gets its own error.
 */
export class BatchCommits {
  readonly #storage: Pick<Storage, "commit" | "get">;
  #queue: Job[] = [];

  constructor(storage: Pick<Storage, "commit" | "get">) {
    this.#storage = storage;
  }

  readonly commit: Storage["commit"] = (tenant, now, propose) =>
    new Promise((resolve, reject) => {
      if (this.#queue.length === 0) setImmediate(() => void this.#flush());
      this.#queue.push({ tenant, now, propose, resolve, reject });
    });

  async #flush(): Promise<void> {
    const jobs = this.#queue;
    this.#queue = [];
    await Promise.all(
      [...Map.groupBy(jobs, ({ tenant }) => tenant).values()].map((group) => this.#commitTogether(group, partSizes)),
    );
  }

  async #commitTogether(jobs: readonly Job[], sizes: readonly number[]): Promise<void> {
    const [{ tenant }] = jobs as [Job];
    // The commit time must not be before the time at which a record is created.
    const now = Math.max(...jobs.map((job) => job.now));
    try {
      await this.#storage.commit(tenant, now, (at) => jobs.flatMap(({ propose }) => propose(at)));
      for (const { resolve } of jobs) resolve();
    } catch (error) {
      const [size = 1, ...smaller] = sizes;
      // An unavailable storage rejects the parts as well.
      if (jobs.length === 1 || error instanceof StorageUnavailable) for (const { reject } of jobs) reject(error);
      else {
        const remaining = sizes === partSizes ? await this.#withoutExisting(jobs) : jobs;
        await Promise.all(splitIntoParts(remaining, size).map((part) => this.#commitTogether(part, smaller)));
      }
    }
  }

  /** Rejects the inserts whose record exists and returns the rest. Trying each row of a repeated import would be slow. */
  async #withoutExisting(jobs: readonly Job[]): Promise<readonly Job[]> {
    const existing = await Promise.all(
      jobs.map(async ({ tenant, now, propose, reject }) => {
        const [write] = propose(now);
        if (write?.op !== "insert") return false;
        const { kind, record } = write;
        const exists = (await this.#storage.get(tenant, kind, record.id)) !== undefined;
        if (exists) reject(new WriteConflict("duplicate", kind, "id", record.id));
        return exists;
      }),
    );
    return jobs.filter((_, index) => existing[index] !== true);
  }
}

function splitIntoParts<T>(values: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(values.length / size) }, (_, part) =>
    values.slice(part * size, (part + 1) * size),
  );
}
