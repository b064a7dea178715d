import assert from "node:assert/strict";
import { test } from "node:test";
import { runInNewContext } from "node:vm";
import { demoCrm, recipeCode } from "../support/recipes.ts";

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

const workflow = JSON.parse(recipeCode("n8n", "json")) as {
  readonly nodes: readonly Node[];
  readonly connections: Readonly<Record<string, { main: readonly (readonly { readonly node: string }[])[] }>>;
};

test("every connection of the workflow leads from a node to a node", () => {
  const names = workflow.nodes.map(({ name }) => name);
  const targets = Object.values(workflow.connections).flatMap(({ main }) => main.flat().map(({ node }) => node));
  for (const name of [...Object.keys(workflow.connections), ...targets]) assert.ok(names.includes(name), name);
});

test("the workflow reads all contacts, then only the changes", { timeout: 60_000 }, async (t) => {
  const crm = await demoCrm(t);
  for (let index = 0; index < 210; index++) await crm.send("POST", "/contacts", { name: `Contact ${index}` });
  const staticData = {};
  const first = await runSync(crm, staticData);
  assert.ok(first.pages >= 2);
  const ids = first.contacts.map(({ json }) => json.id);
  assert.equal(new Set(ids).size, ids.length);
  const { data } = await crm.send("POST", "/contacts", { name: "New" });
  await crm.send("DELETE", `/contacts/${ids[0]}`);
  const { contacts } = await runSync(crm, staticData);
  const created = (data as { id?: string }).id;
  assert.deepEqual(
    contacts.map(({ json }) => json.id),
    [ids.at(-1), created, ids[0]],
  );
});

test("two webhook calls for one order create one task", { timeout: 60_000 }, async (t) => {
  const crm = await demoCrm(t);
  assert.ok(nodeOf("Create task").retryOnFail);
  const $json = { body: { orderNumber: 4711 } };
  const [first] = await perform(crm, nodeOf("Create task"), $json);
  const [second] = await perform(crm, nodeOf("Create task"), $json);
  assert.equal(second?.headers["idempotent-replayed"], "true");
  assert.deepEqual(second?.body, first?.body);
  const task = first?.body.data as { readonly title?: string } | undefined;
  assert.equal(task?.title, "Confirm order 4711");
});

async function runSync(crm: { baseUrl: string; apiKey: string }, staticData: object) {
  const $getWorkflowStaticData = () => staticData;
  const [start] = runCode("Read watermark", { $getWorkflowStaticData });
  const pages = (await perform(crm, nodeOf("List contacts"), start?.json)).map((json) => ({ json }));
  const contacts = runCode("One item per contact", { $input: { all: () => pages } });
  const $ = (name: string) => ({ last: () => (name === "List contacts" ? pages.at(-1) : undefined) });
  runCode("Store watermark", { $getWorkflowStaticData, $ });
  return { pages: pages.length, contacts };
}

function nodeOf(name: string): Node {
  const node = workflow.nodes.find((each) => each.name === name);
  assert.ok(node, name);
  return node;
}

function runCode(name: string, context: object): Item[] {
  return Array.from(runInNewContext(`(() => {${nodeOf(name).parameters.jsCode}})()`, context) as Item[]);
}

/** Performs the requests of an HTTP Request node, with its pagination. */
async function perform(crm: { baseUrl: string; apiKey: string }, node: Node, $json: unknown): Promise<Page[]> {
  const { method = "GET", url = "", queryParameters, headerParameters, jsonBody, options } = node.parameters;
  const pagination = options?.pagination?.pagination;
  const pages: Page[] = [];
  for (;;) {
    const context = { $json, $response: pages.at(-1) };
    const valuesOf = (list?: Parameters) =>
      (list?.parameters ?? []).map(({ name, value }): [string, string] => [name, String(evaluate(value, context))]);
    const query = [...valuesOf(queryParameters), ...valuesOf(pagination?.parameters)];
    const target = url.replace("https://crm.example.com/integrations/v1", crm.baseUrl);
    const response = await fetch(`${target}?${new URLSearchParams(query)}`, {
      method,
      headers: {
        "x-api-key": crm.apiKey,
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
