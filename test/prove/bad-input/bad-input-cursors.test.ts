import assert from "node:assert/strict";
import { test } from "node:test";
import { errorOf, one, two, verdict } from "../../support/crm.ts";
import { figures, size } from "../size.ts";
import { watchedCrm } from "./observed-crm.ts";

const { attempt } = await watchedCrm();
let tried = 0;

/** Too long for a cursor, which has only its hash. */
const long = "あ".repeat(255);
const filters: Readonly<Record<string, readonly string[]>> = {
  "/accounts": ["", `ownerId=${one.member}`, `externalId=${encodeURIComponent(long)}`],
  "/contacts": ["", "includeArchived=true", "updatedSince=2020-01-01T00:00:00Z", "order=-name&q=record"],
  "/opportunities": ["", "status=open", `contactId=${one.contact}&status=open&accountId=${one.account}`],
  "/tasks": ["", `assignedTo=${one.member}`, `relatedToId=${one.contact}&status=pending`],
};

/** The lists of records, each with two records and with and without filters. Other lists share their code. */
const lists = Object.keys(filters);

/** A field that all records of these lists have, so that each list has a second page. */
const fields: Readonly<Record<string, object>> = {
  "/accounts": { ownerId: one.member, externalId: long },
  "/contacts": {},
  "/opportunities": { accountId: one.account, contactIds: [one.contact] },
  "/tasks": { assignedTo: one.member, relatedTo: { type: "contact", id: one.contact } },
};

for (const path of lists) {
  for (const index of [1, 2]) {
    const name = { [path === "/tasks" ? "title" : "name"]: `Record ${index}` };
    assert.equal((await attempt("POST", path, { body: { ...name, ...fields[path] } })).status, 201);
  }
}

async function cursorOf(path: string, filter: string, key = one.key): Promise<string> {
  const page = await attempt("GET", `${path}?limit=1&${filter}`, { key });
  const { nextCursor } = page.body as { nextCursor: string | null };
  return nextCursor ?? assert.fail(`${path}?${filter} has one page only`);
}

const message = "Invalid cursor. Restart without a cursor.";

/** Checks that a cursor is rejected. The error is the same for all invalid cursors. */
async function assertInvalid(path: string, cursor: string, filter: string): Promise<void> {
  const rejected = await attempt("GET", `${path}?cursor=${encodeURIComponent(cursor)}&${filter}`);
  assert.deepEqual([rejected.status, errorOf(rejected)], [400, { code: "invalid_cursor", message }], cursor);
  tried++;
}

function flipped(bytes: Uint8Array, bit: number): Buffer {
  const copy = Buffer.from(bytes);
  copy[bit >> 3] = (copy[bit >> 3] ?? 0) ^ (1 << (bit & 7));
  return copy;
}

for (const path of lists) {
  for (const filter of filters[path] ?? assert.fail(`there are no filters for ${path}`)) {
    test(`${path}?${decodeURIComponent(filter).slice(0, 60)} rejects a cursor with a changed bit, a missing byte or an extra byte`, {
      timeout: 120_000,
    }, async () => {
      const cursor = await cursorOf(path, filter);
      const bytes = Buffer.from(cursor, "base64url");
      assert.ok(cursor.length <= 1024);
      for (let bit = 0; bit < bytes.length * 8; bit++) {
        await assertInvalid(path, flipped(bytes, bit).toString("base64url"), filter);
      }
      for (let bit = 0; bit < cursor.length * 8; bit += size(7, 1)) {
        await assertInvalid(path, flipped(Buffer.from(cursor), bit).toString("latin1"), filter);
      }
      for (let length = 0; length < bytes.length; length++) {
        if (length > 0) await assertInvalid(path, bytes.subarray(0, length).toString("base64url"), filter);
        if (length + 1 < bytes.length)
          await assertInvalid(path, bytes.subarray(length + 1).toString("base64url"), filter);
        // An empty cursor counts as absent.
        if (length > 0) await assertInvalid(path, cursor.slice(0, length), filter);
      }
      for (const more of [Buffer.of(0), Buffer.alloc(16), Buffer.alloc(4096), bytes]) {
        await assertInvalid(path, Buffer.concat([bytes, more]).toString("base64url"), filter);
        await assertInvalid(path, Buffer.concat([more, bytes]).toString("base64url"), filter);
      }
      assert.equal((await attempt("GET", `${path}?cursor=${cursor}&${filter}`)).status, 200);
    });
  }
}

test("a string that was never a cursor gets the same error", async () => {
  const cursor = await cursorOf("/tasks", "");
  const base64 = Buffer.from(cursor, "base64url").toString("base64");
  const padded = ["=", "==", "%3D", "\n", "\0", " ", "A", "#", "é", "😀"];
  const others = [
    " ",
    "0",
    "null",
    "undefined",
    "true",
    "{}",
    "[]",
    "__proto__",
    "../..",
    "%",
    "-",
    "_",
    "1".repeat(1024),
  ];
  const spelled = [
    cursor.toUpperCase(),
    cursor.toLowerCase(),
    `"${cursor}"`,
    `${cursor},${cursor}`,
    encodeURIComponent(`${cursor}=`),
  ];
  const odd = [...others, ...spelled, "A".repeat(15_000), "\ufeff".repeat(100), ...padded.map((end) => cursor + end)];
  for (const text of [...odd, ...padded.map((start) => start + cursor)]) await assertInvalid("/tasks", text, "");
  if (base64 !== cursor) await assertInvalid("/tasks", base64, "");
});

test("a cursor of another list or another tenant is rejected", async () => {
  for (const path of lists) {
    const cursor = await cursorOf(path, "");
    for (const other of lists.filter((each) => each !== path)) await assertInvalid(other, cursor, "");
    const rejected = await attempt("GET", `${path}?cursor=${cursor}`, { key: two.key });
    assert.deepEqual([rejected.status, errorOf(rejected).message], [400, message]);
  }
});

test("a cursor with a different filter is rejected, and the error names the filter", async () => {
  const reads: readonly (readonly [path: string, made: string, then: string, parameter: string])[] = [
    ["/tasks", "", "status=pending", "status"],
    ["/tasks", `assignedTo=${one.member}`, `assignedTo=${one.admin}`, "assignedTo"],
    ["/tasks", "updatedSince=2020-01-01T00:00:00Z", "updatedSince=2020-01-01T00:00:00.001Z", "updatedSince"],
    ["/tasks", "includeArchived=true", "includeArchived=false", "includeArchived"],
    ["/tasks", "", "order=-updatedAt", "order"],
    ["/tasks", "order=-updatedAt", "order=updatedAt", "order"],
    ["/tasks", "order=dueDate", "order=-dueDate", "order"],
    ["/contacts", "order=name", "order=createdAt", "order"],
    ["/contacts", "q=record&order=name", "q=rec", "q"],
    ["/opportunities", "status=open", `status=open&ownerId=${one.member}`, "ownerId"],
    ["/accounts", `externalId=${encodeURIComponent(long)}`, "externalId=x", "externalId"],
  ];
  for (const [path, made, then, parameter] of reads) {
    const rejected = await attempt("GET", `${path}?cursor=${await cursorOf(path, made)}&${then}`);
    assert.equal(verdict(rejected), "400 invalid_cursor");
    assert.deepEqual(errorOf(rejected).details, { parameter });
    tried++;
  }
});

test("only issued cursors are accepted", (t) => figures(t, "bad-input-cursors", { "invalid cursors": tried }));
