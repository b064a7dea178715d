import type { BenchTenant, Crm } from "./database.ts";
import { customValues, epoch } from "./database.ts";
import type { LoadRequest } from "./load.ts";

const base = "/integrations/v1";

/** Returns pseudorandom numbers that are the same in every run. */
export function seededRandom(seed: number): (sides: number) => number {
  let state = seed;
  return (sides) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return (state >>> 8) % sides;
  };
}

const keyOf = ({ key }: BenchTenant): Readonly<Record<string, string>> => ({ "x-api-key": key });

/** Returns requests for pages of 50 at random positions, with cursors of the API. */
export async function randomPages({ tenants }: Crm, url: string, count: number): Promise<LoadRequest[]> {
  const random = seededRandom(7);
  const requests: LoadRequest[] = [];
  for (let made = 0; made < count; made++) {
    const tenant = tenants[random(tenants.length)] as BenchTenant;
    requests.push(await pageAt(tenant, url, random(tenant.tasks - 60)));
  }
  return requests;
}

/** Returns the request for the page of 50 after the task with this number. */
export async function pageAt(tenant: BenchTenant, url: string, number: number): Promise<LoadRequest> {
  const since = new Date(epoch + (number + 1) * 1_000).toISOString();
  const response = await fetch(`${url}${base}/tasks?limit=1&updatedSince=${since}`, { headers: keyOf(tenant) });
  const { nextCursor } = (await response.json()) as { nextCursor: string };
  return { path: `${base}/tasks?cursor=${nextCursor}&limit=50`, headers: keyOf(tenant) };
}

/** Returns requests for single accounts with twelve custom fields. */
export function randomAccounts({ tenants }: Crm, count: number): LoadRequest[] {
  const random = seededRandom(11);
  return Array.from({ length: count }, () => {
    const tenant = tenants[random(tenants.length)] as BenchTenant;
    return { path: `${base}/accounts/${tenant.accounts[random(tenant.accounts.length)]}`, headers: keyOf(tenant) };
  });
}

/** Returns requests that create accounts, each with a unique name and Idempotency-Key. */
export function creates({ tenants }: Crm, count: number): LoadRequest[] {
  const random = seededRandom(13);
  return Array.from({ length: count }, () => {
    const tenant = tenants[random(tenants.length)] as BenchTenant;
    const headers = { ...keyOf(tenant), "idempotency-key": crypto.randomUUID() };
    return { method: "POST", path: `${base}/accounts`, headers, body: newAccount() };
  });
}

/** Number of operations in a batch. */
export const batchSize = 100;

/** Returns requests that each create `batchSize` accounts. */
export function batchCreates({ tenants }: Crm, count: number): LoadRequest[] {
  const random = seededRandom(17);
  return Array.from({ length: count }, () => {
    const tenant = tenants[random(tenants.length)] as BenchTenant;
    const headers = { ...keyOf(tenant), "idempotency-key": crypto.randomUUID() };
    const operations = Array.from({ length: batchSize }, () => `{"op":"create","data":${newAccount()}}`);
    return {
      method: "POST",
      path: `${base}/accounts/batch`,
      headers,
      body: `{"operations":[${operations.join(",")}]}`,
    };
  });
}

export function newAccount(): string {
  const name = `New ${crypto.randomUUID()}`;
  return JSON.stringify({ name, phone: "+49 30 1", externalId: name, customFields: customValues(1) });
}
