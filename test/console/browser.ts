import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { after, before, type TestContext, test } from "node:test";
import axe from "axe-core";
import { type Browser, type BrowserContext, chromium, type Page } from "playwright-core";
import { Binary } from "../package/binary.ts";
import type { Greeting } from "../support/program.ts";
import { localhostOf, recorded, type Watched, watch } from "./watch.ts";

/** The demo tenant in the console of the binary, with a browser. */

const executablePath = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find(existsSync);
const skip = executablePath === undefined && "no Chromium here (Debian: apt-get install chromium)";
const timeoutMs = 300_000;
const stepTimeoutMs = 15_000;
const viewport = { width: 1200, height: 800 };

export type ConsoleTest = {
  readonly t: TestContext;
  readonly url: string;
  readonly context: BrowserContext;
  /** Signed in as an admin of the demo tenant, at the list of accounts. */
  readonly page: Page;
  /** Opens another page of the same browser profile that is watched too. */
  newPage(): Promise<Page>;
  /** Calls the API as another program does. The path is below `/console/api`. Returns `data`. */
  send<T = Readonly<Record<string, unknown>>>(method: string, path: string, body?: unknown): Promise<T>;
  /** Returns a new sign-in link for the user with this email address. */
  link(user?: string): string;
  /** The folder of the binary. */
  readonly folder: string;
  /** Runs a command of the binary in its folder to its end. Returns stdout. */
  program(args: readonly string[], codes?: readonly number[], env?: NodeJS.ProcessEnv): string;
  /** Serves another data folder until the test ends, or until `stop` is called. */
  serve(data: string, options?: readonly string[]): Promise<Greeting & { stop(): Promise<unknown> }>;
  /** Names the responses with an error status that the page may get, such as `POST /accounts 422`. */
  expectErrors(...responses: readonly string[]): void;
};

type Server = { readonly url: string; readonly cookie: string };

type Options = {
  /** The demo tenant, the same in memory with `/__fixtures`, or a new tenant. */
  readonly tenant?: "demo" | "inMemory" | "new";
  readonly signedIn?: boolean;
  /** The language of the browser. */
  readonly locale?: string;
};

/** Starts the binary and a browser for the tests of a file. Returns a function that declares a test. */
export function openConsole({ tenant = "demo", signedIn = true, locale = "en-US" }: Options = {}) {
  let binary: Binary;
  let browser: Browser;
  let server: Server;
  const cleanups: (() => unknown)[] = [];
  if (!skip) {
    binary = new Binary();
    after(async () => {
      for (const cleanUp of cleanups) await cleanUp();
    });
    before(async () => {
      const data = tenant === "inMemory" ? [] : ["--data", "data"];
      const fixtures = tenant === "new" ? [] : ["--fixtures", "demo"];
      const owner = { after: (cleanUp: () => unknown) => cleanups.push(cleanUp) };
      const { greeting } = await binary.serve(owner, [
        ...[...fixtures, ...data, "--rate-limit", "0"],
        // For the receivers of webhooks in tests.
        ...["--webhook-allow", "127.0.0.1/32"],
      ]);
      server = { url: greeting.url, cookie: await openSession(greeting.signInLink) };
      browser = await chromium.launch({ executablePath: executablePath as string, timeout: timeoutMs });
      owner.after(() => browser.close());
    });
  }

  const link = (user?: string): string => {
    const options = ["--data", "data", "--listen", new URL(server.url).host];
    const { code, stdout, stderr } = binary.run(["console", ...options, ...(user ? ["--user", user] : [])]);
    assert.equal(code, 0, stderr);
    return stdout.trim();
  };

  return (name: string, run: (console: ConsoleTest) => Promise<void>): void =>
    void test(name, { skip, timeout: timeoutMs }, async (t) => {
      const { url, cookie } = server;
      const context = await browser.newContext({ viewport, locale });
      t.after(() => context.close());
      context.setDefaultTimeout(stepTimeoutMs);
      const watched = await watch(context, url);
      if (signedIn) await context.addCookies([{ name: "crm_console", value: cookie, url }]);
      const page = await context.newPage();
      await page.goto(`${url}/console/#/accounts`);
      await settle(page);
      const tested = run({
        t,
        url,
        context,
        page,
        newPage: () => context.newPage(),
        send: (method, path, body) => send(server, method, path, body),
        link,
        folder: binary.folder,
        serve: async (data, options = []) => {
          const { greeting, stop } = await binary.serve(t, ["--data", data, "--rate-limit", "0", ...options]);
          return { ...greeting, stop };
        },
        program: (args, codes = [0], env = {}) => {
          const { code, stdout, stderr } = binary.run(args, env);
          assert.ok(codes.includes(code ?? -1), stderr);
          return stdout;
        },
        expectErrors: (...responses) => watched.expected.push(...responses),
      });
      await tested.catch(async (error) => {
        const text = await page.locator("main").innerText().catch(String);
        t.diagnostic(JSON.stringify({ url: page.url(), text: text.slice(0, 2_000), ...watched }));
        throw error;
      });
      await context.close();
      assertNothingWrong(watched);
    });
}

