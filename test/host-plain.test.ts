import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { type ApiOptions, createApi, type HostRules } from "../lib/index.ts";
import { memoryStorage } from "../lib/storage/memory.ts";
import { verdict } from "./answers.ts";
import { testCrm } from "./harness.ts";
import { testTenant } from "./tenants.ts";

/** Hosts that no compiler has looked at. */

const one = testTenant(1);
const { key } = one;

/** The API, and what it has logged. */
async function crmOf(t: TestContext, options: Partial<ApiOptions>) {
  const logged: string[] = [];
  const logger = { error: ({ err }: Readonly<Record<string, unknown>>) => void logged.push((err as Error).message) };
  const crm = await testCrm([one], { logger, ...options });
  t.after(() => crm.api.close());
  return { ...crm, logged };
}

test("whatever is no caller means 401, and a caller without tenant or scopes is a fault that the log explains", async (t) => {
  for (const [answered, expected] of [
    [false, "401 unauthorized"],
    ["", "401 unauthorized"],
    [0, "401 unauthorized"],
    [{ tenantId: one.id }, "500 internal_error"],
    [{ scopes: [] }, "500 internal_error"],
    ["ana", "500 internal_error"],
  ] as const) {
    const { send, logged } = await crmOf(t, { authenticate: () => answered as never });
    assert.equal(verdict(await send("GET", "/me")), expected);
    const words = "authenticate must return { tenantId, scopes } (a string and an array of strings), or nothing.";
    assert.deepEqual(logged, expected.startsWith("500") ? [words] : []);
  }
});

test("a rule that answers nothing finds nothing wrong, and one that answers no problem is a fault, logged", async (t) => {
  const answering = (...answers: unknown[]): HostRules => ({ task: answers.map((answer) => () => answer as never) });
  const create = { key, body: { title: "Call" } };
  const silent = await crmOf(t, { rules: answering(undefined, null, Promise.resolve(), []) });
  assert.equal(verdict(await silent.send("POST", "/tasks", create)), "201");
  const known = { path: "/title", code: "out_of_range", message: "No calls today." };
  for (const strange of [null, "no", { message: "no" }, { ...known, path: undefined }, { ...known, code: "nope" }]) {
    const { send, logged } = await crmOf(t, { rules: answering([known, strange]) });
    assert.equal(verdict(await send("POST", "/tasks", create)), "500 internal_error");
    assert.deepEqual(logged, [
      `A rule for task returned ${JSON.stringify(strange)}, expected { path, code, message }.`,
    ]);
  }
});

test("rules that would never be asked are refused at once", () => {
  const made = (rules: unknown) => () => createApi({ storage: memoryStorage(), rules: rules as HostRules });
  const kinds = "Known entities: account, contact, opportunity, task.";
  assert.throws(made({ taks: [] }), { name: "TypeError", message: `Unknown entity "taks" in rules. ${kinds}` });
  for (const list of [() => [], ["no"], {}]) {
    assert.throws(made({ task: list }), {
      name: "TypeError",
      message: "rules.task must be an array of functions.",
    });
  }
});

test("ids or a clock of the host's that fail end in a 500 with a request id, and never in a rejection", async (t) => {
  const failing = () => {
    throw new Error("no more ids");
  };
  for (const options of [{ ids: failing }, { clock: { now: () => -1, monotonic: () => 0 } }] as const) {
    const { storage } = await crmOf(t, {});
    const api = createApi({ ...options, storage });
    const headers = { "x-api-key": key, "content-type": "application/json" };
    const asked = new Request("http://crm.test/integrations/v1/tasks", {
      method: "POST",
      headers,
      body: '{"title":"x"}',
    });
    const answer = await api.fetch(asked);
    assert.match(answer.headers.get("x-request-id") ?? "", /^[0-9a-f-]{36}$/);
    assert.equal(answer.status, 500);
  }
});
