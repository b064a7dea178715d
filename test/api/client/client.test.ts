import assert from "node:assert/strict";
import { after, test } from "node:test";
import {
  type ClientOptions,
  CrmConnectionError,
  CrmError,
  createClient,
  type Task,
} from "../../../lib/client/index.ts";
import { baseUrl, testCrm } from "../../support/harness.ts";
import { testTenant } from "../../support/tenants.ts";

const one = testTenant(1);
const crm = await testCrm([one]);
after(() => crm.api.close());

type Fetch = NonNullable<ClientOptions["fetch"]>;
const direct: Fetch = (url, init) => crm.api.fetch(new Request(url, init));

/** A client, the requests that it sent, and how long it waited before each try. */
function clientWith(fetch: Fetch = direct, options: Partial<ClientOptions> = {}) {
  crm.clock.advance(60_000);
  const requests: { url: string; init: RequestInit }[] = [];
  const waits: number[] = [];
  const client = createClient({
    baseUrl: `${baseUrl}/`,
    apiKey: one.key,
    fetch: (url, init) => {
      requests.push({ url, init });
      return fetch(url, init);
    },
    wait: async (ms) => void waits.push(ms),
    ...options,
  });
  const keys = () => requests.map(({ init }) => new Headers(init.headers).get("idempotency-key"));
  return { client, requests, waits, keys };
}

/** Does this to the first calls, one after the other; later ones go through. */
function first(...faults: ((response: Promise<Response>) => Promise<Response>)[]): Fetch {
  return (url, init) => {
    const response = direct(url, init);
    return faults.shift()?.(response) ?? response;
  };
}

/** Completes the request and loses its response. */
async function dropped(response: Promise<Response>): Promise<Response> {
  await response;
  throw new TypeError("fetch failed");
}

function respondWith(status: number, headers: Record<string, string> = {}): () => Promise<Response> {
  const error = { code: status === 429 ? "rate_limited" : "internal_error", message: "Later." };
  return async () => new Response(JSON.stringify({ error }), { status, headers });
}

async function titled(title: string): Promise<Task[]> {
  const found: Task[] = [];
  for await (const task of clientWith().client.tasks.list().records()) if (task.title === title) found.push(task);
  return found;
}

test("a create whose response is lost is retried with the same Idempotency-Key and happens once", async () => {
  const { client, keys } = clientWith(first(dropped, dropped));
  const task = await client.tasks.create({ title: "Once", relatedTo: { type: "contact", id: one.contact } });
  assert.deepEqual(await titled("Once"), [task]);
  assert.equal(keys().length, 3);
  assert.equal(new Set(keys()).size, 1);
  await client.tasks.create({ title: "Twice" }, { idempotencyKey: "0197a3c2-7b1e-7cc0-8d3f-2f6f1f0c9a11" });
  assert.equal(keys().at(-1), "0197a3c2-7b1e-7cc0-8d3f-2f6f1f0c9a11");
});

test("429 and 503 are retried after Retry-After, 500 and lost connections with growing delays, up to the limit", async () => {
  const limited = clientWith(first(respondWith(429, { "retry-after": "7" }), respondWith(503, { "retry-after": "0" })));
  await limited.client.me();
  assert.deepEqual(limited.waits, [7000, 0]);

  const growing = clientWith(async () => Promise.reject(new TypeError("fetch failed")));
  await assert.rejects(growing.client.me(), CrmConnectionError);
  assert.equal(growing.requests.length, 5);
  for (const [index, ms] of growing.waits.entries()) assert.ok(ms >= 0 && ms <= 250 * 2 ** index, `${ms}`);

  const far = clientWith(first(respondWith(503, { "retry-after": "99999999999" })));
  await far.client.me();
  assert.deepEqual(far.waits, [2 ** 31 - 1], "a timer that is set to more goes off at once");

  const retryingOnce = clientWith(respondWith(500), { retries: 1 });
  await assert.rejects(retryingOnce.client.me(), { name: "CrmError", status: 500, code: "internal_error" });
  assert.equal(retryingOnce.requests.length, 2);
});

test("an invalid request throws CrmError with its code and all field errors, without a retry", async () => {
  const { client, requests } = clientWith();
  const body = { title: "", priority: "urgent" as "high" };
  await assert.rejects(client.tasks.create(body), (error) => {
    assert.ok(error instanceof CrmError);
    assert.deepEqual([error.status, error.code, requests.length], [400, "validation_error", 1]);
    assert.deepEqual(
      error.fieldErrors.map(({ path, code }) => [path, code]),
      [
        ["/title", "required"],
        ["/priority", "not_an_option"],
      ],
    );
    assert.match(error.requestId ?? "", /^[0-9a-f-]{36}$/);
    return true;
  });
  await client.accounts.create({ name: "Taken" });
  await assert.rejects(client.accounts.create({ name: "TAKEN" }), { code: "duplicate", status: 409 });
  const page = clientWith(async () => new Response("<h1>Bad gateway</h1>", { status: 418 })).client.me();
  await assert.rejects(page, { status: 418, code: "unknown", message: "The server responded with status 418." });
});

