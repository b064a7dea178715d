import assert from "node:assert/strict";
import { createHmac, createSecretKey } from "node:crypto";
import { test } from "node:test";
import { decodeCursor, encodeCursor } from "../../../lib/api/cursor.ts";
import { dataOf, errorOf, one, openCrm, owner, type Shown, sales, verdict } from "../../support/crm.ts";

const { call, create, send } = await openCrm();
const account = await create("/accounts", { name: "Buyer" });
const contact = await create("/contacts", { name: "Ada", email: "ada@buyer.example" });
const { key } = one;

/** Creates two opportunities that every filter matches, and returns the query with all filters. */
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

for (const externalId of ["A1", "x".repeat(198), "x".repeat(199), '"'.repeat(99), "x".repeat(255), "あ?&".repeat(80)]) {
  test(`the Link header works with every filter and an externalId of ${externalId.length} characters`, async () => {
    const { ids, query } = await pair(externalId);
    const first = await call("GET", `/opportunities?limit=1&${query}`);
    assert.deepEqual(
      dataOf<Shown[]>(first).map(({ id }) => id),
      [ids[0]],
    );
    const { nextCursor } = first.body as { nextCursor: string };
    assert.match(nextCursor, /^[A-Za-z0-9_-]{1,1024}$/);
    const link = /^<(\?[!-~]+)>; rel="next"$/.exec(first.headers.get("link") ?? "")?.[1] ?? assert.fail("no link");
    for (const next of [link, `?cursor=${nextCursor}&${query}`]) {
      assert.deepEqual(
        dataOf<Shown[]>(await send("GET", `/opportunities${next}`, { key })).map(({ id }) => id),
        [ids[1]],
      );
    }
  });
}

test("a cursor alone continues a list whose filters take up to 600 bytes", async () => {
  const ids: string[] = [];
  for (let number = 0; number < 15; number++) ids.push((await create("/accounts", { name: `Shop ${number}` })).id);
  const externalId = "あ".repeat(190);
  for (const name of ["One", "Two"]) await create("/accounts", { name, externalId });
  // {"ids":"…"} has 564 bytes with 15 IDs, and {"externalId":"…"} has 587.
  for (const filter of [`ids=${ids}`, `externalId=${encodeURIComponent(externalId)}`]) {
    const all = dataOf<Shown[]>(await call("GET", `/accounts?${filter}`)).map(({ id }) => id);
    const first = await call("GET", `/accounts?limit=1&${filter}`);
    const { nextCursor } = first.body as { nextCursor: string };
    assert.match(nextCursor, /^[A-Za-z0-9_-]{1,1024}$/);
    assert.equal(first.headers.get("link"), `<?cursor=${nextCursor}>; rel="next"`);
    const rest = dataOf<Shown[]>(await call("GET", `/accounts?limit=200&cursor=${nextCursor}`));
    assert.deepEqual(
      rest.map(({ id }) => id),
      all.slice(1),
    );
  }
});

test("the longest filters must be sent along with the cursor if all together take more than 600 bytes", async () => {
  const externalId = "う".repeat(255);
  const ids: string[] = [];
  for (const name of ["Three", "Four"]) ids.push((await create("/accounts", { name, externalId })).id);
  const list = [...ids, ...Array.from({ length: 98 }, (_, index) => sequentialId(index))].join(",");
  const filters = { ownerId: owner, includeArchived: "false", externalId, ids: list };
  const first = await call("GET", `/accounts?limit=1&${new URLSearchParams(filters)}`);
  const { nextCursor } = first.body as { nextCursor: string };
  assert.match(nextCursor, /^[A-Za-z0-9_-]{1,1024}$/);
  const long = new URLSearchParams({ externalId, ids: list });
  const [second] = dataOf<Shown[]>(await call("GET", `/accounts?cursor=${nextCursor}&${long}`));
  assert.equal(second?.id, ids[1]);
  const without = await call("GET", `/accounts?cursor=${nextCursor}&externalId=${encodeURIComponent(externalId)}`);
  assert.equal(errorOf(without).message, "The filter ids is required with this cursor. Send it as on the first page.");
  long.set("externalId", "x".repeat(255));
  const changed = await call("GET", `/accounts?cursor=${nextCursor}&${long}`);
  assert.equal(verdict(changed), "400 invalid_cursor");
  assert.deepEqual(errorOf(changed).details, { parameter: "externalId" });
});

function sequentialId(index: number): string {
  return `0197a3c2-7b1e-7cc0-8d3f-${String(index).padStart(12, "0")}`;
}

