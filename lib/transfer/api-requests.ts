import type { BatchItemResult } from "../client/collection.ts";
import { joinList } from "../model/query-list.ts";
import type { CustomField } from "./column-target.ts";
import { collections, type Entity, entitiesWithFields } from "./entities.ts";
import type { SendBatch } from "./import-types.ts";
import { matchRecords, type Named } from "./record-index.ts";
import type { RecordFinder } from "./reference-resolver.ts";

/** A record as JSON of the API. */
export type ApiRecord = Readonly<Record<string, unknown>>;

/** A query of a list. Undefined values are omitted. */
export type TransferQuery = Readonly<Record<string, string | number | boolean | undefined>>;

/**
 * Sends a request to the API, such as `GET /accounts`. A POST gets the `idempotencyKey`, or a random one. Rejects with
 * an error that has the `status`, `code`, `message` and `details` of the response.
 */
export type TransferRequest = (
  method: "GET" | "POST",
  path: string,
  options: {
    readonly query?: TransferQuery;
    readonly body?: unknown;
    readonly dryRun?: boolean;
    readonly idempotencyKey?: string;
  },
) => Promise<{ readonly body: unknown; readonly headers?: Pick<Headers, "get"> }>;

/** Parallel requests. */
const maxParallel = 4;
/** The most values that one request can have. */
const maxValues = 100;
/** The most characters of the values of one request. Servers limit the length of a URL. */
const maxValueLength = 4_000;
/** The most UTF-16 units of a value that a record can have: 255 characters. */
const maxUnits = 510;
/** The most records per value. */
const maxFound = 4;
/** The most records of one request. */
const maxRecords = 200;

/** Reads the custom fields of an entity. Tasks and notes have none. */
export async function listCustomFields(
  request: TransferRequest,
  entity: Entity,
): Promise<readonly (CustomField & { readonly label: string })[]> {
  return entitiesWithFields.includes(entity) ? getData(request, "/custom-fields", { entity }) : [];
}

/**
 * Returns a function that sends batches over HTTP. `seed` is the same for the same file, options and tenant. For 24
 * hours, a row of the same file is then created only once.
 */
export function batchSender(request: TransferRequest, entity: Entity, seed: string): SendBatch {
  return async (operations, { dryRun, part }) => {
    const body = { operations: operations.map(({ operation }) => operation) };
    // Sending an update again does no harm, and its result can be another one by now.
    const isCreate = operations.every(({ operation }) => operation.op === "create");
    const options = { body, dryRun, ...(isCreate && !dryRun ? { idempotencyKey: `${seed} ${part}` } : {}) };
    try {
      const response = await request("POST", `/${collections[entity]}/batch`, options);
      const { data } = response.body as { readonly data: readonly BatchItemResult<{ readonly id: string }>[] };
      const isReplay = response.headers?.get("idempotent-replayed") === "true";
      return data.map(({ result, error, data: record }) => {
        if (error !== undefined) return { error };
        const item = { result: isReplay ? "unchanged" : (result as "created" | "updated" | "unchanged") } as const;
        return record === undefined ? item : { ...item, id: record.id };
      });
    } catch (error) {
      if ((error as { code?: unknown }).code !== "idempotency_key_reused") throw error;
      return operations.map(() => ({ error: { code: "idempotency_key_reused", message: changedMessage } }));
    }
  };
}

const changedMessage =
  "An earlier import of this file handled this row, and the records that its batch refers to have changed since. " +
  "Import the rejected rows of that import instead.";

/** Finds records with the filters of the lists. */
export function recordFinder(request: TransferRequest): RecordFinder {
  return {
    async all(kind) {
      if (kind === "user") return getData(request, "/users", {});
      const pipelines = await getData<readonly (Named & { readonly stages: readonly Named[] })[]>(
        request,
        "/pipelines",
        {},
      );
      if (kind === "pipeline") return pipelines;
      return pipelines.flatMap(({ id, stages }) => stages.map((stage) => ({ ...stage, pipelineId: id })));
    },
    async by(kind, field, values) {
      const path = `/${collections[kind as Entity]}`;
      const wanted = new Set(values.filter((value) => isFilterValue(field, value)));
      const found = await inParallel(partsOf([...wanted]), (part) => findAny(request, path, field, part));
      // Two parts can have different spellings of one value.
      const records = [...new Map(found.flat().map((record) => [record.id, record])).values()];
      return matchRecords(records, field, values).map((matches) => matches.slice(0, maxFound));
    },
  };
}

const forms: Readonly<Record<string, RegExp>> = {
  id: /^[0-9a-f-]{36}$/i,
  email: /^\s*[^\s@]+@[^\s@.]+(\.[^\s@.]+)+\s*$/,
};

/** Returns whether the filter of a field accepts a value, except in rare cases. */
function isFilterValue(field: string, value: string): boolean {
  return (forms[field] ?? /\S/).test(value) && value.length <= maxUnits;
}

/** Splits values into parts that one request can have. */
function partsOf(values: readonly string[]): readonly (readonly string[])[] {
  const parts: string[][] = [];
  let length = 0;
  for (const value of values) {
    const own = encodeURIComponent(value.toWellFormed()).length;
    length += own;
    const last = parts.at(-1);
    if (last !== undefined && last.length < maxValues && length <= maxValueLength) last.push(value);
    else {
      parts.push([value]);
      length = own;
    }
  }
  return parts;
}

/**
 * Returns the records with one of the values, at least `maxFound` for each value if it has more. Sends the halves if
 * not all records fit into a response, or if the filter rejects a value.
 */
async function findAny(
  request: TransferRequest,
  path: string,
  field: string,
  values: readonly string[],
): Promise<readonly Named[]> {
  const [only = "", ...more] = values;
  const filter = more.length === 0 && field !== "id" ? { [field]: only } : { [`${field}s`]: joinList(values) };
  const limit = more.length === 0 ? maxFound : maxRecords;
  try {
    const { body } = await request("GET", path, { query: { ...filter, limit } });
    const { data, nextCursor } = body as { readonly data: readonly Named[]; readonly nextCursor: string | null };
    if (nextCursor === null || more.length === 0) return data;
  } catch (error) {
    if (![400, 422].includes((error as { status?: number }).status ?? 0)) throw error;
    if (more.length === 0) return [];
  }
  const middle = Math.ceil(values.length / 2);
  const halves = [values.slice(0, middle), values.slice(middle)];
  return (await inParallel(halves, (half) => findAny(request, path, field, half))).flat();
}

/** Yields all records of an entity in pages, oldest change first. A record that changes during it is returned again. */
export async function* readPages(
  request: TransferRequest,
  entity: Entity,
  query: TransferQuery,
): AsyncGenerator<readonly ApiRecord[]> {
  let next: TransferQuery = { limit: 200, ...query };
  for (;;) {
    const { body } = await request("GET", `/${collections[entity]}`, { query: next });
    const { data, nextCursor } = body as {
      readonly data: readonly ApiRecord[];
      readonly nextCursor: string | null;
    };
    yield data;
    if (nextCursor === null) return;
    next = { limit: 200, cursor: nextCursor };
  }
}

async function getData<T>(request: TransferRequest, path: string, query: TransferQuery): Promise<T> {
  return ((await request("GET", path, { query })).body as { readonly data: T }).data;
}

async function inParallel<T, R>(values: readonly T[], work: (value: T) => Promise<R>): Promise<readonly R[]> {
  const results: R[] = [];
  for (let at = 0; at < values.length; at += maxParallel)
    results.push(...(await Promise.all(values.slice(at, at + maxParallel).map(work))));
  return results;
}
