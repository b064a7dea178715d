import assert from "node:assert/strict";
import { test } from "node:test";
import { wrapStorage } from "../../../lib/index.ts";
import { memoryStorage } from "../../../lib/storage/memory.ts";
import { one, openCrm } from "../../support/crm.ts";

test("a replay reads only the stored response and runs no host rule", async () => {
  const memory = memoryStorage();
  const reads: string[] = [];
  const storage = wrapStorage(memory, {
    get: (tenant, kind, id) => {
      reads.push(kind);
      return memory.get(tenant, kind, id);
    },
    list: (tenant, kind, query) => {
      reads.push(kind);
      return memory.list(tenant, kind, query);
    },
  });
  let ruleCalls = 0;
  const rule = (): [] => {
    if (++ruleCalls > 1) throw new TypeError("The rule ran again.");
    return [];
  };
  const crm = await openCrm({}, { storage, rules: { task: [rule] } });
  const headers = { "idempotency-key": crypto.randomUUID() };
  const body = { title: "Call", relatedTo: { type: "account", id: one.account } };
  const post = () => crm.send("POST", "/tasks", { key: one.key, headers, body });
  const first = await post();
  assert.equal(first.status, 201);
  assert.ok(reads.includes("account"));
  // The request would be invalid now.
  assert.equal((await crm.send("DELETE", `/accounts/${one.account}`, { key: one.key })).status, 204);
  reads.length = 0;
  const replay = await post();
  assert.deepEqual([replay.status, replay.text, replay.headers.get("idempotent-replayed")], [201, first.text, "true"]);
  assert.deepEqual([reads, ruleCalls], [["idempotencyRecord"], 1]);
  await crm.api.close();
});
