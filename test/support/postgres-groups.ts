import type { TestContext } from "node:test";
import pg from "pg";
import type { Storage } from "../../lib/index.ts";
import { commitNow, createTenant, idOf, insertWrite, newTask, startTime } from "../../lib/storage/contract/records.ts";
import { freshAddress, storageAt } from "./postgres-databases.ts";
import { type Interceptor, interceptedStorage } from "./postgres-interceptor.ts";

/** The verbs of the statements of a group commit, of one that locks the clock first, and of a transaction in steps. */
export const grouped = ["GROUP"];
export const locked = ["BEGIN", "GROUP", "COMMIT"];
export const inSteps = ["BEGIN", "WITH", "COMMIT"];
/** Whether a text is the statement of a group commit. */
export const isGroup = (text: string): boolean => text.includes("WITH plan AS");
/** Returns the error of the driver for a lost connection. */
export const gone = (): Error => new Error("Connection terminated unexpectedly");

/**
 * Locks the clock row of a tenant, as a transaction of another program would, until the returned function is called.
 */
export async function holdClock(t: TestContext, address: string, tenant: string): Promise<() => Promise<void>> {
  const client = new pg.Client({ connectionString: address });
  client.on("error", () => {});
  await client.connect();
  t.after(() => client.end());
  await client.query("BEGIN");
  await client.query("SELECT FROM tenant_clocks WHERE tenant_id = $1 FOR UPDATE", [tenant]);
  return async () => void (await client.query("COMMIT"));
}

/** Opens a storage that records its statements after the tenant is created, and a second storage for another server. */
export async function opened(t: TestContext, interfere: Interceptor = (_, send) => send()) {
  const address = await freshAddress();
  const sent: string[] = [];
  let isRecording = false;
  const storage = await interceptedStorage(address, (text, send) => {
    const verb = /^\s*(\w+)/.exec(text)?.[1] ?? "";
    if (!isRecording || verb === "SELECT") return send();
    sent.push(isGroup(text) ? "GROUP" : verb);
    return interfere(text, send);
  });
  const other = await storageAt(address);
  t.after(() => Promise.all([storage.close(), other.close()]));
  const tenant = await createTenant(storage, 1);
  isRecording = true;
  /** Commits a task and returns the commit time. Both times are relative to `startTime`. */
  const make = async (where: Storage, index: number, now: number): Promise<number> =>
    (await commitNow(where, tenant, startTime + now, (at) => [insertWrite("task", newTask(idOf(1, index), at))])) -
    startTime;
  const storedTasks = async () =>
    (await other.list(tenant, "task", {})).map(({ id, updatedAt }) => [id, updatedAt - startTime]);
  return { address, storage, other, tenant, sent, make, storedTasks };
}
