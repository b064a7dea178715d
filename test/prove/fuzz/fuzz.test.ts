import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import fc from "fast-check";
import type { Endpoint } from "../../../lib/index.ts";
import type { Kind } from "../../../lib/model/kinds.ts";
import { exportTenantFile } from "../../../lib/tenant-file/index.ts";
import { one, two } from "../../support/crm.ts";
import { errorOf } from "../../support/responses.ts";
import { figures, full, seed, size } from "../size.ts";
import { changedJson } from "./changes.ts";
import { checkRequest, findLogged } from "./checks.ts";
import { fuzzCrm } from "./fuzz-crm.ts";
import { draftOf } from "./requests.ts";

const crm = await fuzzCrm();
const { endpoints } = crm.api;
const requests = size(1_500, 20_000);

/** Searches the secrets of webhooks in everything that leaves the server, and in stored responses. */
async function assertNoSecrets({ storage, errorLog, readRequestLog }: typeof crm): Promise<void> {
  const tenants = [one.id, two.id];
  const list = <K extends Kind>(kind: K) =>
    Promise.all(tenants.map((tenant) => storage.list(tenant, kind, { includeArchived: true })));
  const secrets = (await list("webhook"))
    .flat()
    .flatMap(({ secret, previousSecret }) => [secret, previousSecret ?? secret]);
  assert.ok(new Set(secrets).size >= size(2, 10), `${secrets.length} secrets`);
  const texts = {
    "error log": errorLog.join("\n"),
    "request log": (await readRequestLog()).toString("latin1"),
    events: JSON.stringify(await list("event")),
    "states of webhooks": JSON.stringify(await list("webhookState")),
    "stored responses": JSON.stringify(await list("idempotencyRecord")),
    "tenant files": JSON.stringify(await Promise.all(tenants.map((tenant) => exportTenantFile(storage, tenant)))),
  };
  for (const [name, text] of Object.entries(texts))
    assert.deepEqual(
      secrets.filter((secret) => text.includes(secret.slice("whsec_".length, 40))),
      [],
      name,
    );
}

test("each repeated form of a list parameter adds one element", () => {
  const add = (key: string) => [{ at: 1, how: "add" as const, key, value: null }];
  assert.equal(changedJson({ list: [1] }, add("length")), '{"list":[1,null]}');
  assert.equal(changedJson({ list: [1] }, add("__proto__")), '{"list":[1,null]}');
  assert.equal(changedJson({ list: [1] }, add("0")), '{"list":[null]}');
  assert.equal(changedJson({ list: {} }, add("__proto__")), '{"list":{"__proto__":null}}');
});

test("every random request gets a documented response, and a rejected one stores nothing", {
  timeout: size(300_000, 3_600_000),
}, async (t) => {
  const outcomes = new Map<string, number>();
  const served = new Set<string>();
  const sent = { values: new Set<string>(), names: new Set<string>() };
  let count = 0;
  // Writes can fail in most ways, so they are frequent. Archives are rare, so that active records remain.
  const weightOf = ({ name, method }: Endpoint) => (/^(?:create|update)/.test(name) ? 6 : method === "DELETE" ? 1 : 2);
  const weighed = endpoints.flatMap((endpoint): Endpoint[] => Array(weightOf(endpoint)).fill(endpoint));
  const anyDraft = fc.constantFrom(...weighed).chain(draftOf);
  await fc.assert(
    fc.asyncProperty(anyDraft, async (draft) => {
      const result = await checkRequest(crm, draft, count++ % 5 === 0, sent);
      const outcome = result.status < 400 ? String(result.status) : `${result.status} ${errorOf(result).code}`;
      outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
      if (result.status < 400) served.add(draft.endpoint);
    }),
    // A failure depends on the records of earlier requests, so a smaller request would be another case.
    { numRuns: requests, seed, endOnFailure: true },
  );
  const successes = ["200", "201", "204"].reduce((sum, status) => sum + (outcomes.get(status) ?? 0), 0);
  t.diagnostic(
    [...outcomes]
      .sort(([, a], [, b]) => b - a)
      .map(([outcome, times]) => `${outcome}: ${times}`)
      .join(", "),
  );
  // If all requests are rejected by the first check, the other checks aren't tested.
  assert.ok(successes > requests / 5, `${successes} of ${requests} succeeded`);
  if (full)
    assert.deepEqual(
      endpoints.map(({ name }) => name).filter((name) => !served.has(name)),
      [],
    );
  // The log has words of the API and options of custom fields, and no other text that was sent as a value.
  const catalog = await crm.storage.list(one.id, "customField", { includeArchived: true });
  const known =
    readFileSync("docs/openapi.json", "utf8") + JSON.stringify(catalog.map((field) => [field.key, field.options]));
  const logged = await findLogged(crm, sent, known);
  t.diagnostic(`${sent.values.size} sent values searched in the request log`);
  assert.deepEqual(logged, []);
  const events = JSON.stringify(await crm.storage.list(one.id, "event", {}));
  assert.match(events, /"account\.updated"/);
  const keys = await crm.storage.list(one.id, "apiKey", { includeArchived: true });
  assert.deepEqual(
    keys.filter(({ hash }) => events.includes(hash)),
    [],
  );
  assert.doesNotMatch(events, /crm_(?:live|test)_\w{20}/);
  await assertNoSecrets(crm);
  figures(t, "fuzz", { requests: count, accepted: successes, "kinds of responses": outcomes.size });
});
