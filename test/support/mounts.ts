import assert from "node:assert/strict";
import { after, test } from "node:test";
import type { Api } from "../../lib/index.ts";
import { type Result, testCrm } from "./harness.ts";
import type { ShownTask } from "./responses.ts";
import { testTenant } from "./tenants.ts";

/** APIs by the prefix that each is mounted under. */
export type Mount = (apis: Readonly<Record<string, Api>>) => Promise<Mounted>;
export type Mounted = {
  readonly origin: string;
  send(request: Request): Promise<Response>;
  /** Frees everything that the mount opened. */
  close(): Promise<void>;
};

/** The behavior that an adapter leaves to the parser or router of its host. */
export type Left = { readonly [What in "malformed" | "twice" | "encoded"]?: true };

export const one = testTenant(1);
const two = testTenant(2);
const { key } = one;
const prefix = "/eu/crm";
export const base = `${prefix}/integrations/v1`;
const id = { "x-request-id": "mounted-1" };
const json = { "content-type": "application/json" };
/** The largest body that is accepted. */
const maxBytes = 1_048_576;

type Sent = {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array<ArrayBuffer> | ReadableStream;
};

/** Requests to which the mounted API must respond like the API itself. */
const alike: Readonly<Record<string, readonly [path: string, sent: Sent, needs?: keyof Left]>> = {
  "a page": ["/tasks?limit=1&includeArchived=true", {}],
  "a record": [`/tasks/${one.task}`, {}],
  "an unknown ID": [`/tasks/${two.task}`, {}],
  "an unknown path": ["/nothing", {}],
  "a badly encoded query": ["/tasks?limit=%ZZ", {}],
  "an unknown API key": ["/me", { headers: { "x-api-key": two.key } }],
  "no key": ["/me", { headers: { "x-api-key": "" } }],
  "two keys": ["/me", { headers: { authorization: `Bearer ${one.secondKey}` } }],
  "a broken rule": ["/tasks", { method: "POST", body: JSON.stringify({ title: "A", assignedTo: one.inactive }) }],
  "a wrong shape": ["/tasks", { method: "POST", body: JSON.stringify({ tittle: "A", priority: "urgent" }) }],
  "an update without a change": [`/tasks/${one.task}`, { method: "PATCH", body: '{"title":"Call Carla"}' }],
  "an archived record": [`/tasks/${one.archivedTask}`, { method: "DELETE" }],
  "a list for a body": ["/tasks", { method: "POST", body: "[1]" }],
  "another type": ["/tasks", { method: "POST", body: "title=A", headers: { "content-type": "text/csv" } }],
  "no type": ["/tasks", { method: "POST", body: new Uint8Array([123, 125]), headers: { "content-type": "" } }],
  "an invalid type": ["/tasks", { method: "POST", body: "{}", headers: { "content-type": "nonsense;;" } }],
  "no body": ["/tasks", { method: "POST" }],
  "a body that isn't JSON": ["/tasks", { method: "POST", body: '{"title":' }, "malformed"],
  "a key twice in a body": ["/tasks", { method: "POST", body: '{"title":"A","title":"B"}' }, "twice"],
  "an encoded body": ["/tasks", { method: "POST", body: "{}", headers: { "content-encoding": "gzip" } }, "encoded"],
  "an unsupported method": ["/tasks", { method: "PUT", body: "{}" }],
};

