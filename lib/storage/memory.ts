import { randomBytes } from "node:crypto";
import { type Kind, models, type Records } from "../model/kinds.ts";
import type { BaseRecord, Model } from "../model/model.ts";
import { normalizeEmail } from "../model/normalize.ts";
import { collectReferences } from "../model/references.ts";
import * as storageModule from "./storage.ts";

type Values = BaseRecord & Readonly<Record<string, unknown>>;
type RecordMap = Map<string, Values>;

/**
 * A storage in plain maps, for tests: exact in everything but its speed, which falls with what is kept. Nothing
 * outlives it. It is also the model that other storages are held to.
 */
export function memoryStorage(): storageModule.Storage {
  return new MemoryStorage();
}

/** Records by "tenant kind id". */
class MemoryStorage implements storageModule.Storage {
  #kept: RecordMap | undefined = new Map();
  readonly #clocks = new Map<string, number>();
  readonly #secret = randomBytes(32);
  readonly #json = storageModule.jsonReads(this);
  readonly getJson = this.#json.getJson;
  readonly listJson = this.#json.listJson;

  async get<K extends Kind>(tenant: string, kind: K, id: string): Promise<Records[K] | undefined> {
    return structuredClone(this.#open().get(`${tenant} ${kind} ${id}`)) as unknown as Records[K] | undefined;
  }

  async list<K extends Kind>(tenant: string, kind: K, query: storageModule.Query): Promise<readonly Records[K][]> {
    const found = ofKind(this.#open(), kind, tenant).map(([, record]) => record);
    const listed = found.filter((record) => answers(kind, record, query)).sort(order);
    return structuredClone(listed.slice(0, query.limit)) as unknown as Records[K][];
  }

  async commit(tenant: string, now: number, propose: (at: number) => readonly storageModule.Write[]): Promise<void> {
    const draft: RecordMap = new Map(this.#open());
    const at = Math.max(now, (this.#clocks.get(tenant) ?? 0) + 1);
    const writes = propose(at);
    const last = storageModule.advanceClock(at, writes);
    for (const write of writes) apply(draft, tenant, structuredClone(write));
    this.#kept = draft;
    if (writes.length > 0) this.#clocks.set(tenant, last);
  }

  async findApiKey(hash: string): Promise<storageModule.ApiKeyWithScopes | undefined> {
    const kept = this.#open();
    const [name = "", key] = ofKind(kept, "apiKey").find(([, record]) => record.hash === hash) ?? [];
    const [tenantId = ""] = name.split(" ");
    const integration = kept.get(`${tenantId} integration ${key?.integrationId}`);
    const owners = [key, integration, kept.get(`${tenantId} tenant ${tenantId}`)];
    if (owners.some((each) => each?.archivedAt !== null)) return undefined;
    return structuredClone({
      ...key,
      tenantId,
      scopes: integration?.scopes,
    }) as unknown as storageModule.ApiKeyWithScopes;
  }

  async listTenants(): Promise<readonly Records["tenant"][]> {
    const found = ofKind(this.#open(), "tenant").map(([, record]) => record as unknown as Records["tenant"]);
    const listed = found.filter(({ archivedAt }) => archivedAt === null);
    return structuredClone(listed.sort((a, b) => a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1)));
  }

  async activeOpportunities(tenant: string, emailKeys: readonly string[], limit: number) {
    const kept = this.#open();
    const nameOf = (kind: Kind, id: unknown) => kept.get(`${tenant} ${kind} ${id}`)?.name ?? null;
    const contacts = await this.list(tenant, "contact", {});
    const wanted = contacts.filter(({ email }) => email !== null && emailKeys.includes(normalizeEmail(email)));
    return Promise.all(
      wanted.map(async ({ id: contactId, email }) => {
        const open = await this.list(tenant, "opportunity", { where: { contactId, status: "open" } });
        const shown = open
          .toReversed()
          .slice(0, limit)
          .map((each) => active(each, nameOf));
        return { emailKey: normalizeEmail(email ?? ""), contactId, opportunities: shown };
      }),
    );
  }

  async cursorSecret(): Promise<Uint8Array> {
    return this.#open() && this.#secret;
  }

  async pruneIdempotencyRecords(before: number): Promise<number> {
    const old = ofKind(this.#open(), "idempotencyRecord").filter(([, record]) => record.createdAt < before);
    return old.slice(0, 500).filter(([name]) => this.#kept?.delete(name)).length;
  }

  async close(): Promise<void> {
    this.#kept = undefined;
  }

  #open(): RecordMap {
    if (this.#kept === undefined) throw new storageModule.StorageUnavailable("The storage is closed.");
    return this.#kept;
  }
}

function active(
  record: Records["opportunity"],
  nameOf: (kind: Kind, id: unknown) => unknown,
): storageModule.ActiveOpportunity {
  const { id, name, accountId, pipelineId, stageId, status, amount, currency, ownerId } = record;
  const [accountName, pipelineName] = [nameOf("account", accountId), nameOf("pipeline", pipelineId)];
  const names = { accountName, pipelineName, stageName: nameOf("stage", stageId) };
  const { expectedCloseDate, updatedAt } = record;
  const own = { id, name, accountId, pipelineId, stageId, status, amount, currency, ownerId };
  return { ...own, ...names, expectedCloseDate, updatedAt } as storageModule.ActiveOpportunity;
}

function apply(kept: RecordMap, tenant: string, write: storageModule.Write): void {
  const { kind, record } = write as unknown as { kind: Kind; record: Values };
  const own = `${tenant} ${kind} ${record.id}`;
  const was = kept.get(own)?.updatedAt;
  if (write.op === "update" && was !== write.expectedUpdatedAt)
    throw new storageModule.WriteConflict("stale", kind, "id", record.id);
  for (const [field, { unique }] of Object.entries((models[kind] as Model).fields)) {
    const folded = (each: Values) => each.archivedAt === null && unique?.(String(each[field] ?? ""));
    const others = ofKind(kept, kind, tenant).filter(([name, each]) => name !== own && folded(each));
    const other = others.find(([, each]) => folded(each) === folded(record));
    if (other !== undefined) throw new storageModule.WriteConflict("duplicate", kind, field, other[1].id);
  }
  if (write.op === "insert" && was !== undefined)
    throw new storageModule.WriteConflict("duplicate", kind, "id", record.id);
  const keys = kind === "apiKey" ? ofKind(kept, kind).filter(([name]) => name !== own) : [];
  const isTaken = keys.some(([, { hash }]) => hash === record.hash);
  if (isTaken) throw new storageModule.WriteConflict("duplicate", kind, "hash", record.id);
  kept.set(own, record);
  for (const { kind: other, id } of [...collectReferences(models[kind], record), { kind: "tenant", id: tenant }])
    if (!kept.has(`${tenant} ${other} ${id}`)) throw new Error(`${kind} ${record.id}: there is no ${other} ${id}`);
}

function answers(
  kind: Kind,
  record: Values,
  { where = {}, after, updatedSince = -Infinity, includeArchived }: storageModule.Query,
): boolean {
  if ((after && order(record, after) <= 0) || record.updatedAt < updatedSince) return false;
  const parts = { ...record, contactId: record.contactIds, relatedToId: (record.relatedTo as BaseRecord | null)?.id };
  const isWanted = ([field, wanted]: [string, unknown]): boolean => {
    const fold = (models[kind] as Model).fields[field]?.unique ?? String;
    const values = [(parts as Readonly<Record<string, unknown>>)[field] ?? []].flat().map((each) => fold(String(each)));
    return values.includes(fold(String(wanted)));
  };
  return (record.archivedAt === null || includeArchived === true) && Object.entries(where).every(isWanted);
}

function ofKind(kept: RecordMap, kind: Kind, tenant?: string): [string, Values][] {
  const names = (name: string) => name.split(" ") as [string, Kind];
  return [...kept].filter(([name]) => names(name)[1] === kind && (tenant ?? names(name)[0]) === names(name)[0]);
}

function order(a: storageModule.Position, b: storageModule.Position): number {
  return a.updatedAt - b.updatedAt || Number(a.id > b.id) - Number(a.id < b.id);
}
