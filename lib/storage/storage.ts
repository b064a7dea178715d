import type { ApiKey } from "../model/integration.ts";
import { toJsonText } from "../model/json.ts";
import { type Kind, models, type Records } from "../model/kinds.ts";

/** A place in the order of a list, which is (updatedAt, id) ascending. */
export type Position = { readonly updatedAt: number; readonly id: string };

export type Query = {
  /**
   * Equality per field; a field with a unique folding is compared folded, a field of many ids (`contactIds`) goes by
   * the singular (`contactId`) and must be among them.
   */
  readonly where?: Readonly<Record<string, string | number | boolean>>;
  /** Only what comes after this place. */
  readonly after?: Position;
  /** Only what was updated at or after this time. */
  readonly updatedSince?: number;
  /** At most this many; all of them where it is absent. */
  readonly limit?: number;
  /** With the archived ones too, in the same order. They are left out otherwise. */
  readonly includeArchived?: boolean;
  /**
   * Only for `listJson`: the list may end after the record with which its JSON exceeds this many bytes, but not before
   * the second record. A storage may ignore it.
   */
  readonly maxBytes?: number;
};

/** A record as the JSON of answers, and its place in the order of a list. */
export type RecordJson = Position & { readonly json: string };

/** One change of one record. An update names the version it was made from, so that no other update is lost. */
export type Write = {
  [K in Kind]:
    | { readonly op: "insert"; readonly kind: K; readonly record: Records[K] }
    | { readonly op: "update"; readonly kind: K; readonly record: Records[K]; readonly expectedUpdatedAt: number };
}[Kind];

/** A key's record together with the scopes of its integration. */
export type ApiKeyWithScopes = ApiKey & { readonly tenantId: string; readonly scopes: readonly string[] };

/** An opportunity as the people it is about see it, with the names that its ids stand for. */
export type ActiveOpportunity = {
  readonly id: string;
  readonly name: string;
  readonly accountId: string | null;
  readonly accountName: string | null;
  readonly pipelineId: string;
  readonly pipelineName: string;
  readonly stageId: string;
  readonly stageName: string;
  readonly status: string;
  readonly amount: number | null;
  readonly currency: string | null;
  readonly ownerId: string | null;
  readonly expectedCloseDate: string | null;
  readonly updatedAt: number;
};

export type ActiveContact = {
  readonly emailKey: string;
  readonly contactId: string;
  readonly opportunities: readonly ActiveOpportunity[];
};

/** What a host has to provide to keep its records elsewhere. The contract suite says the rest. */
export interface Storage {
  get<K extends Kind>(tenant: string, kind: K, id: string): Promise<Records[K] | undefined>;
  /** Returns a record as response JSON, undefined if it is archived. See `jsonReads`. */
  getJson(tenant: string, kind: Kind, id: string): Promise<string | undefined>;
  /** Ordered by (updatedAt, id); one consistent snapshot per call. */
  list<K extends Kind>(tenant: string, kind: K, query: Query): Promise<readonly Records[K][]>;
  /** Returns the same list as `list`, each record as response JSON. See `jsonReads`. */
  listJson(tenant: string, kind: Kind, query: Query): Promise<readonly RecordJson[]>;
  /**
   * All writes or none, durable once it resolves. `at` is the tenant's next instant: `now` or, where a commit of
   * this tenant had that instant or a later one, the millisecond after it. Every record written must carry it as
   * `updatedAt`, except in the commit that creates the tenant, which may bring a history along. `propose` must be
   * pure: it may be called again, with another instant. What it throws refuses the commit and comes back as it is.
   * @throws WriteConflict @throws StorageUnavailable
   */
  commit(tenant: string, now: number, propose: (at: number) => readonly Write[]): Promise<void>;
  /**
   * The key with this SHA-256 (hex), of whatever tenant: the one look-up that crosses tenants. Not found where the
   * key, its integration or its tenant is archived.
   */
  findApiKey(hash: string): Promise<ApiKeyWithScopes | undefined>;
  /**
   * The contacts with these folded e-mail addresses, not archived, each with its open opportunities, not archived,
   * newest first, at most `limit`. One snapshot, however many addresses.
   */
  activeOpportunities(tenant: string, emailKeys: readonly string[], limit: number): Promise<readonly ActiveContact[]>;
  /** Every tenant that is not archived, the oldest first: for programs that run a storage, never for a caller of the API. */
  listTenants(): Promise<readonly Records["tenant"][]>;
  /** 32 random bytes or more, made with the storage and kept in it: they sign the cursors. */
  cursorSecret(): Promise<Uint8Array>;
  /** Forgets up to 500 idempotency records that were made before this time; answers how many. */
  pruneIdempotencyRecords(before: number): Promise<number>;
  close(): Promise<void>;
}

/** Returns `getJson` and `listJson` of a storage that reads JSON no faster than records. */
export function jsonReads(storage: Pick<Storage, "get" | "list">): Pick<Storage, "getJson" | "listJson"> {
  return {
    async getJson(tenant, kind, id) {
      const record = await storage.get(tenant, kind, id);
      return record?.archivedAt === null ? toJsonText(models[kind], record) : undefined;
    },
    async listJson(tenant, kind, query) {
      const records = await storage.list(tenant, kind, query);
      return records.map((record) => ({
        id: record.id,
        updatedAt: record.updatedAt,
        json: toJsonText(models[kind], record),
      }));
    },
  };
}

/** Why a commit was refused. Nothing of it was kept. */
export class WriteConflict extends Error {
  /** `duplicate`: the id or a unique value belongs to another record. `stale`: the record is no longer what was read. */
  readonly reason: "duplicate" | "stale";
  readonly kind: Kind;
  /** The field in the way: `id`, or one with a unique folding. */
  readonly field: string;
  /** The record in the way. */
  readonly id: string;

  constructor(reason: "duplicate" | "stale", kind: Kind, field: string, id: string) {
    super(`${kind} ${id}: ${field} is ${reason}`);
    this.name = "WriteConflict";
    this.reason = reason;
    this.kind = kind;
    this.field = field;
    this.id = id;
  }
}

/** The storage cannot be used just now: locked by others, out of space, closed. Whether a commit happened is unknown. */
export class StorageUnavailable extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "StorageUnavailable";
  }
}

/**
 * The tenant's clock after a commit at `at`. For adapters: to be asked before the writes are applied.
 * @throws TypeError where a record does not carry `at` though its tenant was there before.
 */
export function advanceClock(at: number, writes: readonly Write[]): number {
  const born = writes.some((write) => write.kind === "tenant" && write.op === "insert");
  let last = at;
  for (const { kind, record } of writes) {
    if (!born && record.updatedAt !== at) throw new TypeError(`${kind} ${record.id}: updatedAt must be ${at}`);
    last = Math.max(last, record.updatedAt);
  }
  return last;
}
