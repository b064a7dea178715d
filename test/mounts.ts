import assert from "node:assert/strict";
import { after, describe, test } from "node:test";
import type { Api } from "../lib/index.ts";
import { type ShownTask, verdict } from "./answers.ts";
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

/** What a way to mount leaves to its host's parser or router. */
export type Left = { readonly [What in "malformed" | "twice" | "encoded" | "methods"]?: true };

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

/** What is asked of the API alone and of the mounted one, and must be answered alike. */
const alike: Readonly<Record<string, readonly [path: string, ask: Ask, needs?: keyof Left]>> = {
  "a page": ["/tasks?limit=1&includeArchived=true", {}],
  "a record": [`/tasks/${one.task}`, {}],
  "an id that nobody has": [`/tasks/${two.task}`, {}],
  "a path that is not there": ["/nothing", {}],
  "a badly encoded query": ["/tasks?limit=%ZZ", {}],
  "a key that is not known": ["/me", { headers: { "x-api-key": two.key } }],
  "no key": ["/me", { headers: { "x-api-key": "" } }],
  "two keys": ["/me", { headers: { authorization: `Bearer ${one.secondKey}` } }],
  "a broken rule": ["/tasks", { method: "POST", body: JSON.stringify({ title: "A", assignedTo: one.inactive }) }],
  "a wrong shape": ["/tasks", { method: "POST", body: JSON.stringify({ tittle: "A", priority: "urgent" }) }],
  "a change of nothing": [`/tasks/${one.task}`, { method: "PATCH", body: '{"title":"Call Carla"}' }],
  "an archived record": [`/tasks/${one.archivedTask}`, { method: "DELETE" }],
  "a list for a body": ["/tasks", { method: "POST", body: "[1]" }],
  "another type": ["/tasks", { method: "POST", body: "title=A", headers: { "content-type": "text/csv" } }],
  "no type": ["/tasks", { method: "POST", body: new Uint8Array([123, 125]), headers: { "content-type": "" } }],
  "a type that is none": ["/tasks", { method: "POST", body: "{}", headers: { "content-type": "nonsense;;" } }],
  "no body": ["/tasks", { method: "POST" }],
  "a body that is no JSON": ["/tasks", { method: "POST", body: '{"title":' }, "malformed"],
  "a key twice in a body": ["/tasks", { method: "POST", body: '{"title":"A","title":"B"}' }, "twice"],
  "an encoded body": ["/tasks", { method: "POST", body: "{}", headers: { "content-encoding": "gzip" } }, "encoded"],
  "a method that is not there": ["/tasks", { method: "PUT", body: "{}" }, "methods"],
};

/** Declares what every way to mount the API must do. */
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
    const ask = async (path: string, asked?: Ask): Promise<Result> => {
      const response = await mounted.send(requestTo(path, asked));
      const text = await response.text();
      return { status: response.status, headers: response.headers, text, body: text === "" ? null : JSON.parse(text) };
    };
    const post = (path: string, body: unknown, headers = {}) =>
      ask(path, { method: "POST", headers, body: JSON.stringify(body) });

    for (const [what, [path, asked, needs]] of Object.entries(alike)) {
      if (needs !== undefined && left[needs]) continue;
      test(`${what} is answered as it is without a host`, async () => {
        const alone = await crm.api.fetch(requestTo(path, asked));
        const got = await ask(path, asked);
        assert.deepEqual(
          essence(alone.headers, got),
          essence(alone.headers, { ...alone, headers: alone.headers, status: alone.status, text: await alone.text() }),
        );
      });
    }

    test("a record that was made is found where Location says, a POST happens once, and DELETE answers nothing", async () => {
      const once = { "idempotency-key": "0197b0c4-5d2e-7f31-9a64-8e1f0c2b7d53" };
      const [made, again] = [
        await post("/tasks", { title: "Call" }, once),
        await post("/tasks", { title: "Call" }, once),
      ];
      assert.deepEqual([made.status, again.status, again.text], [201, 201, made.text]);
      assert.deepEqual(
        [made, again].map(({ headers }) => headers.get("idempotent-replayed")),
        [null, "true"],
      );
      const { data } = made.body as { data: ShownTask };
      const location = made.headers.get("location") ?? "";
      assert.deepEqual([location, again.headers.get("location")], [`tasks/${data.id}`, location]);
      const path = new URL(location, `http://crm.test${base}/tasks`).pathname.slice(base.length);
      assert.deepEqual((await ask(path)).body, made.body);
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

    test("a body of 1 MiB is read, and one more byte returns 413, with or without a Content-Length", async () => {
      const body = (length: number) => `{"title":"Big","description":"${"x".repeat(length - 32)}"}`;
      assert.equal(Buffer.byteLength(body(bytesMax)), bytesMax);
      // No valid body is that long. The error shows that it was read and parsed.
      const longest = await ask("/tasks", { method: "POST", body: body(bytesMax) });
      assert.equal(verdict(longest), "400 validation_error: /description too_long");
      const bytes = new TextEncoder().encode(body(bytesMax + 1));
      for (const refused of [bytes, new Blob([bytes]).stream()]) {
        const { status, body } = await ask("/tasks", { method: "POST", body: refused });
        const error = { code: "bad_request", message: "The body is larger than 1 MiB (1048576 bytes)." };
        assert.deepEqual([status, body], [413, { error }]);
      }
      assert.equal((await ask("/me")).status, 200);
    });

    test("two of them in one process know nothing of each other", async () => {
      const theirs = { headers: { "x-api-key": two.key } };
      const me = (await ask("/us/integrations/v1/me", theirs)).body as { data: { tenantId: string } };
      assert.equal(me.data.tenantId, two.id);
      assert.equal((await ask("/us/integrations/v1/me")).status, 401);
      assert.equal((await ask("/me", theirs)).status, 401);
    });
  });
}

/** Status, body, and the headers that the API gives where it stands alone; hosts add others. */
function essence(own: Headers, { status, headers, text }: Pick<Result, "status" | "headers" | "text">) {
  const names = [...own.keys()].filter((name) => !name.startsWith("x-ratelimit-"));
  return { status, text, headers: Object.fromEntries(names.map((name) => [name, headers.get(name)])) };
}
