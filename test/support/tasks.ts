import { after } from "node:test";
import { type Result, testCrm } from "./harness.ts";
import { dataOf, type ShownTask } from "./responses.ts";
import type { Tenant } from "./tenants.ts";

/** Opens an API with these tenants. `create` creates a task of the first one. */
export async function taskCrm(one: Tenant, ...others: readonly Tenant[]) {
  const { send, api, clock } = await testCrm([one, ...others]);
  after(() => api.close());
  const post = (body: Readonly<Record<string, unknown>>): Promise<Result> =>
    send("POST", "/tasks", { key: one.key, body });
  // The first request records the use of the API key. For a minute nothing else does, so all timestamps are known.
  await post({ title: "The first" });
  const create = async (body: Readonly<Record<string, unknown>>): Promise<ShownTask> => dataOf(await post(body), 201);
  return { send, clock, create, now: (): string => new Date(clock.now()).toISOString() };
}
