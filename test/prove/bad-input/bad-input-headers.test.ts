import assert from "node:assert/strict";
import { test } from "node:test";
import { dataOf, one, two, unknown, verdict } from "../../support/crm.ts";
import { assertContract } from "../response-contract.ts";
import { figures } from "../size.ts";
import { watchedCrm } from "./observed-crm.ts";

const { api, attempt, send } = await watchedCrm();
let tried = 0;

const posts = [
  ["/accounts", { name: "Header" }],
  ["/contacts", { name: "Header" }],
  ["/opportunities", { name: "Header" }],
  ["/tasks", { title: "Header" }],
  [`/tasks/${one.task}/restore`, {}],
  ["/contacts/opportunities/active", { tenantId: one.id, emails: [] }],
] as const;

const uuid = "0197B0C4-5d2e-7f31-9a64-8e1f0c2b7d53";

/** Values of Idempotency-Key that are empty, too long or not printable ASCII. */
const noKeys = ["", " ", '""', ' "" ', "x".repeat(256), `"${"x".repeat(256)}"`, "x".repeat(10_000), "\u00e9", "a\tb"];

test("every POST rejects an invalid Idempotency-Key, and creates nothing", async () => {
  for (const [path, body] of posts) {
    for (const key of noKeys) {
      const rejected = await attempt("POST", path, { body, headers: { "idempotency-key": key } });
      assert.equal(verdict(rejected), "400 validation_error: Idempotency-Key invalid_format", key);
      tried++;
    }
  }
});

test("an Idempotency-Key is ignored unless the method is POST", async () => {
  for (const key of noKeys) {
    assert.equal((await attempt("GET", "/me", { headers: { "idempotency-key": key } })).status, 200);
    const headers = { "idempotency-key": key };
    assert.equal((await attempt("PATCH", `/tasks/${one.task}`, { body: {}, headers })).status, 200);
    tried += 2;
  }
});

test("a UUID is the same Idempotency-Key in any case, in quotes and with spaces around", async () => {
  const spelled = [uuid, uuid.toLowerCase(), uuid.toUpperCase(), `"${uuid}"`, ` ${uuid} `, `\t"${uuid.toLowerCase()}"`];
  const made = new Set<string>();
  for (const key of spelled) {
    const result = await attempt("POST", "/tasks", { body: { title: "Once" }, headers: { "idempotency-key": key } });
    made.add(dataOf(result, 201).id);
  }
  assert.equal(made.size, 1);
});

test("an Idempotency-Key of a different request is rejected", async () => {
  const others: readonly (readonly [path: string, body: unknown])[] = [
    ["/tasks", { title: "once" }],
    ["/tasks", { title: "Once", description: null }],
    ["/tasks", { title: "Once", tenantId: one.id }],
    [`/tasks?tenantId=${one.id}`, { title: "Once" }],
    ["/accounts", { name: "Once" }],
    ["/contacts/opportunities/active", { tenantId: one.id, emails: [] }],
    [`/tasks/${one.task}/restore`, {}],
  ];
  for (const [path, body] of others) {
    const rejected = await attempt("POST", path, { body, headers: { "idempotency-key": uuid } });
    assert.equal(verdict(rejected), "422 idempotency_key_reused");
    tried++;
  }
});

test("a valid X-Request-Id is returned with every response, and an invalid one is replaced", async () => {
  const good = ["a", "A-Z.a_z:0-9", "x".repeat(128), uuid, "1", "-", "..", "::"];
  const bad = ["", " ", "a b", "x".repeat(129), "a/b", "<a>", "\u00e9", "a,b", '"a"', "a;b", "a%0d%0ab", "a\tb", "{}"];
  const sent = [
    ["GET", "/me", {}],
    ["GET", "/nothing", {}],
    ["PUT", "/tasks", {}],
    ["GET", "/me", { key: null }],
    ["GET", "/tasks?limit=0", {}],
    ["POST", "/tasks", { raw: "{" }],
    ["POST", "/tasks", { body: {}, headers: { "content-length": "1048577" } }],
    ["GET", "/users", { key: one.readKey }],
    ["GET", `/tasks/${unknown}`, {}],
    ["POST", "/tasks", { body: { title: "x", tenantId: two.id } }],
  ] as const;
  for (const [method, path, request] of sent) {
    for (const id of [...good, ...bad]) {
      const headers = { ...("headers" in request ? request.headers : {}), "x-request-id": id };
      const result = await send(method, path, { key: one.key, ...request, headers });
      assertContract(result, good.includes(id) ? id : undefined);
      if (bad.includes(id)) assert.notEqual(result.headers.get("x-request-id"), id);
      tried++;
    }
  }
});

/** Headers without a valid API key, or with two. */
const invalidCredentials: readonly Readonly<Record<string, string>>[] = [
  {},
  { "x-api-key": "" },
  { "x-api-key": "null" },
  { "x-api-key": `${one.key}0` },
  { "x-api-key": one.key.slice(0, -1) },
  { "x-api-key": one.key.toLowerCase() },
  { "x-api-key": `Bearer ${one.key}` },
  { "x-api-key": `${one.key}, ${one.key}` },
  { "x-api-key": `"${one.key}"` },
  { "x-api-key": "\u00e9".repeat(100) },
  { "x-api-key": one.revokedKey },
  { "x-api-key": one.expiredKey },
  { "x-api-key": "x".repeat(15_000) },
  { authorization: "" },
  { authorization: one.key },
  { authorization: "Bearer" },
  { authorization: `Bearer${one.key}` },
  { authorization: `Basic ${Buffer.from(`a:${one.key}`).toString("base64")}` },
  { authorization: `Bearer ${one.key} ${one.key}` },
  { authorization: `Bearer ${one.key},` },
  { authorization: `Token ${one.key}` },
  { authorization: "Bearer eyJhbGciOiJub25lIn0.eyJzdWIiOiJhIn0." },
  { "x-api-key": one.key, authorization: `Bearer ${one.secondKey}` },
  { "x-api-key": one.key, authorization: `Bearer ${two.key}` },
  { cookie: `x-api-key=${one.key}` },
  { "api-key": one.key },
];

test("every operation returns 401 without a valid API key and says how to authenticate", async () => {
  const paths = api.endpoints
    .filter(({ access }) => access !== "admin")
    .map(({ method, path }) => [method, path] as const);
  for (const [method, path] of paths) {
    for (const headers of invalidCredentials) {
      const rejected = await attempt(method, path.replace(":id", one.task), { key: null, headers });
      assert.ok(["401 unauthorized", "429 rate_limited"].includes(verdict(rejected)), JSON.stringify(headers));
      if (rejected.status === 401) assert.match(rejected.headers.get("www-authenticate") ?? "", /^Bearer realm=/);
      tried++;
    }
  }
});

test("invalid headers are rejected or ignored", (t) => figures(t, "bad-input-headers", { headers: tried }));
