import assert from "node:assert/strict";
import { test } from "node:test";
import type { Endpoint } from "../lib/endpoint.ts";
import { endpoints } from "../lib/endpoints/all.ts";
import { ApiError } from "../lib/errors.ts";
import { Router } from "../lib/http/router.ts";

const router = new Router(endpoints, []);
const id = "0197a3c2-7b1e-7cc0-8d3f-2f6f1f0c9a11";

/** What a request leads to, in one line. */
function way(method: string, path: string, from = router): string {
  try {
    const match = from.match(method, path);
    const { params, prefix } = match;
    return `${"endpoint" in match ? match.endpoint.name : match.page.path} ${JSON.stringify(params)} behind "${prefix}"`;
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return `${error.status} ${error.headers.Allow ?? error.message}`;
  }
}

test("every endpoint is found by its method and path, with its parameter", () => {
  for (const { name, method, path, access } of endpoints) {
    const whole = (access === "admin" ? "/integrations" : "/integrations/v1") + path.replace(":id", id);
    assert.equal(way(method, whole), `${name} ${path.includes(":id") ? `{"id":"${id}"}` : "{}"} behind ""`);
  }
});

test("a fixed segment comes before an id, in whatever order the endpoints stand", () => {
  const named = (name: string, path: string) => ({ name, path, method: "GET" }) as Endpoint;
  const pair = [named("byId", "/things/:id/parts"), named("fixed", "/things/all/parts")];
  for (const order of [pair, pair.toReversed()]) {
    const own = new Router(order, []);
    assert.equal(way("GET", "/integrations/v1/things/all/parts", own), 'fixed {} behind ""');
    assert.equal(way("GET", "/integrations/v1/things/any/parts", own), 'byId {"id":"any"} behind ""');
  }
});

test("a method that the path does not take is told those it takes, at every endpoint that shares the path", () => {
  assert.equal(way("PUT", "/integrations/v1/tasks"), "405 GET, POST");
  assert.equal(way("HEAD", `/integrations/v1/tasks/${id}`), "405 GET, PATCH, DELETE");
  assert.equal(way("GET", "/integrations/v1/contacts/opportunities/active"), "405 POST");
  assert.equal(way("get", "/integrations/api-key"), "405 GET");
});

test("there is nothing at a path with a segment too many, too few, empty or in capitals", () => {
  const nothing = "404 There is nothing at this path.";
  const paths = ["/", "", "/integrations", "/integrations/", "/integrations/v1", "/integrations/v1/", "/tasks"];
  const near = [
    "/tasks/",
    "//tasks",
    "/Tasks",
    `/tasks/${id}/`,
    `/tasks//restore`,
    `/tasks/${id}/restore/x`,
    "/%74asks",
  ];
  for (const path of [...paths, ...near.map((path) => `/integrations/v1${path}`)]) {
    assert.equal(way("GET", path), nothing, path);
  }
});

test("the prefix is all before the last place that looks like the service's own", () => {
  for (const prefix of ["", "/eu", "/eu/crm", "/integrations", "/integrations/v1/tasks", "/a%20b", "//host"]) {
    assert.equal(way("GET", `${prefix}/integrations/v1/me`), `getMe {} behind "${prefix}"`);
  }
});

test("an id is decoded, and a badly encoded one is an id that nobody has", () => {
  assert.equal(way("GET", "/integrations/v1/tasks/a%2Fb%20c"), 'getTask {"id":"a/b c"} behind ""');
  assert.equal(way("GET", "/integrations/v1/tasks/%ZZ"), 'getTask {"id":""} behind ""');
});