/** Returns the tests that every adapter must pass, for `describe` of a test file. */
export function mountTests(mount: Mount, left: Left = {}): () => Promise<void> {
  return async () => {
    const [crm, other] = [await testCrm([one]), await testCrm([two])];
    const mounted = await mount({ [prefix]: crm.api, "/us": other.api });
    after(async () => {
      await mounted.close();
      await Promise.all([crm.api.close(), other.api.close()]);
    });
    const requestTo = (path: string, { method = "GET", headers = {}, body }: Sent = {}): Request => {
      const url = mounted.origin + (path.startsWith("/eu") || path.startsWith("/us") ? path : base + path);
      const all = { "x-api-key": key, ...id, ...(body === undefined ? {} : json), ...headers };
      return new Request(url, { method, headers: all, ...(body === undefined ? {} : { body, duplex: "half" }) });
    };
    const send = async (path: string, sent?: Sent): Promise<Result> => {
      const response = await mounted.send(requestTo(path, sent));
      const text = await response.text();
      return { status: response.status, headers: response.headers, text, body: text === "" ? null : JSON.parse(text) };
    };
    const post = (path: string, body: unknown, headers = {}) =>
      send(path, { method: "POST", headers, body: JSON.stringify(body) });

    for (const [what, [path, sent, needs]] of Object.entries(alike)) {
      if (needs !== undefined && left[needs]) continue;
      test(`${what} returns the same response as without a host`, async () => {
        const alone = await crm.api.fetch(requestTo(path, sent));
        const got = await send(path, sent);
        assert.deepEqual(
          comparable(alone.headers, got),
          comparable(alone.headers, {
            ...alone,
            headers: alone.headers,
            status: alone.status,
            text: await alone.text(),
          }),
        );
      });
    }

    test("Location leads to the created record, a retried POST is a replay, and DELETE returns no body", async () => {
      const once = { "idempotency-key": "0197b0c4-5d2e-7f31-9a64-8e1f0c2b7d53" };
      const [created, again] = [
        await post("/tasks", { title: "Call" }, once),
        await post("/tasks", { title: "Call" }, once),
      ];
      assert.deepEqual([created.status, again.status, again.text], [201, 201, created.text]);
      assert.deepEqual(
        [created, again].map(({ headers }) => headers.get("idempotent-replayed")),
        [null, "true"],
      );
      const { data } = created.body as { data: ShownTask };
      const location = created.headers.get("location") ?? "";
      assert.deepEqual([location, again.headers.get("location")], [`tasks/${data.id}`, location]);
      const path = new URL(location, `http://crm.test${base}/tasks`).pathname.slice(base.length);
      assert.deepEqual((await send(path)).body, created.body);
      const renamed = await send(path, { method: "PATCH", body: '{"title":"Write"}' });
      assert.equal((renamed.body as { data: ShownTask }).data.title, "Write");
      const gone = await send(path, { method: "DELETE" });
      assert.deepEqual([gone.status, gone.text, (await send(path)).status], [204, "", 404]);
      assert.equal((await send(`${path}/restore`, { method: "POST" })).status, 200);
    });

    test("Link leads from page to page", async () => {
      const seen: string[] = [];
      for (let path: string | undefined = "/accounts?limit=1&includeArchived=true"; path !== undefined; ) {
        const page = await send(path);
        seen.push(...(page.body as { data: ShownTask[] }).data.map((record) => record.id));
        const next = /^<([^>]+)>; rel="next"$/.exec(page.headers.get("link") ?? "")?.[1];
        path = next && new URL(next, new URL(`${base}/accounts`, mounted.origin)).href.slice(mounted.origin.length);
      }
      assert.deepEqual(seen, [one.account, one.archivedAccount]);
    });

    test("a body of 1 MiB is accepted, and a larger one returns 413 with or without Content-Length", async () => {
      const accepted = await send("/tasks", { method: "POST", body: '{"title":"Big"}'.padEnd(maxBytes) });
      assert.equal(accepted.status, 201, accepted.text.slice(0, 300));
      const bytes = new TextEncoder().encode(`{"title":"${"x".repeat(maxBytes + 1 - 12)}"}`);
      assert.equal(bytes.length, maxBytes + 1);
      for (const tooLarge of [bytes, new Blob([bytes]).stream()]) {
        const { status, body } = await send("/tasks", { method: "POST", body: tooLarge });
        const error = { code: "bad_request", message: "The body is larger than 1 MiB (1048576 bytes)." };
        assert.deepEqual([status, body], [413, { error }]);
      }
      assert.equal((await send("/me")).status, 200);
    });

    test("a path with a trailing slash returns the same page", async () => {
      const [{ text }, slash] = [await send("/tasks?limit=1"), await send("/tasks/?limit=1")];
      assert.deepEqual([slash.status, slash.text], [200, text]);
      const created = await send("/tasks/", { method: "POST", body: '{"title":"Slash"}' });
      const location = new URL(created.headers.get("location") ?? "", `http://crm.test${base}/tasks/`);
      assert.match(location.pathname, new RegExp(`^${base}/tasks/[\\w-]+$`));
    });

    test("two APIs in one process are independent", async () => {
      const other = { headers: { "x-api-key": two.key } };
      const me = (await send("/us/integrations/v1/me", other)).body as { data: { tenantId: string } };
      assert.equal(me.data.tenantId, two.id);
      assert.equal((await send("/us/integrations/v1/me")).status, 401);
      assert.equal((await send("/me", other)).status, 401);
    });
  };
}

/** Returns the status, the body and the headers that the API sets. Hosts add others. */
function comparable(own: Headers, { status, headers, text }: Pick<Result, "status" | "headers" | "text">) {
  const names = [...own.keys()].filter((name) => !name.startsWith("x-ratelimit-"));
  return { status, text, headers: Object.fromEntries(names.map((name) => [name, headers.get(name)])) };
}
