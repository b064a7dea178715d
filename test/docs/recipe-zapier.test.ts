import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { type TestContext, test } from "node:test";
import { allOf, demoTestCrm, recipeCode, winOpportunity } from "../support/recipes.ts";

type Item = Readonly<Record<string, string>>;
type Action = {
  readonly operation: {
    readonly perform: unknown;
    readonly performSubscribe?: unknown;
    readonly performUnsubscribe?: unknown;
    readonly performList?: unknown;
    readonly inputFields?: readonly unknown[];
  };
};

const file = "../../examples/zapier/index.js";
const require = createRequire(import.meta.url);
const app = require(file);
// The types of the package lack the validation.
const { createAppHandler, createAppTester } = require("zapier-platform-core");
const { triggers, creates } = app as Readonly<Record<"triggers" | "creates", Readonly<Record<string, Action>>>>;

test("the recipe shows the code of examples/zapier, which has no error in Zapier's schema", async () => {
  assert.equal(recipeCode("zapier", "js"), readFileSync(new URL(file, import.meta.url), "utf8"));
  const { results } = await createAppHandler(app)({ command: "validate" });
  assert.deepEqual(results, []);
});

test("the trigger returns each new contact once, newest first, and no old contact", async (t) => {
  const { crm, run } = await connect(t);
  const names = Array.from({ length: 230 }, (_, index) => `Contact ${index}`);
  for (const name of names) await crm.client.contacts.create({ name });
  const data = await allOf(crm.client.contacts.list());
  await crm.client.contacts.update(data[0]?.id ?? "", { name: "Changed, but not new" });
  const contacts = await run<Item[]>(triggers.new_contact?.operation.perform);
  // Contacts of the same millisecond have no order.
  assert.deepEqual(contacts.map(({ name }) => name).sort(), names.sort());
  const times = contacts.map(({ createdAt = "" }) => createdAt);
  assert.deepEqual(times, times.toSorted().reverse());
});

test("the trigger for changes returns an ID for each version of a contact", async (t) => {
  const { crm, run } = await connect(t);
  const { id, updatedAt } = await crm.client.contacts.create({ name: "Ana" });
  const poll = async () => (await run<Item[]>(triggers.changed_contact?.operation.perform))[0];
  const first = await poll();
  assert.deepEqual([first?.id, first?.contactId, first?.name], [`${id} ${updatedAt}`, id, "Ana"]);
  const changed = await crm.client.contacts.update(id, { name: "Ana Diaz" });
  assert.deepEqual((await poll())?.id, `${id} ${changed.updatedAt}`);
});

test("the action creates one task, even if the Zap is replayed, and throws the error of the API", async (t) => {
  const { run } = await connect(t);
  const create = (title: string, operationId: string) =>
    run<Item>(creates.create_task?.operation.perform, { inputData: { title, operationId } });
  const first = await create("Call Ana", "order-1");
  assert.deepEqual([first.title, (await create("Call Ana", "order-1")).id], ["Call Ana", first.id]);
  await assert.rejects(create("", "order-2"), /\/title/);
});

test("the action for notes adds each message once, to the contact with the email address or to a new one", async (t) => {
  const { crm, run } = await connect(t);
  const known = { name: "Other", email: "ASA.lindqvist@lindqvist.example", message: "One\nTwo", operationId: "form-1" };
  const fresh = { name: "Ana", email: "ana@form.example", message: "Hello", operationId: "form-2" };
  for (const inputData of [known, fresh]) {
    const send = () => run<Item>(creates.create_note?.operation.perform, { inputData });
    const [first, second] = [await send(), await send()];
    assert.deepEqual([first.body, second.id], [inputData.message, first.id]);
    const contacts = await allOf(crm.client.contacts.list({ email: inputData.email }));
    const notes = await allOf(crm.client.notes.list({ relatedToId: contacts[0]?.id ?? "" }));
    assert.deepEqual(
      contacts.map(({ name }) => name),
      [inputData === known ? "Åsa Lindqvist" : "Ana"],
    );
    assert.deepEqual(notes.at(-1), first);
  }
});

test("the action for contacts has the custom fields of the tenant, and updates by email address", async (t) => {
  const { run } = await connect(t);
  const { perform, inputFields } = creates.upsert_contact?.operation ?? assert.fail();
  const fields = await run<Item[]>(inputFields?.at(-1));
  const types = fields.map(({ key, type, list }) => [key, type, list]);
  assert.deepEqual(types.slice(0, 3), [
    ["custom_decisionRole", "string", undefined],
    ["custom_language", "string", undefined],
    ["custom_topics", "string", true],
  ]);
  const inputData = { name: "Ana", email: "ana@form.example", custom_topics: ["events"] };
  const upsert = (more: object) => run<Item>(perform, { inputData: { ...inputData, ...more } });
  const first = await upsert({});
  const second = await upsert({ name: "Ana Diaz" });
  assert.deepEqual([second.id, second.name, second.customFields], [first.id, "Ana Diaz", first.customFields]);
  await assert.rejects(upsert({ custom_topics: ["tea ceremonies"] }), /not_an_option/);
});

test("the trigger for won opportunities subscribes with a webhook, and unsubscribes", async (t) => {
  const { crm, run } = await connect(t);
  const { performSubscribe, performUnsubscribe, perform, performList } =
    triggers.won_opportunity?.operation ?? assert.fail();
  const subscribeData = await run<Item>(performSubscribe, { targetUrl: "https://hooks.zapier.example/1" });
  const opportunityId = await winOpportunity(crm);
  await crm.webhooks.deliver();
  assert.equal(crm.webhooks.sent.length, 1);
  const { url, body } = crm.webhooks.sent[0] ?? assert.fail();
  const [item] = await run<Item[]>(perform, { cleanedRequest: JSON.parse(body) });
  assert.deepEqual([url, item?.opportunityId], ["https://hooks.zapier.example/1", opportunityId]);
  assert.deepEqual([item?.name, item?.id], ["Espresso bar", JSON.parse(body).data.event.id]);
  const [newest] = await run<Item[]>(performList);
  assert.equal(newest?.opportunityId, opportunityId);
  await run(performUnsubscribe, { subscribeData });
  assert.deepEqual(await crm.client.webhooks.list(), []);
});

/** Starts a CRM with the demo tenant, and Zapier's engine with its URL and its API key. */
async function connect(t: TestContext) {
  const crm = await demoTestCrm(t);
  const tester = createAppTester(app) as (perform: unknown, bundle: object) => Promise<unknown>;
  const authData = { crmUrl: crm.baseUrl, apiKey: crm.keys[0]?.key ?? "" };
  const run = async <T>(perform: unknown, bundle: object = {}) => (await tester(perform, { authData, ...bundle })) as T;
  await run(app.authentication.test);
  return { crm, run };
}
