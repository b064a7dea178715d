import { CrmError } from "./error.ts";
import type { CallOptions, ChangeOptions, ClientResponse, SendRequest, WriteOptions } from "./transport.ts";
import type { BatchError, Event, RecordCount } from "./types.ts";

/** One page of a list, ordered by `updatedAt`. */
export type Page<T> = {
  readonly data: readonly T[];
  readonly nextCursor: string | null;
  /** The number of matches on all pages. Undefined without `count: true`. */
  readonly count?: RecordCount;
  /** The watermark: store it after this page has been processed, and pass it to the next sync as `since`. */
  readonly nextUpdatedSince: string;
};

/** A list whose pages are requested during the iteration: `for await (const page of …)`. */
export type Pages<T> = AsyncIterable<Page<T>> & {
  /** Iterates over the records: `for await (const task of ….records())`. */
  records(): AsyncIterable<T>;
};

/** Stores the watermarks of syncs, by name: in a file, a database or `localStorage`. */
export type CheckpointStore = {
  load(name: string): Promise<string | undefined> | string | undefined;
  save(name: string, watermark: string): Promise<void> | void;
};

export type SyncOptions<T> = {
  /** The watermark of the last sync. The default is that of `checkpoints`, and without one all records. */
  readonly since?: string | undefined;
  /** Loads the watermark before the first page, and saves it after each page that `onPage` has processed. */
  readonly checkpoints?: CheckpointStore;
  /** The name of the watermark in `checkpoints`. The default is the name of the collection, such as `accounts`. */
  readonly name?: string;
  /** Processes a page. It must be idempotent, because a record can occur again. An error ends the sync. */
  readonly onPage: (records: readonly T[], page: Page<T>) => void | Promise<void>;
  /** Stores the watermark. Called after `onPage` has finished. */
  readonly onWatermark?: (since: string) => void | Promise<void>;
  /** Records per page, 1 to 200. The default is 200. */
  readonly limit?: number;
  readonly signal?: AbortSignal;
};

/** How an upsert finds the record. */
export type UpsertOptions = WriteOptions & {
  /** The field that identifies the record: `externalId`, `email` of contacts or `name` of accounts. */
  readonly matchBy: "externalId" | "email" | "name";
  /** `exists` throws 404 instead of creating a record. `absent` throws 409 instead of updating one. */
  readonly onlyIf?: "exists" | "absent";
};

/** The record after an upsert. `result` is undefined if the response is a replay. */
export type UpsertResult<T> = { readonly data: T; readonly result: "created" | "updated" | "unchanged" | undefined };

/** One operation of a batch. */
export type BatchOperation<Create, Update> =
  | { readonly op: "create"; readonly data: Create }
  | { readonly op: "update"; readonly id: string; readonly data: Update }
  | ({ readonly op: "upsert"; readonly data: Partial<Create> } & Pick<UpsertOptions, "matchBy" | "onlyIf">)
  | { readonly op: "archive"; readonly id: string };

/** The result of one operation: the record if it succeeded, or the error of the single request. */
export type BatchItemResult<T> = {
  readonly index: number;
  readonly status: number;
  readonly result?: "created" | "updated" | "unchanged" | "archived";
  readonly data?: T;
  readonly error?: BatchError;
};

/** The operations on the records of one kind. */
export type Collection<T, Create, Update, Query> = {
  list(query?: Query & CallOptions): Pages<T>;
  get(id: string, options?: CallOptions & { readonly includeArchived?: boolean }): Promise<T>;
  /** Returns undefined if the record still has the `updatedAt` of `ifNoneMatch`. */
  get(
    id: string,
    options: CallOptions & { readonly includeArchived?: boolean; readonly ifNoneMatch: string },
  ): Promise<T | undefined>;
  create(body: Create, options?: WriteOptions): Promise<T>;
  update(id: string, body: Update, options?: ChangeOptions): Promise<T>;
  /** Returns what happened to the record, newest first, also if it is archived. */
  history(id: string, query?: { readonly limit?: number } & CallOptions): Pages<Event>;
  /** Excludes the record from lists until it is restored. */
  archive(id: string, options?: ChangeOptions): Promise<void>;
  /** Brings an archived record back. `changes` are fields to change at the same time, as in an update. */
  restore(id: string, options?: WriteOptions & { readonly changes?: Update }): Promise<T>;
  /** Updates the record that has the same value in the field `matchBy`, or creates one. */
  upsert(body: Partial<Create>, options: UpsertOptions): Promise<UpsertResult<T>>;
  /**
   * Runs up to 100 operations in order, and commits those that succeed together. With `atomic`, throws a `CrmError`
   * with status 422 if one fails, and nothing is written.
   */
  batch(
    operations: readonly BatchOperation<Create, Update>[],
    options?: WriteOptions & { readonly atomic?: boolean },
  ): Promise<readonly BatchItemResult<T>[]>;
  /**
   * Reads every record that has changed since the watermark, oldest change first, including archived records (with
   * `archivedAt`). Returns the next watermark. To resume after an interruption, pass the last one as `since`.
   */
  sync(options: SyncOptions<T>): Promise<string | undefined>;
};

