import assert from "node:assert/strict";
import { after, describe, test } from "node:test";
import type { Api } from "../../lib/index.ts";
import type { ShownTask } from "./answers.ts";
import { type Result, testCrm } from "./harness.ts";
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
const bytesMax = 1_048_576;

type Ask = {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array<ArrayBuffer> | ReadableStream;
};

/** Requests to which the mounted API must respond like the API itself. */
const alike: Readonly<Record<string, readonly [path: string, ask: Ask, needs?: keyof Left]>> = {
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

/** Declares the tests that every adapter must pass. */
export function describeMount(name: string, mount: Mount, left: Left = {}): void {
  describe(name, { timeout: 60_000 }, async () => {
    const [crm, other] = [await testCrm([one]), await testCrm([two])];
    const mounted = await mount({ [prefix]: crm.api, "/us": other.api });
    after(async () => {
      await mounted.close();
      await Promise.all([crm.api.close(), other.api.close()]);
    });
    const requestTo = (path: string, { method = "GET", headers = {}, body }: Ask = {}): Request => {
      const url = mounted.origin + (path.startsWith("/eu") || path.startsWith("/us") ? path : base + path);
      const all = { "x-api-key": key, ...id, ...(body === undefined ? {} : json), ...headers };
      return new Request(url, { method, headers: all, ...(body === undefined ? {} : { body, duplex: "half" }) });
    };
    const ask = async (path: string, sent?: Ask): Promise<Result> => {
      const response = await mounted.send(requestTo(path, sent));
      const text = await response.text();
      return { status: response.status, headers: response.headers, text, body: text === "" ? null : JSON.parse(text) };
    };
    const post = (path: string, body: unknown, headers = {}) =>
      ask(path, { method: "POST", headers, body: JSON.stringify(body) });

    for (const [what, [path, sent, needs]] of Object.entries(alike)) {
      if (needs !== undefined && left[needs]) continue;
      test(`${what} returns the same response as without a host`, async () => {
        const alone = await crm.api.fetch(requestTo(path, sent));
        const got = await ask(path, sent);
        assert.deepEqual(
          essence(alone.headers, got),
          essence(alone.headers, { ...alone, headers: alone.headers, status: alone.status, text: await alone.text() }),
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
      assert.deepEqual((await ask(path)).body, created.body);
      const renamed = await ask(path, { method: "PATCH", body: '{"title":"Write"}' });
      assert.equal((renamed.body as { data: ShownTask }).data.title, "Write");
      const gone = await ask(path, { method: "DELETE" });
      assert.deepEqual([gone.status, gone.text, (await ask(path)).status], [204, "", 404]);
      assert.equal((await ask(`${path}/restore`, { method: "POST" })).status, 200);
    });

    test("Link leads from page to page", async () => {
      const seen: string[] = [];
      for (let path: string | undefined = "/accounts?limit=1&includeArchived=true"; path !== undefined; ) {
        const page = await ask(path);
        seen.push(...(page.body as { data: ShownTask[] }).data.map((record) => record.id));
        const next = /^<([^>]+)>; rel="next"$/.exec(page.headers.get("link") ?? "")?.[1];
        path = next && new URL(next, new URL(`${base}/accounts`, mounted.origin)).href.slice(mounted.origin.length);
      }
      assert.deepEqual(seen, [one.account, one.archivedAccount]);
    });

    test("a body of 1 MiB is accepted, and a larger one returns 413 with or without Content-Length", async () => {
      const accepted = await ask("/tasks", { method: "POST", body: '{"title":"Big"}'.padEnd(bytesMax) });
      assert.equal(accepted.status, 201, accepted.text.slice(0, 300));
      const bytes = new TextEncoder().encode(`{"title":"${"x".repeat(bytesMax + 1 - 12)}"}`);
      assert.equal(bytes.length, bytesMax + 1);
      for (const tooLarge of [bytes, new Blob([bytes]).stream()]) {
        const { status, body } = await ask("/tasks", { method: "POST", body: tooLarge });
        const error = { code: "bad_request", message: "The body is larger than 1 MiB (1048576 bytes)." };
        assert.deepEqual([status, body], [413, { error }]);
      }
      assert.equal((await ask("/me")).status, 200);
    });

    test("a path with a trailing slash returns the same page", async () => {
      const [{ text }, slash] = [await ask("/tasks?limit=1"), await ask("/tasks/?limit=1")];
      assert.deepEqual([slash.status, slash.text], [200, text]);
      const created = await ask("/tasks/", { method: "POST", body: '{"title":"Slash"}' });
      const location = new URL(created.headers.get("location") ?? "", `http://crm.test${base}/tasks/`);
      assert.match(location.pathname, new RegExp(`^${base}/tasks/[\\w-]+$`));
    });

    test("two APIs in one process are independent", async () => {
      const theirs = { headers: { "x-api-key": two.key } };
      const me = (await ask("/us/integrations/v1/me", theirs)).body as { data: { tenantId: string } };
      assert.equal(me.data.tenantId, two.id);
      assert.equal((await ask("/us/integrations/v1/me")).status, 401);
      assert.equal((await ask("/me", theirs)).status, 401);
    });
  });
}

/** Returns the status, the body and the headers that the API sets. Hosts add others. */
function essence(own: Headers, { status, headers, text }: Pick<Result, "status" | "headers" | "text">) {
  const names = [...own.keys()].filter((name) => !name.startsWith("x-ratelimit-"));
  return { status, text, headers: Object.fromEntries(names.map((name) => [name, headers.get(name)])) };
}
