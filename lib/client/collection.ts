import { CrmError } from "./error.ts";
import type { CallOptions, ChangeOptions, Send } from "./transport.ts";

/** One page of a list, in the order in which the records were last changed. */
export type Page<T> = {
  readonly data: readonly T[];
  readonly nextCursor: string | null;
  /** What is safe to store as `since` once this page has been handled. */
  readonly nextUpdatedSince: string;
};

/** A list, fetched page by page while it is walked: `for await (const page of …)`. */
export type Pages<T> = AsyncIterable<Page<T>> & {
  /** The records one by one: `for await (const task of ….records())`. */
  records(): AsyncIterable<T>;
};

export type SyncOptions<T> = {
  /** What the last sync has stored; everything where it is absent. */
  readonly since?: string | undefined;
  /** Handles a page. The same record may come again, so it must do no harm twice; an error ends the sync. */
  readonly onPage: (records: readonly T[], page: Page<T>) => void | Promise<void>;
  /** Stores where the sync stands: called after `onPage`, never before. */
  readonly onWatermark?: (since: string) => void | Promise<void>;
  /** Records a page, 1 to 200; 200 where it is absent. */
  readonly limit?: number;
  readonly signal?: AbortSignal;
};

/** What can be done with the records of one kind. */
export type Collection<T, Create, Update, Query> = {
  list(query?: Query & CallOptions): Pages<T>;
  get(id: string, options?: CallOptions): Promise<T>;
  create(body: Create, options?: CallOptions): Promise<T>;
  update(id: string, body: Update, options?: ChangeOptions): Promise<T>;
  /** Takes it out of the lists; `restore` brings it back. */
  archive(id: string, options?: ChangeOptions): Promise<void>;
  restore(id: string, options?: CallOptions): Promise<T>;
  /**
   * Everything that has changed since, archived records (with `archivedAt`) too, oldest change first. Answers what to
   * store for the next time. After an interruption, go on from what `onWatermark` stored last: nothing is missed.
   */
  sync(options: SyncOptions<T>): Promise<string | undefined>;
};

export function createCollection<T, Create, Update, Query>(
  send: Send,
  path: string,
): Collection<T, Create, Update, Query> {
  const recordPath = (id: string): string => `${path}/${encodeURIComponent(id)}`;
  const one = async (method: string, at: string, sent: ChangeOptions & { body?: unknown }): Promise<T> =>
    unwrapData<T>((await send(method, at, sent)).body);
  const pageAt = (query: Record<string, unknown>, signal?: AbortSignal) => page<T>(send, path, query, signal);
  return {
    list: ({ signal, idempotencyKey: _, ...query } = {} as Query & CallOptions) =>
      pages((cursor) => pageAt(cursor === undefined ? query : { ...query, cursor }, signal)),
    get: (id, options) => one("GET", recordPath(id), { ...options }),
    create: (body, options) => one("POST", path, { ...options, body }),
    update: (id, body, options) => one("PATCH", recordPath(id), { ...options, body }),
    archive: async (id, options) => void (await send("DELETE", recordPath(id), options)),
    restore: (id, options) => one("POST", `${recordPath(id)}/restore`, { ...options, body: {} }),
    sync: (options) => sync(options, pageAt),
  };
}

/** `data` of an answer with a single record or a plain list. */
export function unwrapData<T>(body: unknown): T {
  return (body as { data: T }).data;
}

async function page<T>(send: Send, path: string, query: object, signal?: AbortSignal): Promise<Page<T>> {
  const sent = { query: query as Record<string, string>, ...(signal === undefined ? {} : { signal }) };
  const { body, headers } = await send("GET", path, sent);
  return {
    ...(body as Omit<Page<T>, "nextUpdatedSince">),
    nextUpdatedSince: headers.get("x-next-updated-since") ?? "",
  };
}

function pages<T>(pageAfter: (cursor: string | undefined) => Promise<Page<T>>): Pages<T> {
  async function* walk(): AsyncGenerator<Page<T>> {
    let cursor: string | undefined;
    do {
      const next: Page<T> = await pageAfter(cursor);
      yield next;
      cursor = next.nextCursor ?? undefined;
    } while (cursor !== undefined);
  }
  async function* records(): AsyncGenerator<T> {
    for await (const { data } of walk()) yield* data;
  }
  return { [Symbol.asyncIterator]: walk, records };
}

const missingWatermark =
  "The answer lacks X-Next-Updated-Since. Something on the way has removed it, or hides it (Access-Control-Expose-Headers).";

async function sync<T>(
  { since, onPage, onWatermark, limit = 200, signal }: SyncOptions<T>,
  pageAt: (query: Record<string, unknown>, signal?: AbortSignal) => Promise<Page<T>>,
): Promise<string | undefined> {
  let watermark = since;
  let cursor: string | null = null;
  do {
    const start: Record<string, unknown> = { updatedSince: watermark, includeArchived: true };
    // A cursor keeps its filters, and a database that was restored from a backup knows none of before.
    const next: Page<T> = await pageAt({ limit, ...(cursor === null ? start : { cursor }) }, signal).catch((error) => {
      if (cursor === null || !(error instanceof CrmError) || error.code !== "invalid_cursor") throw error;
      return pageAt({ limit, ...start }, signal);
    });
    // Stored, an empty one would be lost work at best.
    if (next.nextUpdatedSince === "") throw new Error(missingWatermark);
    await onPage(next.data, next);
    watermark = next.nextUpdatedSince;
    await onWatermark?.(watermark);
    cursor = next.nextCursor;
  } while (cursor !== null);
  return watermark;
}
