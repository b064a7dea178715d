import assert from "node:assert/strict";
import { test } from "node:test";
import { runInNewContext } from "node:vm";
import { type DemoRecord, demoCrm, recipeCode } from "../support/recipes.ts";

type Request = {
  readonly url: string;
  readonly method?: string;
  readonly params?: Readonly<Record<string, unknown>>;
  readonly headers?: Record<string, string>;
  readonly body?: unknown;
};
type Bundle = {
  readonly authData: Readonly<Record<string, string>>;
  readonly inputData?: Readonly<Record<string, string>>;
};
type Perform<Result> = (z: { request: (request: Request) => Promise<unknown> }, bundle: Bundle) => Promise<Result>;
type Integration = {
  readonly authentication: { readonly test: { readonly url: string } };
  readonly beforeRequest: readonly ((request: Request, z: undefined, bundle: Bundle) => Request)[];
  readonly triggers: { readonly new_contact: { readonly operation: { readonly perform: Perform<DemoRecord[]> } } };
  readonly creates: Readonly<
    Record<"create_task" | "create_note", { readonly operation: { readonly perform: Perform<DemoRecord> } }>
  >;
};

const module = { exports: {} };
runInNewContext(recipeCode("zapier", "js"), { module, require: () => ({ version: "1.0.0" }) });
const integration = module.exports as Integration;

test("the trigger returns each new contact once, newest first, and no old contact", { timeout: 60_000 }, async (t) => {
  const crm = await demoCrm(t);
  const { z, bundle } = connect(crm.baseUrl, crm.apiKey);
  const names = Array.from({ length: 230 }, (_, index) => `Contact ${index}`);
  for (const name of names) await crm.send("POST", "/contacts", { name });
  const [old] = (await crm.send("GET", "/contacts?limit=1")).data;
  await crm.send("PATCH", `/contacts/${old?.id}`, { name: "Changed, but not new" });
  const contacts = await integration.triggers.new_contact.operation.perform(z, bundle);
  // Contacts of the same millisecond have no order.
  assert.deepEqual(Array.from(contacts, ({ name }) => name).sort(), names.sort());
  const times = Array.from(contacts, ({ createdAt = "" }) => createdAt);
  assert.deepEqual(times, times.toSorted().reverse());
  assert.equal(new Set(contacts.map(({ id }) => id)).size, contacts.length);
});

test("the action creates one task, even if the Zap is replayed, and throws the error of the API", {
  timeout: 60_000,
}, async (t) => {
  const crm = await demoCrm(t);
  const { z, bundle } = connect(crm.baseUrl, crm.apiKey);
  const { perform } = integration.creates.create_task.operation;
  const inputData = { title: "Call Ana", operationId: "order-1" };
  const [first, second] = [await perform(z, { ...bundle, inputData }), await perform(z, { ...bundle, inputData })];
  assert.equal(first.title, "Call Ana");
  assert.equal(second.id, first.id);
  await assert.rejects(perform(z, { ...bundle, inputData: { title: "", operationId: "order-2" } }), /\/title/);
  const { url } = integration.authentication.test;
  await z.request({ url: url.replace("{{bundle.authData.crmUrl}}", crm.baseUrl) });
});

test("the action for notes adds each message once, to the contact with the email address or to a new one", {
  timeout: 60_000,
}, async (t) => {
  const crm = await demoCrm(t);
  const { z, bundle } = connect(crm.baseUrl, crm.apiKey);
  const { perform } = integration.creates.create_note.operation;
  const known = {
    name: "Other name",
    email: "ASA.lindqvist@lindqvist.example",
    message: "One\nTwo",
    operationId: "form-1",
  };
  const fresh = { name: "Ana", email: "ana@form.example", message: "Hello", operationId: "form-2" };
  for (const inputData of [known, fresh]) {
    const [first, second] = [await perform(z, { ...bundle, inputData }), await perform(z, { ...bundle, inputData })];
    assert.deepEqual([first.body, second.id], [inputData.message, first.id]);
    const contacts = (await crm.send("GET", `/contacts?email=${encodeURIComponent(inputData.email)}`)).data;
    const notes = (await crm.send("GET", `/notes?relatedToId=${contacts[0]?.id}`)).data;
    assert.deepEqual(
      [contacts.map(({ name }) => name), notes.at(-1)],
      [[inputData === known ? "Åsa Lindqvist" : "Ana"], first],
    );
  }
});

/** Returns a `z` like Zapier's: `request` applies `beforeRequest`, parses JSON and throws for an error. */
function connect(crmUrl: string, apiKey: string) {
  const bundle: Bundle = { authData: { crmUrl, apiKey } };
  const request = async (options: Request) => {
    const withHeaders: Request = { ...options, headers: { ...options.headers } };
    const final = integration.beforeRequest.reduce((current, step) => step(current, undefined, bundle), withHeaders);
    const url = new URL(final.url);
    for (const [name, value] of Object.entries(final.params ?? {})) url.searchParams.set(name, String(value));
    const response = await fetch(url, {
      method: final.method ?? "GET",
      headers: { "content-type": "application/json", ...final.headers },
      ...(final.body !== undefined && { body: JSON.stringify(final.body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(text);
    return { status: response.status, data: JSON.parse(text) };
  };
  return { z: { request }, bundle };
}
