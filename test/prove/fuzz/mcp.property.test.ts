import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { matchFields } from "../../../lib/api/upsert.ts";
import { type Entity, entityKinds, entityModels } from "../../../lib/model/entities.ts";
import { one } from "../../support/crm.ts";
import { mcpClient } from "../../support/mcp.ts";
import { bodyOf } from "../../support/random-bodies.ts";
import { watchedCrm } from "../bad-input/observed-crm.ts";
import { figures, seed, size } from "../size.ts";

const existing: Readonly<Record<Entity, string>> = one;

/** Fields whose random values belong to another tenant file. */
const foreign = ["customFields", "stageId"];

/** Returns operations of one kind, most of which succeed. */
function operationsOf(entity: Entity): fc.Arbitrary<Record<string, unknown>[]> {
  const data = bodyOf(entity, 40, 2).map((body) =>
    Object.fromEntries(Object.entries(body).filter(([name]) => !foreign.includes(name))),
  );
  const fields = matchFields(entityModels[entity]);
  const create = data.map((body) => ({ op: "create", data: body }));
  const update = data.map((body) => ({ op: "update", id: existing[entity], data: body }));
  const upsert = fc.tuple(fc.constantFrom(...fields, "externalId"), data).map(([matchBy, body]) => ({
    ...{ op: "upsert", matchBy },
    data: body,
  }));
  const kinds = fields.length === 0 ? [create, update] : [create, update, upsert];
  return fc.array(fc.oneof(...(kinds as fc.Arbitrary<Record<string, unknown>>[])), { minLength: 1, maxLength: 4 });
}

const changes = fc
  .constantFrom(...entityKinds)
  .chain((entity) => operationsOf(entity).map((operations) => ({ entity, operations })));

test("apply_changes returns what the batch request returns, and preview_changes writes nothing", async (t) => {
  // Two equal databases with equal IDs and clocks, if every request brings its own ID.
  const [tools, requests] = [await watchedCrm(), await watchedCrm()];
  const headers = { "x-request-id": "same" };
  const { call } = mcpClient(tools.api, { "x-api-key": one.key, ...headers });
  // The recorded use of an API key runs a handler again, which uses more IDs.
  const idle = () => Promise.all([tools.api.idle(), requests.api.idle()]);
  const counted = { changes: 0, succeeded: 0 };
  await fc.assert(
    fc.asyncProperty(changes, async ({ entity, operations }) => {
      for (const { clock } of [tools, requests]) clock.advance(1_000);
      const body = { operations, atomic: true };
      const path = `/${entityModels[entity].plural}/batch`;
      await idle();
      const before = tools.database.digest();
      const preview = await call("preview_changes", { entity, operations });
      assert.equal(tools.database.digest(), before);
      const dry = await requests.send("POST", path, { key: one.key, headers: { ...headers, prefer: "dry-run" }, body });
      assert.deepEqual(preview.structuredContent, dry.body);
      await idle();
      const applied = await call("apply_changes", { entity, operations });
      const batch = await requests.send("POST", path, { key: one.key, headers, body });
      assert.deepEqual(applied.structuredContent, batch.body);
      assert.equal(applied.isError === true, batch.status >= 400);
      counted.changes++;
      if (batch.status < 400) counted.succeeded++;
    }),
    // A failure leaves different databases, with which every shrunk case would fail.
    { seed, numRuns: size(100, 2_000), endOnFailure: true },
  );
  assert.ok(counted.succeeded * 10 > counted.changes, `only ${counted.succeeded} succeeded`);
  figures(t, "mcp.property", counted);
});
