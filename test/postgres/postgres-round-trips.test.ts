import assert from "node:assert/strict";
import { test } from "node:test";
import { one, openCrm } from "../support/crm.ts";
import { freshAddress } from "../support/postgres-databases.ts";
import { observedStorage } from "../support/postgres-interceptor.ts";
import { noPostgres } from "../support/postgres-server.ts";

type Call = readonly [method: string, path: string, body?: unknown];

/** Verb of the statement of a commit, and verbs of one with links. */
const commit = ["WITH"];
const commitInSteps = ["BEGIN", "WITH", "COMMIT"];
const reads = (count: number): string[] => Array.from({ length: count }, () => "SELECT");

/**
 * The read of the settings version, once per request. Settings are read again only if it has changed, or for the first
 * time.
 */
const version = "the version";
/** The reads of a POST before it is handled: the stored response, and the version for the API key. */
const replay = [...reads(1), version];

const calls: readonly (readonly [what: string, call: Call, expected: readonly string[]])[] = [
  ["a page of 50", ["GET", "/tasks?limit=50"], [version, ...reads(1)]],
  ["a page from a cursor on", ["GET", "/tasks?limit=1&updatedSince=2026-01-01T00:00:00Z"], [version, ...reads(1)]],
  ["a page with archived records", ["GET", "/opportunities?includeArchived=true"], [version, ...reads(1)]],
  ["a single record", ["GET", `/tasks/${one.task}`], [version, ...reads(1)]],
  ["the open opportunities of email addresses", ["POST", "/contacts/opportunities/active"], [version, ...reads(1)]],
  ["a created task", ["POST", "/tasks", { title: "Call" }], [...replay, ...reads(1), ...commit]],
  ["another task", ["POST", "/tasks", { title: "Call" }], [...replay, ...commit]],
  ["a created account", ["POST", "/accounts", { name: "New" }], [...replay, ...reads(3), ...commit]],
  ["a created contact", ["POST", "/contacts", { name: "New" }], [...replay, ...reads(2), ...commit]],
  ["another contact", ["POST", "/contacts", { name: "Other" }], [...replay, ...commit]],
  ["a created opportunity", ["POST", "/opportunities", { name: "New" }], [...replay, ...reads(4), ...commit]],
  ["an archived task", ["DELETE", `/tasks/${one.task}`], [version, ...reads(1), ...commit]],
  ["a restored task", ["POST", `/tasks/${one.task}/restore`], [...replay, ...reads(1), ...commit]],
  ["an updated task", ["PATCH", `/tasks/${one.task}`, { title: "Other" }], [version, ...reads(1), ...commit]],
  [
    "an opportunity with changed contacts",
    ["PATCH", `/opportunities/${one.opportunity}`, { contactIds: [] }],
    [version, ...reads(3), ...commitInSteps],
  ],
];

test("requests send the expected PostgreSQL statements", {
  skip: noPostgres,
}, async (t) => {
  const sent: string[] = [];
  const storage = await observedStorage(await freshAddress(), (text) => {
    sent.push(
      /SELECT tenant_id, settings_version/.test(text)
        ? "the version"
        : /FROM api_keys /.test(text)
          ? "the key"
          : (/^[\s(]*(\w+)/.exec(text)?.[1] ?? text),
    );
  });
  const crm = await openCrm({}, { storage });
  // The first use of an API key also reads its tenant, and records the use after the response.
  await crm.send("GET", "/me", { key: one.key });
  await crm.send("GET", "/tasks?limit=1", { key: one.key });
  await crm.api.idle();
  await crm.send("GET", "/me", { key: one.key });
  for (const [what, [method, path, body], expected] of calls) {
    await t.test(what, async () => {
      sent.length = 0;
      const once = method === "POST" ? { headers: { "Idempotency-Key": crypto.randomUUID() } } : {};
      const sentBody = path.endsWith("/active") ? { tenantId: one.id, emails: ["a@b.example"] } : body;
      const headers = path.endsWith("/active") ? {} : once;
      const result = await crm.send(method, path, {
        key: one.key,
        ...headers,
        ...(sentBody === undefined ? {} : { body: sentBody }),
      });
      assert.ok(result.status < 300, result.text);
      assert.deepEqual(sent, expected);
    });
  }
});
