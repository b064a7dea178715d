import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { after, before, test } from "node:test";
import { type Browser, type BrowserContext, chromium, type Page } from "playwright-core";
import { watch } from "../console/watch.ts";
import { type Served, serveDemo } from "../support/serve-demo.ts";

/** The documentation site as the program serves it, in Chromium. Needs `npm run site`. */

const executablePath = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find(existsSync);
const skip = executablePath === undefined && "no Chromium here (Debian: apt-get install chromium)";
const timeout = 600_000;

let served: Served;
let browser: Browser;
let context: BrowserContext;
let page: Page;
let watched: Awaited<ReturnType<typeof watch>>;

if (!skip) {
  before(async () => {
    served = await serveDemo();
    browser = await chromium.launch({ executablePath: executablePath as string, timeout });
    context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
    context.setDefaultTimeout(60_000);
    watched = await watch(context, served.url);
    page = await context.newPage();
  });
  after(async () => {
    await browser.close();
    await served.stop();
  });
}

function open(path: string): Promise<unknown> {
  return page.goto(`${served.url}/docs/${path}`, { waitUntil: "networkidle" });
}

type Links = {
  readonly links: readonly string[];
  readonly ids: readonly string[];
  readonly brokenImages: readonly string[];
};

/** All links of the page, what they can lead to, and the images that didn't load. */
const readLinks = `({
  links: [...document.querySelectorAll("a[href]")].map((link) => link.href),
  ids: [...document.querySelectorAll("[id]")].map(({ id }) => id),
  brokenImages: [...document.images].filter((image) => image.complete && image.naturalWidth === 0).map(({ src }) => src),
})`;

test("every link leads to a page of the site, and no page has an error", { skip, timeout }, async (t) => {
  const base = `${served.url}/docs/`;
  const idsOf = new Map<string, ReadonlySet<string>>();
  const fragments = new Map<string, string>();
  const files = new Set<string>();
  const queue = [base];
  for (let url = queue.pop(); url !== undefined; url = queue.pop()) {
    const response = await page.goto(url, { waitUntil: "networkidle" });
    assert.equal(response?.status(), 200, url);
    const { links, ids, brokenImages } = (await page.evaluate(readLinks)) as Links;
    assert.deepEqual(brokenImages, [], url);
    idsOf.set(url, new Set(ids));
    for (const link of links) {
      if (!link.startsWith(served.url)) continue;
      const [target = "", fragment] = link.split("#");
      if (fragment) fragments.set(link, url);
      const isPage = target.startsWith(base) && /(?:\/|\.html)$/.test(target);
      if (!isPage) files.add(target);
      else if (!idsOf.has(target) && !queue.includes(target)) queue.push(target);
    }
  }
  assert.ok(idsOf.size > 80, `only ${idsOf.size} pages`);
  const dead = [...fragments].filter(([link]) => {
    const [target = "", fragment = ""] = link.split("#");
    return !idsOf.get(target)?.has(decodeURIComponent(fragment));
  });
  assert.deepEqual(dead, []);
  for (const file of files) assert.equal((await fetch(file)).status, 200, file);
  assert.deepEqual([[...new Set(watched.problems)], watched.errors], [[], []]);
  t.diagnostic(`${idsOf.size} pages, ${fragments.size} links to headings, ${files.size} other files`);
});

test("the site has a page for each operation's tag, and each operation a heading", { skip, timeout }, async () => {
  const { paths } = (await (await fetch(`${served.url}/docs/openapi.json`)).json()) as {
    paths: Record<string, Record<string, { operationId?: string }>>;
  };
  const ids = Object.values(paths).flatMap((item) =>
    Object.values(item).flatMap(({ operationId }) => operationId ?? []),
  );
  const text = await (await fetch(`${served.url}/docs/llms.txt`)).text();
  const pages = [...text.matchAll(/\((\/docs\/reference\/api\/[^)]*\.md)\)/g)].map(([, path = ""]) => path);
  const markdown = await Promise.all(pages.map(async (path) => (await fetch(served.url + path)).text()));
  const found = markdown.flatMap((each) => [...each.matchAll(/^## .* \{#(\w+)\}$/gm)].map(([, id = ""]) => id));
  assert.deepEqual(found.sort(), ids.sort());
});

test("the search finds Idempotency-Key and opens its page", { skip, timeout }, async () => {
  await open("");
  await page.locator("#local-search button").click();
  await page.locator("#localsearch-input").fill("Idempotency-Key");
  const first = page.locator(".VPLocalSearchBox .result").first();
  await first.waitFor();
  await page.locator(".VPLocalSearchBox .result", { hasText: "Idempotency" }).first().click();
  await page.locator(".vp-doc", { hasText: "Idempotency-Key" }).waitFor();
  assert.deepEqual(watched.problems, []);
});

test("a language tab shows the request in that language, and the copy button copies it", {
  skip,
  timeout,
}, async () => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"], { origin: served.url });
  await open("reference/api/accounts.html");
  const group = page.locator(".vp-code-group").nth(1);
  await group.locator("label", { hasText: "Python" }).click();
  const block = group.locator("div[class*='language-python']");
  await block.waitFor();
  await block.hover();
  await block.locator("button.copy").click();
  const copied = (await page.evaluate("navigator.clipboard.readText()")) as string;
  assert.match(copied, /^import json\nimport os\nimport urllib\.request\n[\s\S]*\/accounts"/);
  assert.deepEqual(watched.problems, []);
});

test("a page about several languages has a tab for each", { skip, timeout }, async () => {
  await open("start/first-sync.html");
  const tabs = page.locator(".section-tabs");
  assert.deepEqual(await tabs.locator("label").allInnerTexts(), ["curl", "Python", "TypeScript"]);
  assert.equal(await tabs.getByText("onWatermark").first().isVisible(), false);
  await tabs.locator("label", { hasText: "TypeScript" }).click();
  await tabs.getByText("onWatermark").first().waitFor();
  assert.equal(await tabs.getByText("sync_tasks").first().isVisible(), false);
});

test("dark mode stays after a reload, and previous and next lead to neighbors", { skip, timeout }, async () => {
  await open("concepts/sync.html");
  const isDark = `document.documentElement.classList.contains("dark")`;
  const before = await page.evaluate(isDark);
  await page.locator(".VPNavBarAppearance button").click();
  await page.reload({ waitUntil: "networkidle" });
  assert.equal(await page.evaluate(isDark), !before);
  await page.locator(".pager-link.next").click();
  await page.locator("h1", { hasText: "Events" }).waitFor();
  await page.locator(".pager-link.prev").click();
  await page.locator("h1", { hasText: "Sync and cursors" }).waitFor();
  assert.deepEqual(watched.problems, []);
});

test("no page scrolls horizontally on a phone", { skip, timeout }, async () => {
  await page.setViewportSize({ width: 375, height: 700 });
  for (const path of ["", "start/first-sync.html", "reference/api/accounts.html", "reference/cli.html"]) {
    await open(path);
    assert.equal(await page.evaluate("document.documentElement.scrollWidth"), 375, path);
  }
});
