import assert from "node:assert/strict";
import { test } from "node:test";
import { dataOf, openCrm, sales, service } from "../../support/crm.ts";

const archivedAt = "2026-01-05T08:00:00.000Z";
const rule = (field: string, when?: object) => ({ entity: "opportunity", field, ...(when && { when }) });
const { call } = await openCrm({
  "/rules": [
    { entity: "account", field: "customFields.size" },
    { entity: "contact", field: "customFields.note", archivedAt },
    rule("customFields.budget"),
    rule("customFields.since", { stageIds: [sales.offer, service.review] }),
    rule("amount", { stageIds: [sales.offer], statuses: ["open", "won"] }),
    rule("accountId", { stageIds: [sales.offer], statuses: ["lost"] }),
    rule("customFields.lines", { statuses: ["won"] }),
    rule("amount", { stageIds: [sales.offer, sales.contract] }),
  ],
  "/customFields/0/required": true,
});

async function requiredKeys(entity: string): Promise<unknown> {
  const fields = dataOf<{ key: string; required: boolean }[]>(await call("GET", `/custom-fields?entity=${entity}`));
  return fields.filter(({ required }) => required).map(({ key }) => key);
}

test("GET /custom-fields says that a field is required if the catalog or an unconditional rule requires it", async () => {
  assert.deepEqual(await requiredKeys("account"), ["note", "size"]);
  assert.deepEqual(await requiredKeys("contact"), []);
  assert.deepEqual(await requiredKeys("opportunity"), ["budget"]);
});

test("stages list the fields that rules require at that stage", async () => {
  type Shown = { stages: { id: string; requiredFields: string[] }[] };
  const pipelines = dataOf<Shown[]>(await call("GET", "/pipelines"));
  const stages = pipelines
    .flatMap((pipeline) => pipeline.stages)
    .filter(({ requiredFields }) => requiredFields.length > 0);
  assert.deepEqual(Object.fromEntries(stages.map(({ id, requiredFields }) => [id, requiredFields])), {
    [sales.offer]: ["amount", "customFields.since"],
    [sales.contract]: ["amount"],
    [service.review]: ["customFields.since"],
  });
  const one = dataOf<Shown>(await call("GET", `/pipelines/${sales.id}`));
  assert.deepEqual(
    one.stages.map(({ requiredFields }) => requiredFields),
    [[], ["amount", "customFields.since"], ["amount"]],
  );
});
