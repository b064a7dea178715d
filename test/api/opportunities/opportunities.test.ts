import assert from "node:assert/strict";
import { test } from "node:test";
import { dataOf, one, openCrm, owner, sales, service, two, unknown, verdict } from "../../support/crm.ts";

const { call, create, read, send } = await openCrm();

const everything = {
  name: "Nine machines",
  accountId: one.account,
  contactIds: [one.contact],
  pipelineId: service.id,
  stageId: service.review,
  status: "won",
  amount: 12_500.75,
  currency: "JPY",
  expectedCloseDate: "2028-02-29",
  ownerId: one.member,
  lostReason: null,
  externalId: "DEAL-1",
  customFields: { segment: "SMB", budget: 5 },
};

test("POST /opportunities returns the opportunity and its Location", async () => {
  const made = await call("POST", "/opportunities", everything);
  const { id, createdAt, updatedAt } = dataOf(made, 201);
  const times = { closedAt: createdAt, stageChangedAt: createdAt, createdAt, updatedAt };
  assert.deepEqual(made.body, { data: { id, ...everything, ...times } });
  assert.equal(made.headers.get("location"), `opportunities/${id}`);
  assert.equal((await call("GET", `/opportunities/${id}`)).text, made.text);
});

test("an opportunity needs only a name: it is open, in the first stage of the default pipeline", async () => {
  const { id, createdAt, ...shown } = await create("/opportunities", { name: "Least" });
  assert.deepEqual(shown, {
    name: "Least",
    accountId: null,
    contactIds: [],
    pipelineId: sales.id,
    stageId: sales.lead,
    status: "open",
    amount: null,
    currency: null,
    expectedCloseDate: null,
    ownerId: owner,
    lostReason: null,
    closedAt: null,
    stageChangedAt: createdAt,
    externalId: null,
    customFields: {},
    updatedAt: createdAt,
  });
});

test("PATCH /opportunities changes the fields in the body, null clears a field, and a read record can be sent back", async () => {
  const before = await create("/opportunities", { ...everything, externalId: "DEAL-2" });
  const path = `/opportunities/${before.id}`;
  assert.deepEqual(dataOf(await call("PATCH", path, before)), before);
  const emptied = { accountId: null, amount: null, currency: null, expectedCloseDate: null, ownerId: null };
  const body = { ...emptied, externalId: null, name: "Ten machines", contactIds: [] };
  const changed = dataOf(await call("PATCH", path, { ...before, ...body }));
  assert.deepEqual(changed, { ...before, ...body, updatedAt: changed.updatedAt });
  assert.ok(changed.updatedAt > before.updatedAt);
  assert.deepEqual(await read(path), changed);
});

test("POST /opportunities returns every validation error at once", async () => {
  const cases: readonly (readonly [Record<string, unknown>, string])[] = [
    [{}, "/name required"],
    [{ amount: "1", currency: "euro" }, "/amount invalid_type, /currency invalid_format"],
    [{ amount: true, currency: "EURO" }, "/amount invalid_type, /currency invalid_format"],
    [{ currency: "ABC" }, "/currency invalid_format"],
    [{ currency: 978 }, "/currency invalid_type"],
    [{ expectedCloseDate: "2027-02-29" }, "/expectedCloseDate invalid_format"],
    [{ expectedCloseDate: "2027-03-01T00:00:00Z" }, "/expectedCloseDate invalid_format"],
    [{ expectedCloseDate: 20270301 }, "/expectedCloseDate invalid_type"],
    [{ pipelineId: null, stageId: null }, "/pipelineId invalid_type, /stageId invalid_type"],
    [{ status: "Won", lostReason: " " }, "/status not_an_option, /lostReason required"],
    [{ contactIds: null }, "/contactIds invalid_type"],
    [{ contactIds: one.contact }, "/contactIds invalid_type"],
    [{ contactIds: [one.contact, "x", 1] }, "/contactIds/1 invalid_format, /contactIds/2 invalid_type"],
    [{ contactIds: Array(101).fill(one.contact) }, "/contactIds out_of_range"],
    [{ closedAt: 5, stageChangedAt: null }, "/closedAt invalid_type, /stageChangedAt read_only"],
  ];
  for (const [body, problems] of cases) {
    const sent = Object.keys(body).length === 0 ? {} : { name: "x", ...body };
    assert.equal(verdict(await call("POST", "/opportunities", sent)), `400 validation_error: ${problems}`);
  }
  const raw = '{"name":"x","amount":1e999}';
  const infinite = await send("POST", "/opportunities", { key: one.key, raw });
  assert.equal(verdict(infinite), "400 validation_error: /amount out_of_range");
});

test("an amount can be any number and is returned exactly", async () => {
  for (const amount of [0, -5.5, 0.1, 1e300, 5e-324, Number.MAX_SAFE_INTEGER, 1_234_567.89]) {
    const made = await create("/opportunities", { name: "x", amount, currency: "EUR" });
    assert.equal((await read(`/opportunities/${made.id}`)).amount, amount);
  }
});

test("an opportunity can refer only to unarchived records of its tenant and an active owner", async () => {
  const cases = {
    "/accountId not_found": [unknown, two.account, one.archivedAccount, one.contact].map((accountId) => ({
      accountId,
    })),
    "/ownerId not_found": [{ ownerId: unknown }, { ownerId: two.admin }],
    "/ownerId inactive": [{ ownerId: one.inactive }],
    "/accountId not_found, /contactIds/0 not_found, /ownerId inactive": [
      { accountId: unknown, contactIds: [two.contact], ownerId: one.inactive },
    ],
  };
  for (const [problems, bodies] of Object.entries(cases)) {
    for (const body of bodies) {
      const made = await call("POST", "/opportunities", { name: "x", ...body });
      assert.equal(verdict(made), `422 invalid_reference: ${problems}`);
      assert.equal((await call("PATCH", `/opportunities/${one.opportunity}`, body)).text, made.text);
    }
  }
});
