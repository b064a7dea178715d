import assert from "node:assert/strict";
import { test } from "node:test";
import { dataOf, one, openCrm, type Shown, sales } from "./crm.ts";

const { call, create, send } = await openCrm();
const account = await create("/accounts", { name: "Buyer" });
const contact = await create("/contacts", { name: "Ada", email: "ada@buyer.example" });
const { key } = one;

/** Two opportunities that differ in nothing that is filtered by, and the query with every filter that finds them. */
async function pair(externalId: string): Promise<{ ids: string[]; query: string }> {
  const ids: string[] = [];
  for (const name of ["First", "Second"]) {
    const made = await create("/opportunities", {
      ...{ name, externalId, accountId: account.id, contactIds: [contact.id], ownerId: one.admin },
      ...{ pipelineId: sales.id, stageId: sales.lead },
    });
    ids.push(String(made.id));
  }
  const filters = {
    ...{ status: "open", pipelineId: sales.id, stageId: sales.lead, accountId: String(account.id) },
    ...{ contactId: String(contact.id), ownerId: one.admin, externalId },
    ...{ updatedSince: "2026-01-01T00:00:00.000Z", includeArchived: "false" },
  };
  return { ids, query: new URLSearchParams(filters).toString() };
}

for (const externalId of [
  "A1",
  "x".repeat(14),
  "x".repeat(24),
  "x".repeat(30),
  "é".repeat(15),
  "x".repeat(255),
  "あ?&".repeat(80),
]) {
  test(`with every filter, one a text of ${externalId.length} characters, a walk goes on by its link`, async () => {
    const { ids, query } = await pair(externalId);
    const first = await call("GET", `/opportunities?limit=1&${query}`);
    assert.deepEqual(
      dataOf<Shown[]>(first).map(({ id }) => id),
      [ids[0]],
    );
    const { nextCursor } = first.body as { nextCursor: string };
    assert.match(nextCursor, /^[A-Za-z0-9_-]{1,256}$/);
    const link = /^<(\?[!-~]+)>; rel="next"$/.exec(first.headers.get("link") ?? "")?.[1] ?? assert.fail("no link");
    for (const next of [link, `?cursor=${nextCursor}&${query}`]) {
      assert.deepEqual(
        dataOf<Shown[]>(await send("GET", `/opportunities${next}`, { key })).map(({ id }) => id),
        [ids[1]],
      );
    }
  });
}

test("a text is left to the caller only where shorter times do not make room for it", async () => {
  const updatedSince = "2026-01-01T00:00:00.000Z";
  for (const [length, isKept] of [
    [121, true],
    [141, true],
    [142, false],
  ] as const) {
    const externalId = "y".repeat(length);
    for (const name of ["One", "Two"]) await create("/accounts", { name: `${name} ${length}`, externalId });
    const query = new URLSearchParams({ externalId, updatedSince });
    const { nextCursor } = (await call("GET", `/accounts?limit=1&${query}`)).body as { nextCursor: string };
    const alone = await call("GET", `/accounts?cursor=${nextCursor}`);
    assert.equal(alone.status, isKept ? 200 : 400, `${length}`);
  }
});
