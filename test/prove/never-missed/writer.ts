import assert from "node:assert/strict";
import { listPaths, requiredFields } from "../../support/entity-fields.ts";
import { type Crm, tenants, turns } from "./crm.ts";
import { fieldOf } from "./fields.ts";
import type { List, WriteStep } from "./history.ts";
import type { Shown } from "./ledger.ts";

/** Expected errors: archived record, duplicate name, forbidden change, archived reference. */
const rejections = [404, 409, 422];

/** Runs one step. A response may contain only committed states, and a POST sent twice must create one record. */
export async function write(crm: Crm, list: List, step: WriteStep, acknowledged: (act: string) => void): Promise<void> {
  const { act, pick } = step;
  const { kind } = list;
  const tenant = tenants[list.tenant] ?? tenants[0];
  await turns(step.turns);
  crm.clock.set(crm.clock.now() + step.stepMs);
  const records = crm.ledger.records(tenant.id, kind);
  const one = `${listPaths[kind]}/${records[pick % records.length]?.id}`;
  const send = async (method: string, path: string, body?: object, headers: Record<string, string> = {}) => {
    const result = await crm.call(method, path, { key: tenant.key, headers, ...(body && { body }) });
    if (rejections.includes(result.status)) return undefined;
    assert.ok(result.status < 300, `${method} ${path}: ${result.text}`);
    const shown = (result.body as { data: Shown } | undefined)?.data;
    const known = shown === undefined || crm.ledger.has(kind, shown);
    assert.ok(known, `returned but never committed: ${result.text}`);
    if (method !== "GET") acknowledged(act);
    return { shown, text: result.text };
  };
  const create = async (number: number): Promise<void> => {
    const id = crm.newId();
    const name = requiredFields(kind, `New ${id}`, tenant.account);
    const post = () =>
      send("POST", listPaths[kind], { ...name, ...fieldOf(tenant, kind, pick + number) }, { "idempotency-key": id });
    const responses = await Promise.all(step.twice ? [post(), post()] : [post()]);
    // Errors aren't stored, so one of the two may be rejected because of a later change.
    const texts = responses.flatMap((each) => each?.text ?? []);
    assert.ok(new Set(texts).size < 2, `one key, two responses: ${texts}`);
  };
  const same = async (): Promise<void> => {
    const shown = (await send("GET", one))?.shown;
    const names = Object.keys(fieldOf(tenant, kind, pick));
    if (shown !== undefined) await send("PATCH", one, Object.fromEntries(names.map((name) => [name, shown[name]])));
  };
  const acts = {
    create: () => create(0),
    flood: () => Promise.all(Array.from({ length: 130 + (pick % 90) }, (_, number) => create(number))),
    patch: () => send("PATCH", one, fieldOf(tenant, kind, pick)),
    same,
    archive: () => send("DELETE", one),
    restore: () => send("POST", `${one}/restore`),
  };
  await Promise.all(step.twice && act !== "create" && act !== "flood" ? [acts[act](), acts[act]()] : [acts[act]()]);
}