function assertNothingWrong({ problems, errors, expected }: Watched): void {
  assert.deepEqual(problems, []);
  assert.deepEqual([...new Set(errors)].sort(), [...new Set(expected)].sort(), "responses with an error status");
}

/** Opens a session with a sign-in link, and returns its cookie. */
async function openSession(link: string): Promise<string> {
  const { origin, hash } = new URL(link);
  const response = await fetch(`${origin}/console/session`, {
    method: "POST",
    headers: { origin, "content-type": "application/json" },
    body: JSON.stringify({ token: hash.replace("#token=", "") }),
  });
  return /^crm_console=([^;]+)/.exec(response.headers.get("set-cookie") ?? "")?.[1] ?? assert.fail("no cookie");
}

async function send<T>({ url, cookie }: Server, method: string, path: string, body?: unknown): Promise<T> {
  const headers = { origin: url, cookie: `crm_console=${cookie}`, "content-type": "application/json" };
  const init = body === undefined ? { method, headers } : { method, headers, body: JSON.stringify(body) };
  const response = await fetch(`${url}/console/api${path}`, init);
  const text = await response.text();
  assert.ok(response.ok, `${method} ${path}: ${response.status} ${text}`);
  return (text === "" ? undefined : JSON.parse(text).data) as T;
}

/** Waits until the screen has loaded. */
export async function settle(page: Page): Promise<void> {
  await page.locator("main h1").waitFor();
  await page.locator("main:not(:has(.loading))").waitFor();
}

/** Fails if axe-core finds anything on the page. */
export async function checkAccessible(page: Page, where = page.url()): Promise<void> {
  await page.evaluate(axe.source);
  type Violation = {
    readonly id: string;
    readonly nodes: readonly { readonly target: unknown; readonly html: string }[];
  };
  const violations = await page.evaluate<readonly Violation[]>("axe.run().then(({ violations }) => violations)");
  const found = violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(" ")}`);
  assert.deepEqual(found, [], where);
}

/** The elements beyond the right edge, if the page scrolls horizontally. */
const tooWide = `(({ scrollWidth, clientWidth }) => scrollWidth <= clientWidth ? [] :
  [...document.querySelectorAll("body *")]
    .filter((element) => element.getBoundingClientRect().right > clientWidth)
    .map((element) => element.cloneNode(false).outerHTML)
)(document.documentElement)`;

/** Fails if the page scrolls horizontally at 320 pixels. */
export async function checkWidth(page: Page, where = page.url()): Promise<void> {
  await page.setViewportSize({ width: 320, height: 800 });
  assert.deepEqual(await page.evaluate<readonly string[]>(tooWide), [], where);
  await page.setViewportSize(viewport);
}

export { localhostOf, recorded };

/** Adds a device for passkeys, which confirms every request. */
export async function addAuthenticator(page: Page): Promise<void> {
  const cdp = await page.context().newCDPSession(page);
  await cdp.send("WebAuthn.enable");
  const kind = { protocol: "ctap2", transport: "internal", automaticPresenceSimulation: true } as const;
  const abilities = { hasResidentKey: true, hasUserVerification: true, isUserVerified: true };
  await cdp.send("WebAuthn.addVirtualAuthenticator", { options: { ...kind, ...abilities } });
}
