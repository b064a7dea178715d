import { randomBytes } from "node:crypto";
import { type Kind, models, type Records } from "../model/kinds.ts";
import type { Model } from "../model/model.ts";
import { normalizeEmail } from "../model/normalize.ts";
import { collectReferences } from "../model/references.ts";
import type { ActiveOpportunity } from "./active-opportunity.ts";
import {
  compareListed,
  comparePosition,
  countListed,
  matchesQuery,
  matchWords,
  type RecordValues,
} from "./query-matching.ts";
import * as storageModule from "./storage.ts";

type RecordMap = Map<string, RecordValues>;

/**
 * Creates a storage in memory, for tests. It is slow: each commit copies a map of all records. It is also the model
 * that tests compare other storages with.
 */
export function memoryStorage(): storageModule.Storage {
  return new MemoryStorage();
}

/** Stores records in a map with keys of the form "tenantId kind id". */
class MemoryStorage implements storageModule.Storage {
  #records: RecordMap | undefined = new Map();
  readonly #clocks = new Map<string, number>();
  readonly #settingsVersions = new Map<string, number>();
  readonly #eventsFrom = new Map<string, number>();
  readonly #secret = randomBytes(32);
  readonly #json = storageModule.deriveJsonReads(this);
  readonly getJson = this.#json.getJson;
  readonly listJson = this.#json.listJson;