export function createCollection<T, Create, Update, Query>(
  send: SendRequest,
  path: string,
): Collection<T, Create, Update, Query> {
  const recordPath = (id: string): string => `${path}/${encodeURIComponent(id)}`;
  const sendRecord = async (method: string, at: string, options: ChangeOptions & { body?: unknown }): Promise<T> =>
    unwrapData<T>((await send(method, at, options)).body);
  const getPage = (query: Record<string, unknown>, signal?: AbortSignal) =>
    requestPage<T>(send, path, query, signal ? { signal } : {});
  return {
    list: ({ signal, idempotencyKey: _, ...query } = {} as Query & CallOptions) =>
      pages((cursor) => getPage(cursor === undefined ? query : { ...query, cursor }, signal)),
    get: async (id: string, { includeArchived, ...options }: GetOptions = {}) => {
      const query = includeArchived === undefined ? {} : { query: { includeArchived } };
      const { body } = await send("GET", recordPath(id), { ...options, ...query });
      return (body === undefined ? undefined : unwrapData<T>(body)) as T;
    },
    history: (id, { signal, idempotencyKey: _, ...query } = {}) =>
      pages((cursor) =>
        requestPage<Event>(send, `${recordPath(id)}/history`, { ...query, cursor }, signal ? { signal } : {}),
      ),
    create: (body, options) => sendRecord("POST", path, { ...options, body }),
    update: (id, body, options) => sendRecord("PATCH", recordPath(id), { ...options, body }),
    archive: async (id, options) => void (await send("DELETE", recordPath(id), options)),
    restore: (id, { changes, ...options } = {}) =>
      sendRecord("POST", `${recordPath(id)}/restore`, { ...options, body: changes ?? {} }),
    async upsert(body, { matchBy, onlyIf, ...options }) {
      const response = await send("POST", `${path}/upsert`, { ...options, query: { matchBy, onlyIf }, body });
      const result = response.headers.get("x-upsert") ?? undefined;
      return { data: unwrapData<T>(response.body), result: result as UpsertResult<T>["result"] };
    },
    batch: async (operations, { atomic, ...options } = {}) =>
      unwrapData((await send("POST", `${path}/batch`, { ...options, body: { operations, atomic } })).body),
    sync: (options) => sync({ name: path.slice(1), ...options }, getPage),
  };
}

type GetOptions = CallOptions & { readonly includeArchived?: boolean; readonly ifNoneMatch?: string };

/** Returns `data` of a response body. */
export function unwrapData<T>(body: unknown): T {
  return (body as { data: T }).data;
}

/** Requests a page of a list. */
export async function requestPage<T>(
  send: SendRequest,
  path: string,
  query: object,
  { signal }: CallOptions = {},
): Promise<Page<T>> {
  const options = { query: query as Record<string, string>, ...(signal === undefined ? {} : { signal }) };
  return toPage(await send("GET", path, options));
}

/** Returns the page in a response. */
export function toPage<T>({ body, headers }: ClientResponse): Page<T> {
  const count = headers.get("x-total-count");
  return {
    ...(body as Pick<Page<T>, "data" | "nextCursor">),
    ...(count !== null && { count: { count: Number(count), isMinimum: headers.has("x-total-count-minimum") } }),
    nextUpdatedSince: headers.get("x-next-updated-since") ?? "",
  };
}

/** Returns the pages of a list. */
export function pages<T>(getPageAfter: (cursor: string | undefined) => Promise<Page<T>>): Pages<T> {
  async function* iterate(): AsyncGenerator<Page<T>> {
    let cursor: string | undefined;
    do {
      const next: Page<T> = await getPageAfter(cursor);
      yield next;
      cursor = next.nextCursor ?? undefined;
    } while (cursor !== undefined);
  }
  async function* records(): AsyncGenerator<T> {
    for await (const { data } of iterate()) yield* data;
  }
  return { [Symbol.asyncIterator]: iterate, records };
}

const missingWatermark =
  "The response has no X-Next-Updated-Since header. Check whether a proxy removes it or Access-Control-Expose-Headers hides it.";

/** Reads all pages from the watermark on, and stores it after each. `query` has the filters. Returns the watermark. */
export async function sync<T>(
  { since, checkpoints, name = "", onPage, onWatermark, limit = 200, signal }: SyncOptions<T>,
  getPage: (query: Record<string, unknown>, signal?: AbortSignal) => Promise<Page<T>>,
  query: Readonly<Record<string, unknown>> = { includeArchived: true },
): Promise<string | undefined> {
  let watermark = since ?? (await checkpoints?.load(name));
  let cursor: string | null = null;
  do {
    const start: Record<string, unknown> = { updatedSince: watermark, ...query };
    // Cursors become invalid when a backup is restored. Restart from the watermark.
    const next: Page<T> = await getPage({ limit, ...(cursor === null ? start : { cursor }) }, signal).catch((error) => {
      if (cursor === null || !(error instanceof CrmError) || error.code !== "invalid_cursor") throw error;
      return getPage({ limit, ...start }, signal);
    });
    // An empty watermark would restart the next sync from the beginning.
    if (next.nextUpdatedSince === "") throw new Error(missingWatermark);
    await onPage(next.data, next);
    watermark = next.nextUpdatedSince;
    await checkpoints?.save(name, watermark);
    await onWatermark?.(watermark);
    cursor = next.nextCursor;
  } while (cursor !== null);
  return watermark;
}
