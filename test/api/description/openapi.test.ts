import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { openApiDocument } from "../../../build/openapi/document.ts";
import { openApiFile } from "../../../build/openapi/write.ts";
import { endpoints } from "../../../lib/endpoints/index.ts";
import { Reader } from "../../openapi/reader.ts";

type Node = { readonly [key: string]: Node } & { readonly length?: number };

const committed = JSON.parse(readFileSync(openApiFile, "utf8"));

/** Every object in a document, with its path. */
function* nodes(value: unknown, path = ""): Generator<[string, Node]> {
  if (typeof value !== "object" || value === null) return;
  yield [path, value as Node];
  for (const [key, each] of Object.entries(value)) yield* nodes(each, `${path}/${key.replaceAll("/", "~1")}`);
}

const operations = Object.values(committed.paths as Node)
  .flatMap((methods) => Object.entries(methods))
  .filter(([method]) => method !== "servers")
  .map(([, operation]) => operation as Node);

test("docs/openapi.json is up to date with the code (npm run openapi)", async () => {
  assert.deepEqual(committed, await openApiDocument());
});

test("the operations are the endpoints, with the same names", () => {
  assert.deepEqual(
    operations.map(({ operationId }) => operationId as unknown),
    endpoints.map(({ name }) => name),
  );
});

test("every parameter, property, header, response, tag and operation has a description", () => {
  const silent = [...nodes(committed)].filter(([path, node]) => {
    if (path.includes("/example")) return false;
    const isNamed = /\/(properties|parameters|headers|responses|tags)\/[^/]+$/.test(path) || "operationId" in node;
    return isNamed && node.description === undefined && node.$ref === undefined && !path.includes("/allOf/");
  });
  assert.deepEqual(
    silent.map(([path]) => path),
    [],
  );
});

test("no description repeats its default or has a gap in a sentence", () => {
  const texts = [...nodes(committed)].flatMap(([path, { description }]) =>
    typeof description === "string" ? [[path, description] as const] : [],
  );
  assert.ok(texts.length > 500);
  const broken = texts.filter(([, text]) => /Default: .*Default: | : \.|undefined|the `:/.test(text));
  assert.deepEqual(broken, []);
});

test("GET /search names the scope of each kind", () => {
  const { get } =
    (committed as { paths: Record<string, Record<string, { "x-scope": unknown }>> }).paths["/search"] ?? {};
  const values = { account: "accounts:read", contact: "contacts:read", opportunity: "opportunities:read" };
  assert.deepEqual(get?.["x-scope"], { parameter: "entity", values });
});

test("every required parameter and every body has an example, and no optional parameter has one", () => {
  const wrong = [...nodes(committed)].filter(([path, node]) => {
    if (path.includes("/value/") || node.$ref !== undefined) return false;
    const isParameter = /\/parameters\/[^/]+$/.test(path);
    if (!isParameter && !/\/content\/application~1json$/.test(path)) return false;
    const hasExample = "example" in node || "examples" in node || "examples" in (node.schema ?? {});
    return hasExample !== (!isParameter || Boolean(node.required));
  });
  assert.deepEqual(
    wrong.map(([path]) => path),
    [],
  );
});

test("every example fits its schema", () => {
  const reader = new Reader(committed);
  const shown = [...nodes(committed)].flatMap(([path, node]) => {
    if (path.includes("/value/") || node.schema === undefined) return [];
    const examples = Object.keys(node.examples ?? {}).map((key) => reader.at(`${path}/examples/${key}`).value?.value);
    const own = Object.values(node.schema.examples ?? {});
    const values = [...examples, ...own, ...("example" in node ? [node.example] : [])];
    return values.map((value) => ({ path, misfits: reader.schemaErrors(`${path}/schema`, value, "") }));
  });
  assert.ok(shown.length > 200, `${shown.length} examples`);
  assert.deepEqual(
    shown.filter(({ misfits }) => misfits.length > 0),
    [],
  );
});

test("the description has a security requirement that collections inherit", () => {
  const { security, components } = committed as {
    security: readonly Readonly<Record<string, readonly string[]>>[];
    components: { securitySchemes: object };
  };
  assert.deepEqual(security, [{ apiKey: [] }, { bearerKey: [] }]);
  for (const name of ["apiKey", "bearerKey"]) assert.ok(name in components.securitySchemes);
});

test("client generators can use the description", () => {
  const nodesWith = (key: string) => [...nodes(committed)].filter(([, node]) => key in node).map(([path]) => path);
  const schemas = Object.keys((committed as { components: { schemas: object } }).components.schemas);
  // Generators derive types with these names from operations.
  assert.deepEqual(
    schemas.filter((name) => /^New|(Request|Response|Body|Params|Headers)$/.test(name)),
    [],
  );
  // orval derives type names from operations: the result of `search` would be `SearchResult`.
  const results = operations.map(({ operationId }) => `${String(operationId)}Result`.toLowerCase());
  assert.deepEqual(
    schemas.filter((name) => results.includes(name.toLowerCase())),
    [],
  );
  const errors = nodesWith("x-error-codes").map((path) => `${path}/content/application~1json/schema`);
  const reader = new Reader(committed);
  assert.ok(errors.length > 50);
  for (const path of errors) assert.equal(reader.at(path).pointer, "/components/schemas/Error", path);
  // Every response body has a name.
  const bodies = [...nodes(committed)].filter(([path]) =>
    /\/responses\/\d+\/content\/application~1json\/schema$/.test(path),
  );
  assert.deepEqual(
    bodies.filter(([, node]) => node.$ref === undefined).map(([path]) => path),
    [],
  );
});
