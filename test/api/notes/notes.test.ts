import assert from "node:assert/strict";
import { test } from "node:test";
import { dataOf, errorOf, one, openCrm, type Shown, two, unknown, verdict } from "../../support/crm.ts";

const { call, create, read, clock } = await openCrm();
const account = { type: "account", id: one.account };
const contact = { type: "contact", id: one.contact };
const now = (): string => new Date(clock.now()).toISOString();
const idsOf = async (query: string): Promise<string[]> =>
  (dataOf(await call("GET", `/notes?${query}`)) as unknown as Shown[]).map(({ id }) => id);

test("POST /notes stores every field, and the text without changes", async () => {
  const body = "  Two lines,\r\nwith a <b>tag</b> & a link: https://example.com/?a=b  ";
  const opportunity = { type: "opportunity", id: one.opportunity };
  const sent = { body, relatedTo: opportunity, authorId: one.member, externalId: "mail-7" };
  const note = await create("/notes", { ...sent, occurredAt: "2031-04-01T10:30:00.5+02:00" });
  assert.deepEqual(note, {
    id: note.id,
    ...sent,
    occurredAt: "2031-04-01T08:30:00.500Z",
    createdAt: now(),
    updatedAt: now(),
  });
  assert.deepEqual(await read(`/notes/${note.id}`), note);
});

test("a note needs a text and a related record, and occurs at its creation by default", async () => {
  assert.equal(verdict(await call("POST", "/notes", {})), "400 validation_error: /body required, /relatedTo required");
  const { id, ...note } = await create("/notes", { body: "Called", relatedTo: account });
  assert.deepEqual(note, {
    body: "Called",
    relatedTo: account,
    authorId: null,
    occurredAt: now(),
    externalId: null,
    createdAt: now(),
    updatedAt: now(),
  });
});

for (const [body, expected] of [
  [{ body: " \n" }, "/body required"],
  [{ body: "x".repeat(20_001) }, "/body too_long"],
  [{ body: null }, "/body invalid_type"],
  [{ relatedTo: null }, "/relatedTo invalid_type"],
  [{ relatedTo: { type: "task", id: one.task } }, "/relatedTo/type not_an_option"],
  [{ occurredAt: null }, "/occurredAt invalid_type"],
  [{ occurredAt: "2026-02-30T00:00:00Z" }, "/occurredAt invalid_format"],
  [{ title: "Call" }, "/title unknown_key"],
  [{ customFields: {} }, "/customFields unknown_key"],
] as const) {
  test(`POST /notes with ${JSON.stringify(body).slice(0, 60)} returns 400 with ${expected}`, async () => {
    const result = await call("POST", "/notes", { body: "Called", relatedTo: account, ...body });
    assert.equal(verdict(result), `400 validation_error: ${expected}`);
  });
}

test("a text can have 20,000 characters, which may take two UTF-16 units each", async () => {
  const body = "😀".repeat(20_000);
  assert.equal((await create("/notes", { body, relatedTo: account })).body, body);
});

test("POST /notes with unknown, archived and foreign records and an inactive author returns 422 for each", async () => {
  for (const id of [unknown, one.archivedAccount, two.account]) {
    const result = await call("POST", "/notes", {
      body: "x",
      relatedTo: { type: "account", id },
      authorId: one.inactive,
    });
    assert.equal(verdict(result), "422 invalid_reference: /relatedTo/id not_found, /authorId inactive");
  }
});

test("the related record can't change, and may be sent unchanged", async () => {
  const note = await create("/notes", { body: "Called", relatedTo: account });
  const moved = errorOf(await call("PATCH", `/notes/${note.id}`, { body: "Moved", relatedTo: contact }));
  assert.deepEqual(moved.details?.errors, [
    {
      path: "/relatedTo",
      code: "read_only",
      message: "relatedTo is read-only. Omit it or send its current value.",
    },
  ]);
  const upper = { ...account, id: account.id.toUpperCase() };
  const changed = dataOf(await call("PATCH", `/notes/${note.id}`, { body: "Wrote", relatedTo: upper, authorId: null }));
  assert.deepEqual(changed, { ...note, body: "Wrote", updatedAt: now() });
});

test("an archived record keeps its notes, which can still change", async () => {
  const { id } = await create("/accounts", { name: "Leaving" });
  const note = await create("/notes", { body: "Called", relatedTo: { type: "account", id } });
  assert.equal((await call("DELETE", `/accounts/${id}`)).status, 204);
  assert.deepEqual(await idsOf(`relatedToId=${id}`), [note.id]);
  assert.equal(dataOf(await call("PATCH", `/notes/${note.id}`, { body: "Ended" })).body, "Ended");
});

test("an upsert by externalId creates and changes a note, and can't move it", async () => {
  const url = "/notes/upsert?matchBy=externalId";
  const sent = { externalId: "form-1", body: "Hello", relatedTo: contact };
  const made = dataOf(await call("POST", url, sent), 201);
  assert.equal(dataOf(await call("POST", url, { ...sent, body: "Hello again" })).id, made.id);
  const moved = await call("POST", url, { ...sent, relatedTo: account });
  assert.equal(verdict(moved), "400 validation_error: /relatedTo read_only");
});

test("GET /notes filters by related record, author and external ID, and sorts by occurredAt", async () => {
  const { id } = await create("/accounts", { name: "Filtered" });
  const relatedTo = { type: "account", id };
  const dates = ["2026-01-02", "2026-01-01", "2026-01-03"];
  const notes: string[] = [];
  for (const [index, date] of dates.entries()) {
    const more = { authorId: index === 0 ? one.admin : null, externalId: index === 1 ? "only" : null };
    notes.push((await create("/notes", { body: date, relatedTo, occurredAt: `${date}T00:00:00Z`, ...more })).id);
  }
  const [first, second, third] = notes;
  assert.deepEqual(await idsOf(`relatedToId=${id}`), notes);
  assert.deepEqual(await idsOf(`relatedToId=${id}&order=-occurredAt`), [third, first, second]);
  assert.deepEqual(await idsOf(`relatedToId=${id}&order=occurredAt`), [second, first, third]);
  assert.deepEqual(await idsOf(`relatedToId=${id}&authorId=${one.admin}`), [first]);
  assert.deepEqual(await idsOf("externalId=only"), [second]);
  assert.deepEqual(await idsOf(`ids=${third},${first}`), [first, third]);
});

test("GET /search doesn't find notes", async () => {
  await create("/notes", { body: "Zyzzyva", relatedTo: account });
  assert.deepEqual(dataOf(await call("GET", "/search?q=zyzzyva")), []);
});

test("the author is the user who creates the note, if the tenant has this user and no other author is sent", async () => {
  const users = { ana: one.admin, gone: unknown, inactive: one.inactive };
  const crm = await openCrm(
    {},
    {
      authenticate: ({ headers }) => ({
        tenantId: one.id,
        scopes: ["notes:write"],
        userId: users[headers.get("x-user") as keyof typeof users],
      }),
    },
  );
  const authorOf = async (user: keyof typeof users, more: object = {}): Promise<unknown> => {
    const body = { body: "Called", relatedTo: account, ...more };
    return dataOf(await crm.send("POST", "/notes", { headers: { "x-user": user }, body }), 201).authorId;
  };
  assert.deepEqual(
    [await authorOf("ana"), await authorOf("gone"), await authorOf("inactive")],
    [one.admin, null, null],
  );
  assert.deepEqual(
    [await authorOf("ana", { authorId: null }), await authorOf("ana", { authorId: one.member })],
    [null, one.member],
  );
});
