import assert from "node:assert/strict";
import { describe, type TestContext, test } from "node:test";
import pg from "pg";
import { type Storage, StorageUnavailable, WriteConflict } from "../../lib/index.ts";
import {
  commitNow,
  createTenant,
  idOf,
  insertWrite,
  newAccount,
  newTask,
  startTime,
  updateWrite,
} from "../../lib/storage/contract/records.ts";
import { freshAddress, storageAt } from "../support/postgres-place.ts";
import { postgresAbsent } from "../support/postgres-server.ts";
import { hinderedStorage, type Interfering } from "../support/postgres-watch.ts";

const pipelined = ["BEGIN IF", "WITH", "COMMIT"];
const inSteps = ["BEGIN", "WITH", "COMMIT"];
/** The error of the driver for a lost connection. */
const gone = (): Error => new Error("Connection terminated unexpectedly");

/** Opens a storage that records its statements after the tenant is created, and a second storage for another server. */
async function opened(t: TestContext, interfere: Interfering = (_, send) => send()) {
  const address = await freshAddress();
  const sent: string[] = [];
  let isRecording = false;
  const storage = await hinderedStorage(address, (text, send) => {
    const verb = /^\w+/.exec(text)?.[0] ?? "";
    if (!isRecording || verb === "SELECT") return send();
    sent.push(text.includes("/ count") ? "BEGIN IF" : verb);
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
  const kept = async () =>
    (await other.list(tenant, "task", {})).map(({ id, updatedAt }) => [id, updatedAt - startTime]);
  return { address, storage, other, tenant, sent, make, kept };
}

describe("A pipelined PostgreSQL commit", { skip: postgresAbsent, timeout: 120_000 }, () => {
  test("detects a clock that another server advanced, and guesses again after four right guesses", async (t) => {
    const { storage, other, sent, make, kept } = await opened(t);
    assert.equal(await make(other, 1, 10), 10);
    assert.equal(await make(storage, 2, 10), 11);
    assert.deepEqual(sent.splice(0), [...pipelined, ...inSteps]);
    assert.equal(await make(other, 3, 5_000), 5_000);
    assert.equal(await make(storage, 4, 20), 5_001);
    // After a wrong guess, the next four commits run in steps.
    for (const index of [5, 6, 7, 8, 9]) assert.equal(await make(storage, index, 21), 4_997 + index);
    assert.deepEqual(sent, [...Array.from({ length: 5 }, () => inSteps).flat(), ...pipelined]);
    const instants = [10, 11, 5_000, 5_001, 5_002, 5_003, 5_004, 5_005, 5_006];
    assert.deepEqual(
      await kept(),
      instants.map((at, index) => [idOf(1, index + 1), at]),
    );
  });

  test("combines waiting commits, each with its own commit time", async (t) => {
    const { storage, sent, make, kept } = await opened(t);
    const instants = await Promise.all([1, 2, 3, 4].map((index) => make(storage, index, 10)));
    assert.deepEqual(instants, [10, 11, 12, 13]);
    // The first commit runs alone. The others arrive while it runs.
    assert.deepEqual(sent, [...pipelined, ...pipelined]);
    assert.deepEqual(
      await kept(),
      instants.map((at, index) => [idOf(1, index + 1), at]),
    );
  });

  test("sends nothing if there are no writes or propose throws", async (t) => {
    const { storage, tenant, sent, make } = await opened(t);
    const no = new Error("no");
    const refusing = () => {
      throw no;
    };
    await storage.commit(tenant, startTime + 10, () => []);
    await assert.rejects(storage.commit(tenant, startTime + 10, refusing), no);
    assert.deepEqual(sent, []);
    assert.equal(await make(storage, 1, 1), 1);
  });

  test("reports the same WriteConflict as a commit in steps", async (t) => {
    const { storage, tenant } = await opened(t);
    const [kept, two] = [newAccount(idOf(1, 1), startTime + 1, { name: "Acme" }), idOf(1, 2)];
    await storage.commit(tenant, startTime + 1, () => [insertWrite("account", kept)]);
    await storage.commit(tenant, startTime + 2, (at) => [updateWrite("account", kept, { phone: "1", updatedAt: at })]);
    const refusals = [
      [
        new WriteConflict("duplicate", "account", "name", kept.id),
        insertWrite("account", newAccount(two, startTime + 9, { name: " ACME" })),
      ],
      [
        new WriteConflict("duplicate", "account", "id", kept.id),
        insertWrite("account", newAccount(kept.id, startTime + 9)),
      ],
      [
        new WriteConflict("stale", "account", "id", kept.id),
        updateWrite("account", kept, { updatedAt: startTime + 9 }),
      ],
    ] as const;
    for (const [refusal, write] of refusals)
      await assert.rejects(
        storage.commit(tenant, startTime + 9, () => [insertWrite("task", newTask(idOf(1, 7), startTime + 9)), write]),
        refusal,
      );
    assert.deepEqual(await storage.list(tenant, "task", {}), []);
    assert.equal((await storage.list(tenant, "account", {})).length, 1);
  });

  test("retries in steps if PostgreSQL rolls back at COMMIT", async (t) => {
    let answers = 1;
    const rolledBack: Interfering = (text, send) => (text === "COMMIT" && answers-- > 0 ? send("ROLLBACK") : send());
    const { storage, sent, make, kept } = await opened(t, rolledBack);
    assert.equal(await make(storage, 1, 10), 10);
    assert.deepEqual(sent, [...pipelined, ...inSteps]);
    answers = 2;
    await assert.rejects(make(storage, 2, 20), StorageUnavailable);
    assert.deepEqual(await kept(), [[idOf(1, 1), 10]]);
  });

  test("writes nothing if BEGIN fails", async (t) => {
    let failing = 1;
    const unbegun: Interfering = (text, send) =>
      text.startsWith("BEGIN") && failing-- > 0 ? send("SELECT 1 / 0") : send();
    const { storage, sent, make, kept } = await opened(t, unbegun);
    assert.equal(await make(storage, 1, 10), 10);
    assert.deepEqual(sent, [...pipelined, ...inSteps]);
    assert.deepEqual(await kept(), [[idOf(1, 1), 10]]);
  });

  test("rejects with StorageUnavailable and doesn't retry if COMMIT gets no response", async (t) => {
    let lost: "kept" | "refused" | undefined;
    const cut: Interfering = async (text, send) => {
      if (lost === "refused" && text.startsWith("BEGIN")) return send("SELECT 1 / 0");
      const answer = await send();
      if (lost !== undefined && text === "COMMIT") throw gone();
      return answer;
    };
    const { storage, sent, make, kept } = await opened(t, cut);
    for (lost of ["kept", "refused"] as const) {
      await assert.rejects(make(storage, lost === "kept" ? 1 : 2, 10), StorageUnavailable);
      assert.deepEqual(sent.splice(0), [...pipelined, "ROLLBACK"]);
    }
    assert.deepEqual(await kept(), [[idOf(1, 1), 10]]);
    lost = undefined;
    assert.equal(await make(storage, 3, 10), 11);
  });

  test("rejects with StorageUnavailable after one lock timeout", async (t) => {
    const { address, storage, tenant, sent, make } = await opened(t);
    const holder = new pg.Client({ connectionString: address });
    await holder.connect();
    await holder.query("BEGIN");
    await holder.query("SELECT FROM tenant_clocks WHERE tenant_id = $1 FOR UPDATE", [tenant]);
    await assert.rejects(make(storage, 1, 10), StorageUnavailable);
    assert.deepEqual(sent, pipelined);
    await holder.end();
    assert.equal(await make(storage, 1, 10), 10);
  });
});
