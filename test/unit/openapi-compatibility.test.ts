import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { openApiFile } from "../../build/openapi/write.ts";
import { breakingChanges } from "../openapi/compatibility.ts";
import type { Tree } from "../openapi/schema-compatibility.ts";
import { type Edits, edited } from "../support/tenant-file-edit.ts";

const released = globSync("test/openapi/released/*.json").sort();

assert.ok(released.length > 0);
for (const file of released) {
  test(`docs/openapi.json has no breaking change since ${file}`, () => {
    const read = (path: string | URL): Tree => JSON.parse(readFileSync(path, "utf8"));
    const changes = breakingChanges(read(file), read(openApiFile));
    assert.deepEqual(changes, []);
  });
}

const text = { type: "string", maxLength: 10 };
const thing = {
  type: "object",
  properties: {
    name: { ...text, description: "A text." },
    size: { type: ["number", "null"] },
    colour: { type: "string", enum: ["red", "blue"] },
    at: { type: "string", format: "date-time" },
    parts: { type: "array", items: { $ref: "#/components/schemas/Part" } },
  },
  required: ["name", "size"],
  additionalProperties: false,
};
const part = { type: "object", properties: { id: text }, required: ["id"], additionalProperties: false };
const json = (name: string) => ({ "application/json": { schema: { $ref: `#/components/schemas/${name}` } } });
const limit = { name: "limit", in: "query", schema: { type: "integer", minimum: 1, maximum: 200 } };

/** A description with a list, a POST, a request schema and a response schema. */
const small = {
  servers: [{ url: "/v1" }],
  paths: {
    "/things": {
      get: {
        operationId: "listThings",
        parameters: [limit, { $ref: "#/components/parameters/Trace" }],
        responses: {
          200: { headers: { Link: { required: true }, Age: {} }, content: json("Thing") },
          404: { $ref: "#/components/responses/NotFound" },
        },
      },
      post: { operationId: "makeThing", requestBody: { content: json("NewThing") }, responses: { 201: {} } },
    },
  },
  components: {
    parameters: { Trace: { name: "X-Trace", in: "header", schema: text } },
    responses: { NotFound: { content: json("Part") } },
    schemas: { Thing: thing, NewThing: thing, Part: part },
  },
};

/** A copy without shared objects. Its path has no slash, so that edits can contain it. */
const base: unknown = JSON.parse(JSON.stringify({ ...small, paths: { things: small.paths["/things"] } }));
const get = "/paths/things/get";

/** Returns the breaking changes that these edits cause. */
function changesOf(edits: Edits): readonly string[] {
  return breakingChanges(base as Tree, edited(base, edits) as Tree);
}

const shown = "/components/schemas/Thing";
const sent = "/components/schemas/NewThing";

test("additions and changed texts are not breaking", () => {
  assert.deepEqual(changesOf({}), []);
  assert.deepEqual(
    changesOf({
      "/paths/others": { get: { responses: {} } },
      "/paths/things/delete": { responses: {} },
      "/servers/0/description": "Another text.",
      [`${get}/summary`]: "Things",
      [`${get}/parameters/2`]: { name: "colour", in: "query", schema: text },
      [`${get}/responses/429`]: {},
      [`${get}/responses/200/headers/Retry`]: {},
      [`${shown}/properties/weight`]: { type: "number" },
      [`${shown}/properties/name/description`]: "Another text.",
      [`${shown}/required/2`]: "weight",
      [`${sent}/properties/weight`]: { type: "number" },
    }),
    [],
  );
});

test("wider request schemas and narrower response schemas are not breaking", () => {
  assert.deepEqual(
    changesOf({
      [`${get}/parameters/0/schema/maximum`]: 500,
      [`${get}/parameters/0/schema/minimum`]: 0,
      [`${sent}/properties/name/maxLength`]: 20,
      [`${sent}/properties/colour/enum/2`]: "green",
      [`${sent}/properties/at/format`]: undefined,
      [`${sent}/properties/parts/items`]: {},
      [`${sent}/required`]: ["name"],
      [`${shown}/properties/size/type`]: "number",
      [`${shown}/properties/name/maxLength`]: 5,
      [`${shown}/properties/name/pattern`]: "^a",
      [`${shown}/properties/colour/enum/2`]: "green",
    }),
    [],
  );
});

