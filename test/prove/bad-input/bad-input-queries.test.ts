import assert from "node:assert/strict";
import { test } from "node:test";
import { entityKinds, entityModels } from "../../../lib/model/entities.ts";
import { one, two, unknown, verdict } from "../../support/crm.ts";
import type { Result } from "../../support/harness.ts";
import { figures } from "../size.ts";
import { unknownParameters, wrong, wrongIds, wrongRequestStatuses } from "./invalid-queries.ts";
import { watchedCrm } from "./observed-crm.ts";

const { api, attempt, clock } = await watchedCrm();
let tried = 0;
const { body: hook } = await attempt("POST", "/webhooks", { body: { url: "https://hooks.example/" } });

const ids: Readonly<Record<string, string>> = {
  ...Object.fromEntries(entityKinds.map((kind) => [entityModels[kind].plural, one[kind]])),
  pipelines: one.pipeline,
  users: one.member,
  requests: "logged-request",
  webhooks: (hook as { data: { id: string } }).data.id,
};

/** Logs the request that `getRequest` reads. The log keeps 1,000 requests, and these tests send more. */
async function logRequest(): Promise<void> {
  await attempt("POST", "/tasks", { headers: { "x-request-id": "logged-request" }, body: {} });
  await api.idle();
}

/** Values of parameters without which an operation that has them may be rejected. */
const requiredValues: Readonly<Record<string, string>> = { q: "a", entity: "account", grantId: unknown };

/** Every operation that reads, at a path that is there, with what it needs. */
const reads = api.endpoints
  .filter(({ access, method }) => access !== "admin" && method === "GET")
  .map(({ name, path, query }) => {
    const needed = Object.keys(query).flatMap((key) =>
      requiredValues[key] === undefined ? [] : [`${key}=${requiredValues[key]}`],
    );
    return { name, path: path.replace(/:(?:id|requestId)/, ids[path.split("/")[1] ?? ""] ?? ""), query, needed };
  });

async function send(path: string, query: readonly string[], headers = {}): Promise<Result> {
  tried++;
  return attempt("GET", `${path}?${query.join("&")}`, { headers });
}

for (const { name, path, needed } of reads) {
  test(`${name} rejects ${unknownParameters.length} unknown or unreadable parameters`, async () => {
    for (const [query, where, code] of unknownParameters) {
      const rejected = verdict(await send(path, [...needed, query]));
      assert.equal(rejected, `400 validation_error: ${where} ${code}`);
    }
  });
}

test("a repeated query parameter is rejected in every encoding", async () => {
  for (const { path, query, needed } of reads) {
    for (const name of [...Object.keys(query), "tenantId"]) {
      const others = needed.filter((each) => !each.startsWith(`${name}=`));
      const value = name === "tenantId" ? one.id : "";
      const spelled = `%${name.charCodeAt(0).toString(16)}${name.slice(1)}`;
      for (const again of [name, spelled]) {
        const rejected = verdict(await send(path, [...others, `${name}=${value}`, `${again}=${value}`]));
        assert.match(
          rejected,
          new RegExp(`^400 validation_error: (?:.*, )?\\?${name} invalid_format`),
          `${path} ${rejected}`,
        );
      }
    }
  }
});

test("an error for a thousand parameters names some and counts the rest", async () => {
  for (const { path, needed } of reads) {
    const many = Array.from({ length: 1_000 }, (_, index) => `p${index}=1`);
    const rejected = await send(path, [...needed, ...many]);
    assert.match(rejected.text, /"errorCount":1000/);
  }
});

test("every filter of every list rejects invalid values", async () => {
  for (const { path, query, needed } of reads) {
    for (const name of Object.keys(query)) {
      const isId = /(?:Id|To)$/.test(name) && name !== "externalId" && name !== "grantId";
      const isRequestStatus = name === "status" && path === "/requests";
      const invalid = isRequestStatus ? wrongRequestStatuses : wrongIds;
      const values =
        isId || isRequestStatus ? invalid.map((value) => [value, "invalid_format"] as const) : (wrong[name] ?? []);
      const others = needed.filter((each) => !each.startsWith(`${name}=`));
      assert.ok(values.length > 0 || ["cursor", "grantId"].includes(name), `nothing is known of ${name}`);
      for (const [value, code] of values) {
        if (name === "status" && path === "/opportunities" && value === "open%20") continue;
        assert.equal(
          verdict(await send(path, [...others, `${name}=${value}`])),
          `400 validation_error: ?${name} ${code}`,
          `${path} ${value}`,
        );
      }
    }
  }
});

test("a tenantId in the query must match the API key, and the error doesn't reveal whether another tenant exists", async () => {
  for (const { name, path, needed } of reads) {
    await logRequest();
    const invalid = [
      two.id,
      unknown,
      "",
      "null",
      "1",
      "*",
      `${one.id},${two.id}`,
      "__proto__",
      `${one.id.slice(1)}`,
      "%00",
      "😀",
    ];
    const rejected = new Set<string>();
    for (const id of invalid) {
      const result = await send(path, [...needed, `tenantId=${id}`]);
      assert.equal(verdict(result), "422 invalid_reference: ?tenantId not_found");
      rejected.add(result.text);
      const inHeader = await send(path, needed, { "x-tenant-id": id === "😀" || id === "%00" ? "x" : id });
      assert.equal(verdict(inHeader), "422 invalid_reference: x-tenant-id not_found");
    }
    assert.equal(rejected.size, 1);
    for (const id of [one.id, one.id.toUpperCase(), `%20${one.id}`]) {
      const { status } = await send(path, [...needed, `tenantId=${id}`], { "x-tenant-id": ` ${one.id} ` });
      assert.equal(status, name === "resolveGrant" ? 404 : 200);
    }
    clock.advance(60_000);
  }
});

test("every parameter and filter rejects invalid values", (t) => figures(t, "bad-input-queries", { queries: tried }));