test("GET /contacts returns a valid cursor for the longest values of every filter", async () => {
  const longest = {
    email: `${"a".repeat(64)}@${"b".repeat(61)}.${"c".repeat(61)}.example`,
    externalId: "y".repeat(198),
  };
  const filters = { ...longest, accountId: String(account.id), ownerId: one.admin };
  const query = new URLSearchParams({ ...filters, updatedSince: "2026-01-01T00:00:00.000Z", includeArchived: "true" });
  const contact = await create("/contacts", { name: "Bo", ...filters });
  await send("DELETE", `/contacts/${contact.id}`, { key });
  await create("/contacts", { name: "Bo", ...filters });
  const { nextCursor } = (await call("GET", `/contacts?limit=1&${query}`)).body as { nextCursor: string };
  assert.match(nextCursor, /^[A-Za-z0-9_-]{1,1024}$/);
  assert.equal((await call("GET", `/contacts?cursor=${nextCursor}`)).status, 200);
});

const scope = { tenantId: "01970000-0000-7000-8000-000000000001", endpoint: "listTasks" };
const secret = createSecretKey(new Uint8Array(32).fill(7));
const position = { key: Date.parse("2026-03-01T09:30:00.123Z"), id: "01970000-0000-7000-8000-0000000000ff" };
const filters = { updatedSince: "2026-01-01T00:00:00.000Z", assignedTo: "01970000-0000-7000-8000-000000000abc" };
const longFilters = { externalId: "ä".repeat(100) };
const longerFilters = { externalId: "ä".repeat(400) };

test("cursors stay valid after an upgrade: their format is unchanged", () => {
  const encode = (given: Readonly<Record<string, string>>) =>
    encodeCursor(secret, scope, { position, filters: given, limit: 50 }).cursor;
  assert.deepEqual(
    [encode({}), encode(filters), encode(longFilters), encode(longerFilters)],
    [
      "apJs6SX4Y2tM6WAFPRXWy7NlUc9fFTxIVX8YCF1GXZlbMSwxNzcyMzU3NDAwMTIzLCIwMTk3MDAwMC0wMDAwLTcwMDAtODAwMC0wMDAwMDAwMDAwZmYiLHt9LHt9LDUwXQ",
      "Ig48q2a_WL9KBTln32w7O3OtFR5TKaBw4fZdZQpxp-5bMSwxNzcyMzU3NDAwMTIzLCIwMTk3MDAwMC0wMDAwLTcwMDAtODAwMC0wMDAwMDAwMDAwZmYiLHsidXBkYXRlZFNpbmNlIjoiMjAyNi0wMS0wMVQwMDowMDowMC4wMDBaIiwiYXNzaWduZWRUbyI6IjAxOTcwMDAwLTAwMDAtNzAwMC04MDAwLTAwMDAwMDAwMGFiYyJ9LHt9LDUwXQ",
      "PPQWXu5SvgyXTX1AHYXsB9qjtHC0rdr6RB_J3hT0AVdbMSwxNzcyMzU3NDAwMTIzLCIwMTk3MDAwMC0wMDAwLTcwMDAtODAwMC0wMDAwMDAwMDAwZmYiLHsiZXh0ZXJuYWxJZCI6IsOkw6TDpMOkw6TDpMOkw6TDpMOkw6TDpMOkw6TDpMOkw6TDpMOkw6TDpMOkw6TDpMOkw6TDpMOkw6TDpMOkw6TDpMOkw6TDpMOkw6TDpMOkw6TDpMOkw6TDpMOkw6TDpMOkw6TDpMOkw6TDpMOkw6TDpMOkw6TDpMOkw6TDpMOkw6TDpMOkw6TDpMOkw6TDpMOkw6TDpMOkw6TDpMOkw6TDpMOkw6TDpMOkw6TDpMOkw6TDpMOkw6TDpMOkw6TDpMOkw6TDpMOkIn0se30sNTBd",
      "xVCN7ifLu4097BqnZIbjftJUGAAwZycaBgkY3PmFOddbMSwxNzcyMzU3NDAwMTIzLCIwMTk3MDAwMC0wMDAwLTcwMDAtODAwMC0wMDAwMDAwMDAwZmYiLHt9LHsiZXh0ZXJuYWxJZCI6IkQ4akczUXBlbjNvQlJQZkd1R0JwU0hfWXEtUDUxVFZvNTdHWUQ4bDFVTzAifSw1MF0",
    ],
  );
});

test("a cursor of another version is rejected, and the error says so", () => {
  const payload = Buffer.from(JSON.stringify([2, position.key, position.id, {}]));
  const signed = createHmac("sha256", secret).update(`${scope.tenantId}\n${scope.endpoint}\n`).update(payload).digest();
  const cursor = Buffer.concat([signed, payload]).toString("base64url");
  assert.throws(() => decodeCursor(secret, scope, cursor, {}), {
    code: "invalid_cursor",
    message: "The cursor is from another version of the server. Restart without a cursor.",
  });
});