test("list() iterates over pages or records with its filters, and requests only the pages that are read", async () => {
  const { client, requests } = clientWith();
  for (let index = 0; index < 5; index++)
    await client.contacts.create({ name: `Listed ${index}`, externalId: "listed" });
  const sizes: number[] = [];
  for await (const page of client.contacts.list({ externalId: "listed", limit: 2 })) sizes.push(page.data.length);
  assert.deepEqual(sizes, [2, 2, 1]);
  const names: string[] = [];
  for await (const { name } of client.contacts.list({ externalId: "listed", limit: 2 }).records()) names.push(name);
  assert.deepEqual(
    names,
    [0, 1, 2, 3, 4].map((index) => `Listed ${index}`),
  );
  const before = requests.length;
  let stored: string | null = null;
  for await (const { nextCursor } of client.contacts.list({ externalId: "listed", limit: 2 })) {
    stored = nextCursor;
    break;
  }
  assert.equal(requests.length - before, 1);
  const rest: string[] = [];
  const later = { externalId: "listed", limit: 2, cursor: stored };
  for await (const { name } of client.contacts.list(later as object).records()) rest.push(name);
  assert.deepEqual(rest, names.slice(2), "a cursor of an unknown type doesn't restart the list");
});

test("the pages of list() have the number of matches only with count: true", async () => {
  const { client } = clientWith();
  const all: Task[] = [];
  for await (const task of client.tasks.list({ status: "pending" }).records()) all.push(task);
  for await (const { count } of client.tasks.list({ status: "pending", count: true, limit: 1 })) {
    assert.deepEqual(count, { count: all.length, isMinimum: false });
    break;
  }
  for await (const page of client.tasks.list({ limit: 1 })) {
    assert.deepEqual(Object.keys(page).sort(), ["data", "nextCursor", "nextUpdatedSince"]);
    break;
  }
});

test("a record can be read, updated, archived and restored, also if the response to the archive is lost", async () => {
  const { client } = clientWith(
    first(
      (response) => response,
      (response) => response,
      dropped,
    ),
  );
  const { id } = await client.tasks.create({ title: "Life" });
  assert.equal((await client.tasks.update(id, { status: "completed" })).status, "completed");
  await client.tasks.archive(id);
  await assert.rejects(client.tasks.get(id), { code: "not_found" });
  await assert.rejects(client.tasks.archive(id), { code: "not_found" });
  assert.equal((await client.tasks.restore(id)).id, id);
  assert.equal((await client.tasks.get(id)).title, "Life");
});

test("archive throws 404 for an unknown record after a 429", async () => {
  const { client } = clientWith(first(respondWith(429)));
  await assert.rejects(client.tasks.archive("0197a3c2-7b1e-7cc0-8d3f-2f6f1f0c9a11"), { code: "not_found" });
});

test("pipelines, users, custom fields, active opportunities and me can be read", async () => {
  const { client, requests, keys } = clientWith();
  assert.equal((await client.pipelines.list())[0]?.id, one.pipeline);
  assert.equal((await client.pipelines.get(one.pipeline)).stages[0]?.id, one.stage);
  assert.equal((await client.users.list({ email: "ana@tenant.test" }))[0]?.id, one.admin);
  assert.equal((await client.users.get(one.member)).name, "Max Member");
  assert.deepEqual(await client.customFields.list("contact"), []);
  const [carla, missing] = await client.contacts.activeOpportunities(["carla@acme.test", "no@acme.test"]);
  assert.deepEqual([carla?.opportunities[0]?.id, missing?.contactId], [one.opportunity, null]);
  await client.contacts.activeOpportunities([]);
  assert.deepEqual(keys().filter(Boolean), [], "read-only requests have no Idempotency-Key");
  await client.contacts.activeOpportunities([], { idempotencyKey: "0197a3c2-7b1e-7cc0-8d3f-2f6f1f0c9a12" });
  assert.equal(keys().at(-1), "0197a3c2-7b1e-7cc0-8d3f-2f6f1f0c9a12");
  assert.equal(requests.filter(({ url }) => url.endsWith("/me")).length, 1);
  await assert.rejects(client.grants.resolve("none"), { code: "not_found" });
  assert.equal((await client.me()).tenantId, one.id);
});

test("an aborted call ends at once, also while it waits for a retry", async () => {
  const controller = new AbortController();
  const { client } = clientWith(respondWith(503, { "retry-after": "3600" }), {
    wait: () => {
      controller.abort(new Error("enough"));
      return new Promise(() => {});
    },
  });
  await assert.rejects(client.me({ signal: controller.signal }), { message: "enough" });
  await assert.rejects(client.me({ signal: AbortSignal.abort(new Error("before")) }), { message: "before" });
});

test("get with includeArchived returns an archived record", async () => {
  const { client } = clientWith();
  const { id } = await client.tasks.create({ title: "Old" });
  await client.tasks.archive(id);
  await assert.rejects(client.tasks.get(id), { status: 404 });
  assert.equal((await client.tasks.get(id, { includeArchived: true })).id, id);
});
