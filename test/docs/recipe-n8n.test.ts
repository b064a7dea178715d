import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { test } from "node:test";
import { runInNewContext } from "node:vm";
import type { TestCrm } from "../../lib/testing/index.ts";
import { allOf, demoTestCrm, winOpportunity } from "../support/recipes.ts";

type Parameters = { readonly parameters: readonly { readonly name: string; readonly value: string }[] };
type Node = {
  readonly name: string;
  readonly retryOnFail?: boolean;
  readonly parameters: {
    readonly method?: string;
    readonly url?: string;
    readonly queryParameters?: Parameters;
    readonly headerParameters?: Parameters;
    readonly jsonBody?: string;
    readonly jsCode?: string;
    readonly options?: {
      readonly pagination?: {
        readonly pagination: { readonly parameters: Parameters; readonly completeExpression: string };
      };
    };
  };
};
type Page = { readonly headers: Record<string, string>; readonly body: { readonly data: unknown } };
type Item = { readonly json: { readonly id?: string; readonly [name: string]: unknown } };

type Workflow = {
  readonly nodes: readonly Node[];
  readonly connections: Readonly<Record<string, { main: readonly (readonly { readonly node: string }[])[] }>>;
};

const files = globSync("examples/n8n/*.json").sort();
const workflowOf = (name: string): Workflow => JSON.parse(readFileSync(`examples/n8n/${name}.json`, "utf8"));

test("the recipe links to each workflow, whose connections lead from each node to the next", () => {
  const page = readFileSync("docs/recipes/n8n.md", "utf8");
  assert.deepEqual(
    [...page.matchAll(/\]\(\.\.\/\.\.\/(examples\/n8n\/[\w-]+\.json)\)/g)].map(([, file]) => file).sort(),
    files,
  );
  for (const file of files) {
    const { nodes, connections } = JSON.parse(readFileSync(file, "utf8")) as Workflow;
    const names = nodes.map(({ name }) => name);
    assert.deepEqual(
      Object.entries(connections).map(([from, { main }]) => [
        from,
        main
          .flat()
          .map(({ node }) => node)
          .join(),
      ]),
      names.slice(1).map((name, index) => [names[index], name]),
    );
  }
});

test("changed-contacts reads all contacts, then only the changes", async (t) => {
  const crm = await demoTestCrm(t);
  for (let index = 0; index < 210; index++) await crm.client.contacts.create({ name: `Contact ${index}` });
  const staticData = {};
  const first = await runSync(crm, staticData);
  assert.ok(first.pages >= 2);
  const ids = first.contacts.map(({ json }) => json.id);
  assert.equal(new Set(ids).size, ids.length);
  const created = await crm.client.contacts.create({ name: "New" });
  await crm.client.contacts.archive(ids[0] ?? "");
  const { contacts } = await runSync(crm, staticData);
  assert.deepEqual(
    contacts.map(({ json }) => json.id),
    [ids.at(-1), created.id, ids[0]],
  );
});

test("order-contact creates or updates one contact and adds one note, also if an order comes twice", async (t) => {
  const crm = await demoTestCrm(t);
  const workflow = workflowOf("order-contact");
  const body = { orderNumber: 4711, name: "Ana Diaz", email: "ana@form.example", message: "Two\nlines" };
  for (const order of [body, body, { ...body, orderNumber: 4712, message: "Again" }]) {
    const $json = { body: order };
    const $ = () => ({ first: () => ({ json: $json }) });
    const [contact] = await perform(crm, nodeOf(workflow, "Upsert contact"), { $json });
    await perform(crm, nodeOf(workflow, "Create note"), { $, $json: contact?.body });
  }
  const contacts = await allOf(crm.client.contacts.list({ email: body.email }));
  const notes = await allOf(crm.client.notes.list({ relatedToId: contacts[0]?.id ?? "" }));
  assert.deepEqual([contacts.length, notes.map((note) => note.body)], [1, ["Two\nlines", "Again"]]);
});