const cases: Readonly<Record<string, readonly [Edits, ...string[]]>> = {
  "a removed path": [{ "/paths/things": undefined }, "GET things was removed", "POST things was removed"],
  "a removed operation": [{ [get]: undefined }, "GET things was removed"],
  "another operationId": [{ [`${get}/operationId`]: "getThings" }, "GET things: the operationId changed"],
  "another server": [{ "/servers/0/url": "/v2" }, "the servers changed"],
  "another server of a path": [
    { "/paths/things/servers": [{ url: "/" }] },
    "GET things is on another server",
    "POST things is on another server",
  ],
  "another scope": [{ [`${get}/x-scope`]: "things:read" }, "GET things: the required permission changed"],
  "a removed parameter": [{ [`${get}/parameters/0`]: undefined }, "GET things: the parameter ?limit was removed"],
  "a renamed shared parameter": [
    { "/components/parameters/Trace/name": "X-Id" },
    "GET things: the parameter X-Trace was removed",
  ],
  "a parameter that becomes required": [
    { [`${get}/parameters/0/required`]: true },
    "GET things: the parameter ?limit is now required",
  ],
  "a new parameter that is required": [
    { [`${get}/parameters/2`]: { ...limit, name: "size", required: true } },
    "GET things: the new parameter ?size is required",
  ],
  "a narrower range of a parameter": [
    { [`${get}/parameters/0/schema`]: { type: "integer", minimum: 2, maximum: 100 } },
    "GET things: ?limit has a smaller maximum",
    "GET things: ?limit has a larger minimum",
  ],
  "a body that becomes required": [
    { "/paths/things/post/requestBody/required": true },
    "POST things: a body is now required",
  ],
  "a removed body": [{ "/paths/things/post/requestBody": undefined }, "POST things: the body was removed"],
  "a key that becomes required": [{ [`${sent}/required/2`]: "at" }, "POST things: the body.at is now required"],
  "a key that may no longer be sent": [
    { [`${sent}/properties/at`]: undefined },
    "POST things: the body.at was removed",
  ],
  "a key that may no longer be null": [
    { [`${sent}/properties/size/type`]: "number" },
    "POST things: the body.size may no longer be null",
  ],
  "a removed value of a key": [
    { [`${sent}/properties/colour/enum`]: ["red"] },
    "POST things: the body.colour no longer has the value blue",
  ],
  "a pattern": [{ [`${sent}/properties/name/pattern`]: "^a" }, "POST things: the body.name has a different pattern"],
  "a removed status": [{ [`${get}/responses/200`]: undefined }, "GET things: 200 was removed"],
  "a removed header": [
    { [`${get}/responses/200/headers/Age`]: undefined },
    "GET things: 200 no longer has the header Age",
  ],
  "a header that may be missing": [
    { [`${get}/responses/200/headers/Link`]: {} },
    "GET things: 200 no longer requires the header Link",
  ],
  "another content type": [
    { [`${get}/responses/200/content`]: { "text/csv": {} } },
    "GET things: 200 is no longer application/json",
  ],
  "a removed member": [{ [`${shown}/properties/at`]: undefined }, "GET things: 200.at was removed"],
  "an optional member": [{ [`${shown}/required`]: ["name"] }, "GET things: 200.size is no longer required"],
  "a member that may be null": [
    { [`${shown}/properties/name/type`]: ["string", "null"] },
    "GET things: 200.name may now be null",
  ],
  "a lost value": [
    { [`${shown}/properties/colour/enum`]: ["red", "green"] },
    "GET things: 200.colour no longer has the value blue",
  ],
  "a lost format": [{ [`${shown}/properties/at/format`]: undefined }, "GET things: 200.at has a different format"],
  "a changed member of a shared schema": [
    { "/components/schemas/Part/properties/id": { type: "integer" } },
    "GET things: 200.parts[].id may now be integer",
    "GET things: 404.id may now be integer",
    "POST things: the body.parts[].id may no longer be string",
  ],
};

for (const [name, [edits, ...expected]] of Object.entries(cases)) {
  test(`finds a breaking change: ${name}`, () => {
    assert.deepEqual(changesOf(edits), expected);
  });
}
