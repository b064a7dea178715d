import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { type ApiOptions, createApi, type HostRules } from "../../../lib/index.ts";
import { entityKinds } from "../../../lib/model/entities.ts";
import { memoryStorage } from "../../../lib/storage/memory.ts";
import { testCrm } from "../../support/harness.ts";
import { verdict } from "../../support/responses.ts";
import { testTenant } from "../../support/tenants.ts";

/** Hosts in JavaScript, whose values the compiler doesn't check. */

const one = testTenant(1);
const { key } = one;

/** Returns an API and its log. */
async function crmOf(t: TestContext, options: Partial<ApiOptions>) {
  const logged: string[] = [];
  const logger = { error: ({ err }: Readonly<Record<string, unknown>>) => void logged.push((err as Error).message) };
  const crm = await testCrm([one], { logger, ...options });
  t.after(() => crm.api.close());
  return { ...crm, logged };
}

test("a falsy result of authenticate returns 401; a caller without tenant or scopes is logged with an explanation", async (t) => {
  for (const [returned, expected] of [
    [false, "401 unauthorized"],
    ["", "401 unauthorized"],
    [0, "401 unauthorized"],
    [{ tenantId: one.id }, "500 internal_error"],
    [{ scopes: [] }, "500 internal_error"],
    ["ana", "500 internal_error"],
  ] as const) {
    const { send, logged } = await crmOf(t, { authenticate: () => returned as never });
    assert.equal(verdict(await send("GET", "/me")), expected);
    const words = "authenticate must return { tenantId, scopes } (a string and an array of strings), or nothing.";
    assert.deepEqual(logged, expected.startsWith("500") ? [words] : []);
  }
});

test("a rule that returns nothing accepts the record; an invalid result returns 500 and is logged", async (t) => {
  const rulesReturning = (...results: unknown[]): HostRules => ({
    task: results.map((result) => () => result as never),
  });
  const create = { key, body: { title: "Call" } };
  const silent = await crmOf(t, { rules: rulesReturning(undefined, null, Promise.resolve(), []) });
  assert.equal(verdict(await silent.send("POST", "/tasks", create)), "201");
  const known = { path: "/title", code: "out_of_range", message: "No calls today." };
  for (const invalid of [null, "no", { message: "no" }, { ...known, path: undefined }, { ...known, code: "nope" }]) {
    const { send, logged } = await crmOf(t, { rules: rulesReturning([known, invalid]) });
    assert.equal(verdict(await send("POST", "/tasks", create)), "500 internal_error");
    assert.deepEqual(logged, [
      `A rule for task returned ${JSON.stringify(invalid)}, expected { path, code, message }.`,
    ]);
  }
});

test("createApi throws for rules of unknown entities and rules that aren't functions", () => {
  const create = (rules: unknown) => () => createApi({ storage: memoryStorage(), rules: rules as HostRules });
  const kinds = `Known entities: ${entityKinds.join(", ")}.`;
  assert.throws(create({ taks: [] }), { name: "TypeError", message: `Unknown entity "taks" in rules. ${kinds}` });
  for (const list of [() => [], ["no"], {}]) {
    assert.throws(create({ task: list }), {
      name: "TypeError",
      message: "rules.task must be an array of functions.",
    });
  }
});

test("failing ids or a failing clock of the host return 500 with a request ID, and fetch never rejects", async (t) => {
  const failing = () => {
    throw new Error("no more ids");
  };
  for (const options of [{ ids: failing }, { clock: { now: () => -1, monotonic: () => 0 } }] as const) {
    const { storage } = await crmOf(t, {});
    const api = createApi({ ...options, storage });
    const headers = { "x-api-key": key, "content-type": "application/json" };
    const request = new Request("http://crm.test/integrations/v1/tasks", {
      method: "POST",
      headers,
      body: '{"title":"x"}',
    });
    const response = await api.fetch(request);
    assert.match(response.headers.get("x-request-id") ?? "", /^[0-9a-f-]{36}$/);
    assert.equal(response.status, 500);
  }
});
