import type { BatchItemResult } from "../client/collection.ts";
import type { CustomField } from "./column-target.ts";
import { collections, type Entity } from "./entities.ts";
import type { SendBatch } from "./import-types.ts";
import type { Named } from "./record-index.ts";
import type { RecordFinder } from "./reference-resolver.ts";

/** A record as JSON of the API. */
export type ApiRecord = Readonly<Record<string, unknown>>;

/** A query of a list. Undefined values are omitted. */
export type TransferQuery = Readonly<Record<string, string | number | boolean | undefined>>;

/**
 * Sends a request to the API, such as `GET /accounts`. A POST gets the `idempotencyKey`, or a random one. Rejects with an
 * error that has the `status`, `code`, `message` and `details` of the response.
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
/** The most IDs that one request can have. */
const maxIds = 100;
/** The most records per value. */
const maxFound = 4;
/** The most records of a kind that are read to find many values. It takes 100 requests. */
const maxEvery = 20_000;

/** Reads the custom fields of an entity. Tasks and notes have none. */
export async function listCustomFields(
  request: TransferRequest,
  entity: Entity,
): Promise<readonly (CustomField & { readonly label: string })[]> {
  return entity === "task" || entity === "note" ? [] : getData(request, "/custom-fields", { entity });
}

/**
 * Returns a function that sends batches over HTTP. `seed` is the same for the same file, options and tenant. For 24 hours,
 * a row of the same file is then created only once.
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
      if (field === "id") return findByIds(request, path, values);
      return inParallel(values, (value) => findBy(request, path, { [field]: value, limit: maxFound }));
    },
    async every(kind) {
      const records = new Map<string, Named>();
      for await (const page of readPages(request, kind as Entity, {})) {
        for (const { id, name, email, externalId } of page as unknown as readonly Required<Named>[])
          records.set(id, { id, name, email, externalId });
        if (records.size > maxEvery) return undefined;
      }
      return [...records.values()];
    },
  };
}

async function findByIds(request: TransferRequest, path: string, values: readonly string[]) {
  const ids = [...new Set(values.map((id) => id.toLowerCase()))].filter((id) => /^[0-9a-f-]{36}$/.test(id));
  const parts = Array.from({ length: Math.ceil(ids.length / maxIds) }, (_, part) =>
    ids.slice(part * maxIds, (part + 1) * maxIds).join(","),
  );
  const found = await inParallel(parts, (part) => findBy(request, path, { ids: part, limit: maxIds }));
  const byId = new Map(found.flat().map((record) => [record.id, record]));
  return values.map((id) => byId.get(id.toLowerCase()) ?? []).map((each) => [each].flat());
}

/** Returns no records if the filter rejects the value, such as text that isn't an email address. */
async function findBy(request: TransferRequest, path: string, query: TransferQuery): Promise<readonly Named[]> {
  try {
    return await getData(request, path, query);
  } catch (error) {
    if ((error as { status?: unknown }).status === 400) return [];
    throw error;
  }
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
