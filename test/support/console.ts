import type { TestContext } from "node:test";
import { type Console, type ConsoleOptions, createConsole } from "../../lib/console/index.ts";
import { crmWith } from "./admin.ts";
import type { Result, TestCrm } from "./harness.ts";
import { tenantFile, testTenant } from "./tenants.ts";

export const [one, two] = [testTenant(1), testTenant(2)];
export const consoleOrigin = "http://crm.test";

/** The files of an empty console. */
export const assets = new Map([
  ["index.html", { type: "text/html; charset=utf-8", body: "<!doctype html><title>Console</title>" }],
  ["console.js", { type: "text/javascript; charset=utf-8", body: "export {};" }],
  ["console.css", { type: "text/css; charset=utf-8", body: "body {}" }],
]);

type Sent = {
  readonly cookie?: string | undefined;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string | undefined>>;
};

export type TestConsole = {
  readonly crm: TestCrm;
  readonly console: Console;
  /**
   * Sends a request as a page of the console does, unless headers say otherwise. The path is relative to `/console`.
   */
  send(method: string, path: string, sent?: Sent): Promise<Result>;
  /** Returns the token of a new sign-in link. */
  token(tenantId?: string, userId?: string): Promise<string>;
  /** Signs in with a new link and returns the cookie. */
  signIn(tenantId?: string, userId?: string): Promise<string>;
};

/** Opens a console over tenants one and two. */
export async function openConsole(
  t: Pick<TestContext, "after">,
  options: Partial<ConsoleOptions> = {},
  crm?: TestCrm,
): Promise<TestConsole> {
  const opened = crm ?? (await crmWith(t, [tenantFile(one), tenantFile(two)]));
  const console = createConsole({ api: opened.api, assets, ...options });
  const send: TestConsole["send"] = async (method, path, { cookie, body, headers = {} } = {}) => {
    const defaults = { origin: method === "GET" ? undefined : consoleOrigin, "sec-fetch-site": "same-origin" };
    const all = {
      ...defaults,
      cookie,
      "content-type": body === undefined ? undefined : "application/json",
      ...headers,
    };
    const defined = Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== undefined);
    const init = { method, headers: defined, body: body === undefined ? null : JSON.stringify(body) };
    const response = await console.fetch(new Request(`${consoleOrigin}/console${path}`, init));
    const text = await response.text();
    const isJson = response.headers.get("content-type") === "application/json";
    return { status: response.status, headers: response.headers, text, body: isJson ? JSON.parse(text) : undefined };
  };
  const token: TestConsole["token"] = async (tenantId = one.id, userId = one.admin) => {
    const link = await console.createSignInLink({ tenantId, userId }, consoleOrigin);
    return link.replace(`${consoleOrigin}/console/#token=`, "");
  };
  const signIn: TestConsole["signIn"] = async (tenantId, userId) =>
    cookieOf(await send("POST", "/session", { body: { token: await token(tenantId, userId) } }));
  return { crm: opened, console, send, token, signIn };
}

/** Returns the cookie that a response sets, as a browser sends it. */
export function cookieOf({ headers }: Result): string {
  return headers.get("set-cookie")?.split(";")[0] ?? "";
}