test("won-opportunities creates one task for a signed message, also if it comes twice", async (t) => {
  const crm = await demoTestCrm(t);
  const workflow = workflowOf("won-opportunities");
  const { secret } = await crm.client.webhooks.create({
    url: "https://n8n.example/webhook/crm",
    types: ["opportunity.won"],
    skipOwn: false,
  });
  const id = await winOpportunity(crm);
  await crm.webhooks.deliver();
  const { headers, body } = crm.webhooks.sent[0] ?? assert.fail();
  const receive = (text: string, key = secret ?? "") => {
    const item = { json: { headers }, binary: { data: { data: Buffer.from(text).toString("base64") } } };
    const context = { Buffer, require: createRequire(import.meta.url), $input: { first: () => item } };
    return runCode(workflow, "Check signature", context, (code) => code.replace("whsec_…", key))[0]?.json;
  };
  for (const _ of ["first", "again"]) await perform(crm, nodeOf(workflow, "Create task"), { $json: receive(body) });
  const tasks = await allOf(crm.client.tasks.list({ relatedToId: id }));
  assert.deepEqual(
    tasks.map(({ title }) => title),
    ["Send the contract"],
  );
  assert.throws(() => receive(`${body} `), /signature/);
  assert.throws(() => receive(body, "whsec_AAAA"), /signature/);
});

async function runSync(crm: TestCrm, staticData: object) {
  const workflow = workflowOf("changed-contacts");
  const $getWorkflowStaticData = () => staticData;
  const [start] = runCode(workflow, "Read watermark", { $getWorkflowStaticData });
  const pages = (await perform(crm, nodeOf(workflow, "List contacts"), { $json: start?.json })).map((json) => ({
    json,
  }));
  const contacts = runCode(workflow, "One item per contact", { $input: { all: () => pages } });
  const $ = (name: string) => ({ last: () => (name === "List contacts" ? pages.at(-1) : undefined) });
  runCode(workflow, "Store watermark", { $getWorkflowStaticData, $ });
  return { pages: pages.length, contacts };
}

function nodeOf(workflow: Workflow, name: string): Node {
  const node = workflow.nodes.find((each) => each.name === name);
  assert.ok(node, name);
  return node;
}

function runCode(workflow: Workflow, name: string, context: object, edit = (code: string) => code): Item[] {
  const code = edit(nodeOf(workflow, name).parameters.jsCode ?? "");
  return Array.from(runInNewContext(`(() => {${code}})()`, context) as Item[]);
}

/** Performs the requests of an HTTP Request node, with its pagination. */
async function perform(crm: TestCrm, node: Node, values: object): Promise<Page[]> {
  assert.ok(node.retryOnFail);
  const { method = "GET", url = "", queryParameters, headerParameters, jsonBody, options } = node.parameters;
  const pagination = options?.pagination?.pagination;
  const pages: Page[] = [];
  for (;;) {
    const context = { ...values, $response: pages.at(-1) };
    const valuesOf = (list?: Parameters) =>
      (list?.parameters ?? []).map(({ name, value }): [string, string] => [name, String(evaluate(value, context))]);
    const query = [...valuesOf(queryParameters), ...valuesOf(pagination?.parameters)];
    const target = url.replace("https://crm.example.com/integrations/v1", crm.baseUrl);
    const response = await fetch(`${target}?${new URLSearchParams(query)}`, {
      method,
      headers: {
        "x-api-key": crm.keys[0]?.key ?? "",
        ...Object.fromEntries(valuesOf(headerParameters)),
        "content-type": "application/json",
      },
      ...(jsonBody !== undefined && { body: String(evaluate(jsonBody, context)) }),
    });
    assert.ok(response.ok, await response.clone().text());
    const page = { headers: Object.fromEntries(response.headers), body: (await response.json()) as Page["body"] };
    pages.push(page);
    if (!pagination || evaluate(pagination.completeExpression, { $response: page })) return pages;
  }
}

function evaluate(value: string, context: object): unknown {
  const expression = /^=\{\{([\s\S]*)\}\}$/.exec(value)?.[1];
  return expression === undefined ? value : runInNewContext(expression, context);
}
