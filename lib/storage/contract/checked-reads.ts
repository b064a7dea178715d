import assert from "node:assert/strict";
import { type Kind, models, type Records } from "../../model/kinds.ts";
import { toJsonText } from "../../model/record-json.ts";
import type { Query, Storage } from "../storage.ts";

/** Reads a record. Fails if its JSON differs. */
export async function getAndCheckJson<K extends Kind>(
  storage: Storage,
  tenant: string,
  kind: K,
  id: string,
): Promise<Records[K] | undefined> {
  const record = await storage.get(tenant, kind, id);
  const json = record?.archivedAt === null ? toJsonText(models[kind], record) : undefined;
  assert.equal(await storage.getJson(tenant, kind, id), json);
  return record;
}

/** Lists records. Fails if their JSON differs. */
export async function listAndCheckJson<K extends Kind>(
  storage: Storage,
  tenant: string,
  kind: K,
  query: Query,
): Promise<readonly Records[K][]> {
  const records = await storage.list(tenant, kind, query);
  const texts = records.map((record) => toJsonText(models[kind], record));
  assert.deepEqual(await storage.listJson(tenant, kind, query), texts);
  return records;
}
