import assert from "node:assert/strict";
import { after, test } from "node:test";
import { loadTenantFile } from "../../../lib/tenant-file/index.ts";
import { type Result, sequentialIds, testCrm } from "../../support/harness.ts";
import { tenantFile, testTenant } from "../../support/tenants.ts";

const one = testTenant(1);
const two = testTenant(2);
const id = (sequence: number): string => `0196aaaa-0000-7000-8000-${String(sequence).padStart(12, "0")}`;
const day = (number: number): string => new Date(Date.UTC(2026, 0, number)).toISOString();
const [carla, busy, idle, gone, rich] = [one.contact, id(1), id(2), id(3), id(4)];

/**
 * Contacts of many kinds. `busy` has 60 open opportunities, some of them between others that don't count.
 */
function file(): Record<string, unknown> {
  const { contacts, opportunities, ...rest } = tenantFile(one) as Record<"contacts" | "opportunities", object[]>;
  const stage = { pipelineId: one.pipeline, stageId: one.stage };
  const many = Array.from({ length: 60 }, (_, index) => {
    return {
      id: id(100 + index),
      name: `Order ${index}`,
      contactIds: [idle, busy],
      updatedAt: day(index + 1),
      ...stage,
    };
  });
  const others = [
    { name: "Won", status: "won", closedAt: day(30), contactIds: [idle, busy], updatedAt: day(70) },
    { name: "Lost", status: "lost", closedAt: day(30), contactIds: [busy], updatedAt: day(71) },
    { name: "Archived", archivedAt: day(72), contactIds: [busy], updatedAt: day(72) },
    { name: "Without contacts", contactIds: [], updatedAt: day(73) },
  ];
  const whole = {
    ...{
      id: id(9),
      name: "Whole",
      accountId: one.account,
      contactIds: [rich],
      amount: 12345678901234.56,
      currency: "EUR",
    },
    ...{ expectedCloseDate: "2026-12-31", ownerId: one.member, updatedAt: day(5) },
  };
  const people = [
    { id: busy, name: "Bea", email: "Bea.Busy@Acme.test" },
    { id: idle, name: "Ida", email: "ida@acme.test" },
    { id: gone, name: "Gone", email: "gone@acme.test", archivedAt: day(9) },
    { id: rich, name: "Rich", email: "ríchárd@acme.test" },
  ];
  const more = [...many, ...[...others, whole].map((each) => ({ ...each, ...stage }))];
  return { ...rest, contacts: [...contacts, ...people], opportunities: [...opportunities, ...more] };
}

const ids = sequentialIds();
const { api, send, storage, clock } = await testCrm([two], { ids });
await loadTenantFile(storage, file(), { clock, newId: ids });
after(() => api.close());

type Item = {
  email: string;
  contactId: string | null;
  opportunities: { id: string; updatedAt: string }[];
  hasMore: boolean;
};

function listActive(body: unknown, key = one.key): Promise<Result> {
  return send("POST", "/contacts/opportunities/active", { key, body });
}

async function activeOf(...emails: string[]): Promise<Item[]> {
  const result = await listActive({ tenantId: one.id, emails });
  assert.equal(result.status, 200, result.text);
  return (result.body as { data: Item[] }).data;
}

test("an opportunity contains the names of its references and its exact amount", async () => {
  assert.deepEqual(await activeOf("ríchárd@acme.test"), [
    {
      email: "ríchárd@acme.test",
      contactId: rich,
      opportunities: [
        {
          ...{ id: id(9), name: "Whole", accountId: one.account, accountName: "Acme" },
          ...{ pipelineId: one.pipeline, pipelineName: "Sales", stageId: one.stage, stageName: "New", status: "open" },
          ...{ amount: 12345678901234.56, currency: "EUR", ownerId: one.member, expectedCloseDate: "2026-12-31" },
          updatedAt: day(5),
        },
      ],
      hasMore: false,
    },
  ]);
  const [found] = await activeOf("carla@acme.test");
  const absent = { amount: null, currency: null, ownerId: null, expectedCloseDate: null };
  assert.deepEqual(
    found?.opportunities.map((each) => ({ ...each, ...absent })),
    found?.opportunities,
  );
  assert.equal(found?.opportunities.length, 1);
});

test("the response has one item per distinct address, in request order", async () => {
  const items = await activeOf(
    "missing@acme.test",
    "CARLA@acme.test",
    "ida@acme.test",
    "carla@ACME.test",
    " MISSING@acme.test ",
  );
  assert.deepEqual(
    items.map(({ email, contactId, opportunities }) => [email, contactId, opportunities.length]),
    [
      ["missing@acme.test", null, 0],
      ["CARLA@acme.test", carla, 1],
      ["ida@acme.test", idle, 50],
    ],
  );
});

test("each contact lists up to 50 open, unarchived opportunities, newest first", async () => {
  const newest = Array.from({ length: 50 }, (_, index) => [id(159 - index), day(60 - index)]);
  for (const item of await activeOf("bea.busy@acme.test", "ida@acme.test")) {
    assert.deepEqual(
      item.opportunities.map((each) => [each.id, each.updatedAt]),
      newest,
    );
    assert.equal(item.hasMore, true);
  }
});

test("ignores archived contacts and contacts of other tenants", async () => {
  assert.deepEqual(await activeOf("gone@acme.test"), [
    { email: "gone@acme.test", contactId: null, opportunities: [], hasMore: false },
  ]);
  const theirs = await listActive({ tenantId: two.id, emails: ["carla@acme.test", "ida@acme.test"] }, two.key);
  const { data } = theirs.body as { data: Item[] };
  assert.deepEqual(
    data.map(({ contactId, opportunities }) => [contactId, opportunities.map((each) => each.id)]),
    [
      [two.contact, [two.opportunity]],
      [null, []],
    ],
  );
  assert.deepEqual(
    (await activeOf("carla@acme.test")).map((item) => item.contactId),
    [carla],
  );
});

test("opportunities that were won, archived or unlinked are no longer returned, and reopened ones are", async () => {
  const path = `/opportunities/${two.opportunity}`;
  const ids = async (): Promise<string[]> => {
    const { body } = await listActive({ tenantId: two.id, emails: ["carla@acme.test"] }, two.key);
    return (body as { data: Item[] }).data.flatMap(({ opportunities }) => opportunities.map((each) => each.id));
  };
  const steps: readonly (readonly [method: string, path: string, body: object | undefined, there: boolean])[] = [
    ["PATCH", path, { status: "won" }, false],
    ["PATCH", path, { status: "open" }, true],
    ["PATCH", path, { contactIds: [] }, false],
    ["PATCH", path, { contactIds: [two.contact] }, true],
    ["DELETE", path, undefined, false],
    ["POST", `${path}/restore`, {}, true],
  ];
  for (const [method, to, body, there] of steps) {
    const { status, text } = await send(method, to, { key: two.key, ...(body && { body }) });
    assert.ok(status < 300, text);
    assert.deepEqual(await ids(), there ? [two.opportunity] : []);
  }
});
