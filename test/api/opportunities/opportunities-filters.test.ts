import assert from "node:assert/strict";
import { test } from "node:test";
import { dataOf, errorOf, one, openCrm, owner, type Shown, sales, service, two, verdict } from "../../support/crm.ts";

const { call, create, read } = await openCrm();

const other = await create("/contacts", { name: "Other" });
const account = await create("/accounts", { name: "Other" });
const first = await read(`/opportunities/${one.opportunity}`);
const [won, lost] = ["won", "lost"];
const a = await create("/opportunities", { name: "a", accountId: account.id, contactIds: [one.contact, other.id] });
const b = await create("/opportunities", { name: "b", status: won, stageId: sales.offer, contactIds: [other.id] });
const c = await create("/opportunities", { name: "c", status: lost, pipelineId: service.id, externalId: "X 1" });
const d = await create("/opportunities", { name: "d", ownerId: one.member, stageId: sales.offer, externalId: "X 1" });
const e = await create("/opportunities", { name: "e", ownerId: null, accountId: one.account, stageId: service.review });
const f = await create("/opportunities", { name: "f", status: won, contactIds: [other.id], accountId: account.id });
await call("DELETE", `/opportunities/${f.id}`);

/** The expected opportunities of each query, in order. Opportunity f is archived. */
const cases: Readonly<Record<string, readonly Shown[]>> = {
  "": [first, a, b, c, d, e],
  "status=open": [first, a, d, e],
  "status=won": [b],
  "status=lost": [c],
  [`pipelineId=${sales.id}`]: [first, a, b, d],
  [`pipelineId=${service.id.toUpperCase()}`]: [c, e],
  [`pipelineId=${two.pipeline}`]: [],
  [`stageId=${sales.offer}`]: [b, d],
  [`stageId=${sales.contract}`]: [],
  [`accountId=${one.account}`]: [first, e],
  [`accountId=${two.account}`]: [],
  [`contactId=${one.contact.toUpperCase()}`]: [first, a],
  [`contactId=${other.id}`]: [a, b],
  [`contactId=${two.contact}`]: [],
  [`ownerId=${owner}`]: [a, b, c],
  [`ownerId=${one.member}`]: [d],
  "externalId=X+1": [c, d],
  "externalId=x+1": [],
  [`status=open&pipelineId=${sales.id}`]: [first, a, d],
  [`status=won&contactId=${other.id}`]: [b],
  [`contactId=${other.id}&accountId=${account.id}`]: [a],
  [`contactId=${one.contact}&pipelineId=${sales.id}&status=open`]: [first, a],
  [`stageId=${sales.offer}&ownerId=${one.member}`]: [d],
  [`accountId=${one.account}&stageId=${service.review}`]: [e],
  "externalId=X+1&status=lost": [c],
  [`pipelineId=${sales.id}&stageId=${service.review}`]: [],
  [`updatedSince=${b.updatedAt}&contactId=${other.id}`]: [b],
  [`updatedSince=${c.updatedAt}&status=open`]: [d, e],
};

for (const [query, data] of Object.entries(cases)) {
  const names = data.map(({ name }) => String(name)).join(", ") || "nothing";
  test(`opportunities by ${query || "nothing"}: ${names}`, async () => {
    assert.deepEqual((await call("GET", `/opportunities?${query}`)).body, { data, nextCursor: null });
  });
}

test("includeArchived returns archived opportunities, also with contactId", async () => {
  for (const query of [`contactId=${other.id}`, "status=won", `contactId=${other.id}&accountId=${account.id}`]) {
    const found = dataOf<Shown[]>(await call("GET", `/opportunities?${query}&includeArchived=true`));
    const gone = found.at(-1);
    assert.deepEqual(found.slice(0, -1), cases[query]);
    assert.deepEqual(gone, { ...f, updatedAt: gone?.updatedAt, archivedAt: gone?.updatedAt });
  }
});

test("GET /opportunities reports unknown filters and invalid values at once", async () => {
  const query = "contactIds=x&status=closed&pipelineId=1&stageId=&accountId=a&contactId=b&ownerId=c&externalId=";
  const rejected = await call("GET", `/opportunities?${query}`);
  const ids = ["pipelineId", "stageId", "accountId", "contactId", "ownerId"];
  const problems = [
    "?contactIds unknown_key",
    "?status not_an_option",
    ...ids.map((id) => `?${id} invalid_format`),
    "?externalId required",
  ];
  assert.equal(verdict(rejected), `400 validation_error: ${problems.join(", ")}`);
  const [unknownKey, status] = errorOf(rejected).details?.errors ?? [];
  assert.match(unknownKey?.message ?? "", /Did you mean "contactId"\?/);
  assert.deepEqual(status?.allowed, ["open", "won", "lost"]);
});