  async get<K extends Kind>(tenant: string, kind: K, id: string): Promise<Records[K] | undefined> {
    return structuredClone(this.#requireOpen().get(`${tenant} ${kind} ${id}`)) as unknown as Records[K] | undefined;
  }

  async list<K extends Kind>(tenant: string, kind: K, query: storageModule.Query): Promise<readonly Records[K][]> {
    const found = ofKind(this.#requireOpen(), kind, tenant).map(([, record]) => record);
    const listed = found
      .filter((record) => matchesQuery(kind, record, query))
      .sort((a, b) => compareListed(query, a, b));
    return structuredClone(listed.slice(0, query.limit)) as unknown as Records[K][];
  }

  async commit(
    tenant: string,
    now: number,
    propose: (at: number) => readonly storageModule.Write[],
    conditions: storageModule.CommitConditions = {},
  ): Promise<void> {
    const changed: RecordMap = new Map(this.#requireOpen());
    const at = Math.max(now, (this.#clocks.get(tenant) ?? 0) + 1);
    const writes = propose(at);
    const last = storageModule.advanceClock(at, writes);
    storageModule.assertSettingsVersion(tenant, this.#settingsVersions.get(tenant) ?? 0, conditions);
    if (conditions.none !== undefined) assertNone(changed, tenant, conditions.none);
    for (const write of writes) apply(changed, tenant, structuredClone(write));
    this.#records = changed;
    if (writes.length > 0) this.#clocks.set(tenant, last);
    if (writes.length > 0 && !this.#eventsFrom.has(tenant)) this.#eventsFrom.set(tenant, last);
    if (storageModule.changesSettings(writes)) this.#settingsVersions.set(tenant, last);
  }

  async settingsVersion(tenant: string): Promise<number> {
    return this.#requireOpen() && (this.#settingsVersions.get(tenant) ?? 0);
  }

  async findApiKey(hash: string): Promise<storageModule.ApiKeyWithScopes | undefined> {
    const records = this.#requireOpen();
    const [name = "", key] = ofKind(records, "apiKey").find(([, record]) => record.hash === hash) ?? [];
    const [tenantId = ""] = name.split(" ");
    const integration = records.get(`${tenantId} integration ${key?.integrationId}`);
    const owners = [key, integration, records.get(`${tenantId} tenant ${tenantId}`)];
    if (owners.some((each) => each?.archivedAt !== null)) return undefined;
    return structuredClone({
      ...key,
      tenantId,
      scopes: integration?.scopes,
    }) as unknown as storageModule.ApiKeyWithScopes;
  }

  async listTenants(): Promise<readonly Records["tenant"][]> {
    const found = ofKind(this.#requireOpen(), "tenant").map(([, record]) => record as unknown as Records["tenant"]);
    return structuredClone(found.sort((a, b) => a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1)));
  }

  async webhookClocks(): Promise<readonly storageModule.TenantClock[]> {
    const records = this.#requireOpen();
    const hooks = ofKind(records, "webhook").filter(([, { archivedAt }]) => archivedAt === null);
    const ids = new Set(hooks.map(([name]) => name.split(" ")[0] ?? ""));
    return [...ids].flatMap((tenantId) => {
      if (records.get(`${tenantId} tenant ${tenantId}`)?.archivedAt !== null) return [];
      const settingsVersion = this.#settingsVersions.get(tenantId) ?? 0;
      return [{ tenantId, lastAt: this.#clocks.get(tenantId) ?? 0, settingsVersion }];
    });
  }

  async activeOpportunities(tenant: string, emailKeys: readonly string[], limit: number) {
    const records = this.#requireOpen();
    const nameOf = (kind: Kind, id: unknown) => records.get(`${tenant} ${kind} ${id}`)?.name ?? null;
    const contacts = await this.list(tenant, "contact", {});
    const matching = contacts.filter(({ email }) => email !== null && emailKeys.includes(normalizeEmail(email)));
    return Promise.all(
      matching.map(async ({ id: contactId, email }) => {
        const open = await this.list(tenant, "opportunity", { where: { contactId, status: "open" } });
        const newest = open
          .toReversed()
          .slice(0, limit)
          .map((each) => toActiveOpportunity(each, nameOf));
        return { emailKey: normalizeEmail(email ?? ""), contactId, opportunities: newest };
      }),
    );
  }

  async search(tenant: string, { words, kinds, limit }: storageModule.SearchQuery) {
    const records = kinds.flatMap((kind) =>
      ofKind(this.#requireOpen(), kind, tenant).map(([, record]) => ({ kind, record })),
    );
    const found = records.flatMap(({ kind, record }) => {
      const match = record.archivedAt === null ? matchWords(record, words) : undefined;
      return match === undefined ? [] : [{ kind, record, isWhole: match === "whole" }];
    });
    found.sort((a, b) => Number(b.isWhole) - Number(a.isWhole) || comparePosition(b.record, a.record));
    return found.slice(0, limit).map(({ kind, record }) => ({ kind, id: record.id }));
  }

  count(tenant: string, kind: Kind, query: storageModule.Query, max: number) {
    return countListed(this, tenant, kind, query, max);
  }

  async openTotals(tenant: string, max: number): Promise<readonly storageModule.OpenTotal[]> {
    const open = await this.list(tenant, "opportunity", { where: { status: "open" } });
    const groups = Object.groupBy(open.slice(-max), ({ stageId, currency }) => `${stageId} ${currency}`);
    return Object.values(groups).map((group = []) => {
      const { pipelineId, stageId, currency } = group[0] as Records["opportunity"];
      const amount = group.reduce((sum, each) => sum + (each.amount ?? 0), 0);
      return { pipelineId, stageId, currency, count: group.length, amount };
    });
  }

  async cursorSecret(): Promise<Uint8Array> {
    return this.#requireOpen() && this.#secret;
  }

  async pruneIdempotencyRecords(before: number): Promise<number> {
    const old = ofKind(this.#requireOpen(), "idempotencyRecord").filter(([, record]) => record.createdAt < before);
    return old.slice(0, 500).filter(([name]) => this.#records?.delete(name)).length;
  }

  async eventsFrom(tenant: string): Promise<number> {
    return this.#requireOpen() && (this.#eventsFrom.get(tenant) ?? 0);
  }

  async pruneEvents(tenant: string, before: number): Promise<number> {
    const events = ofKind(this.#requireOpen(), "event", tenant).sort(([, a], [, b]) => comparePosition(a, b));
    const last = events.filter(([, { updatedAt }]) => updatedAt < before)[storageModule.maxPrunedEvents - 1];
    const end = last === undefined ? before : last[1].updatedAt + 1;
    const old = events.filter(([, { updatedAt }]) => updatedAt < end);
    const newest = old.at(-1);
    if (newest !== undefined) this.#eventsFrom.set(tenant, newest[1].updatedAt + 1);
    return old.filter(([name]) => this.#records?.delete(name)).length;
  }

  async close(): Promise<void> {
    this.#records = undefined;
  }

  #requireOpen(): RecordMap {
    if (this.#records === undefined) throw new storageModule.StorageUnavailable("The storage is closed.");
    return this.#records;
  }
}

function toActiveOpportunity(
  record: Records["opportunity"],
  nameOf: (kind: Kind, id: unknown) => unknown,
): ActiveOpportunity {
  const { id, name, accountId, pipelineId, stageId, status, amount, currency, ownerId } = record;
  const [accountName, pipelineName] = [nameOf("account", accountId), nameOf("pipeline", pipelineId)];
  const names = { accountName, pipelineName, stageName: nameOf("stage", stageId) };
  const { expectedCloseDate, updatedAt } = record;
  const fields = { id, name, accountId, pipelineId, stageId, status, amount, currency, ownerId };
  return { ...fields, ...names, expectedCloseDate, updatedAt } as ActiveOpportunity;
}

function assertNone(records: RecordMap, tenant: string, none: storageModule.NoMatch): void {
  const match = ofKind(records, none.kind, tenant).find(([, each]) => matchesQuery(none.kind, each, none));
  if (match !== undefined) throw storageModule.matchConflict(none, match[1].id);
}

function apply(records: RecordMap, tenant: string, write: storageModule.Write): void {
  const { kind, record } = write as unknown as { kind: Kind; record: RecordValues };
  const name = `${tenant} ${kind} ${record.id}`;
  const stored = records.get(name)?.updatedAt;
  if (write.op === "update" && stored !== write.expectedUpdatedAt)
    throw new storageModule.WriteConflict("stale", kind, "id", record.id);
  for (const [field, { unique, uniqueWithin = "" }] of Object.entries((models[kind] as Model).fields)) {
    const keyOf = ({ archivedAt, [field]: value, [uniqueWithin]: within }: RecordValues) =>
      unique !== undefined && archivedAt === null && typeof value === "string"
        ? `${within} ${unique(value)}`
        : undefined;
    const key = keyOf(record);
    const isSame = ([other, each]: [string, RecordValues]): boolean => other !== name && keyOf(each) === key;
    const other = key === undefined ? undefined : ofKind(records, kind, tenant).find(isSame);
    if (other !== undefined) throw new storageModule.WriteConflict("duplicate", kind, field, other[1].id);
  }
  if (write.op === "insert" && stored !== undefined)
    throw new storageModule.WriteConflict("duplicate", kind, "id", record.id);
  const keys = kind === "apiKey" ? ofKind(records, kind).filter(([other]) => other !== name) : [];
  const isDuplicate = keys.some(([, { hash }]) => hash === record.hash);
  if (isDuplicate) throw new storageModule.WriteConflict("duplicate", kind, "hash", record.id);
  records.set(name, record);
  for (const { kind: other, id } of [...collectReferences(models[kind], record), { kind: "tenant", id: tenant }])
    if (!records.has(`${tenant} ${other} ${id}`)) throw new Error(`${kind} ${record.id}: no ${other} ${id}`);
}

function ofKind(records: RecordMap, kind: Kind, tenant?: string): [string, RecordValues][] {
  const start = `${tenant} ${kind} `;
  return [...records].filter(([name]) => (tenant === undefined ? name.split(" ")[1] === kind : name.startsWith(start)));
}
