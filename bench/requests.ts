import type { BenchTenant, Crm } from "./database.ts";
import { customValues } from "./database.ts";
import type { Ask } from "./load.ts";

const base = "/integrations/v1";

/** Numbers that look random and are the same every time. */
export function dice(seed: number): (sides: number) => number {
  let state = seed;
  return (sides) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return (state >>> 8) % sides;
  };
}

const epoch = Date.parse("2025-01-06T08:00:00.000Z");
const keyOf = ({ key }: BenchTenant): Readonly<Record<string, string>> => ({ "x-api-key": key });

/** Pages of 50 that begin anywhere: each cursor is the API's own. */
export async function pagesAnywhere({ tenants }: Crm, url: string, count: number): Promise<Ask[]> {
  const roll = dice(7);
  const asks: Ask[] = [];
  for (let made = 0; made < count; made++) {
    const tenant = tenants[roll(tenants.length)] as BenchTenant;
    asks.push(await pageAt(tenant, url, roll(tenant.tasks - 60)));
  }
  return asks;
}

/** The page of 50 that begins behind the task of this number. */
export async function pageAt(tenant: BenchTenant, url: string, number: number): Promise<Ask> {
  const since = new Date(epoch + (number + 1) * 1_000).toISOString();
  const response = await fetch(`${url}${base}/tasks?limit=1&updatedSince=${since}`, { headers: keyOf(tenant) });
  const { nextCursor } = (await response.json()) as { nextCursor: string };
  return { path: `${base}/tasks?cursor=${nextCursor}&limit=50`, headers: keyOf(tenant) };
}

/** Single accounts, each with twelve custom fields. */
export function accountsAnywhere({ tenants }: Crm, count: number): Ask[] {
  const roll = dice(11);
  return Array.from({ length: count }, () => {
    const tenant = tenants[roll(tenants.length)] as BenchTenant;
    return { path: `${base}/accounts/${tenant.accounts[roll(tenant.accounts.length)]}`, headers: keyOf(tenant) };
  });
}

/** Accounts to be made, each with a name and an Idempotency-Key that nobody had. */
export function creates({ tenants }: Crm, count: number): Ask[] {
  const roll = dice(13);
  return Array.from({ length: count }, () => {
    const tenant = tenants[roll(tenants.length)] as BenchTenant;
    const headers = { ...keyOf(tenant), "idempotency-key": crypto.randomUUID() };
    return { method: "POST", path: `${base}/accounts`, headers, body: newAccount() };
  });
}

export function newAccount(): string {
  const name = `New ${crypto.randomUUID()}`;
  return JSON.stringify({ name, phone: "+49 30 1", externalId: name, customFields: customValues(1) });
}
