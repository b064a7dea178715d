import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { after, test } from "node:test";
import { chromium, type Locator, type Page } from "playwright-core";
import { endpoints } from "../../lib/endpoints/index.ts";
import { serve } from "../../lib/http/index.ts";
import { loadTenantFile } from "../../lib/tenant-file/index.ts";
import { sequentialIds, testCrm } from "../support/harness.ts";
import { tenantFile, testTenant } from "../support/tenants.ts";

const executablePath = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find(existsSync);
const skip = executablePath === undefined && "no Chromium here (Debian: apt-get install chromium)";
const withTimeout = { timeout: 60_000 };

const tenant = testTenant(1);
const { api, storage, clock } = await testCrm([]);
const customFields = [
  { entity: "account", key: "segment", label: "Segment", type: "list", options: ["Small", "Large"], required: true },
];
await loadTenantFile(storage, { ...tenantFile(tenant), customFields }, { clock, newId: sequentialIds() });
const { url, close } = await serve(api, { host: "127.0.0.1", port: 0 });
after(async () => {
  await close();
  await api.close();
});

test("the reference page works in a browser, behind a prefix, and sends no request to another host", {
  skip,
  timeout: 180_000,
}, async (t) => {
  const browser = await chromium.launch({ executablePath: executablePath as string, ...withTimeout });
  t.after(() => browser.close());
  const page = await browser.newPage();
  page.setDefaultTimeout(withTimeout.timeout);
  const errors: string[] = [];
  const hosts = new Set<string>();
  page.on("console", (message) => errors.push(`${message.type()}: ${message.text()}`));
  page.on("pageerror", (error) => errors.push(error.message));
  page.on("request", (request) => {
    if (!request.url().startsWith("data:")) hosts.add(new URL(request.url()).origin);
  });

  await page.goto(`${url}/gateway/tenant/integrations/v1/docs`);
  await page.locator(".opblock").first().waitFor();
  const operations = await operationsWhileScrolling(page);
  assert.equal(operations.size, endpoints.length, `${endpoints.length - operations.size} operations are missing`);
  await page.evaluate("scrollTo(0, 0)");

  await page.locator(".scheme-container button.authorize").click();
  assert.match(await page.locator(".modal-ux .auth-container").first().innerText(), /x-api-key/);
  await page.locator(".modal-ux input").first().fill(tenant.key);
  await page.locator(".modal-ux button.authorize").first().click();
  await page.locator(".modal-ux button.btn-done").first().click();

  const create = page.locator("#operations-Accounts-createAccount");
  await create.locator(".opblock-summary-control").click();
  await create.getByText('"segment": "Small"').first().waitFor();

  const operation = page.locator("#operations-Tasks-listTasks");
  await scrollUntilShown(page, operation);
  await operation.locator(".opblock-summary-control").click();
  await operation.locator(".try-out__btn").click();
  await operation.locator("button.execute").click();
  const response = operation.locator(".live-responses-table .response").first();
  assert.equal((await response.locator(".response-col_status").innerText()).split("\n")[0], "200");
  assert.match(await response.locator(".response-col_description pre").first().innerText(), /"title": "Call Carla"/);
  const requestUrl = await operation.locator(".request-url pre").innerText();
  assert.equal(
    requestUrl,
    `${url}/gateway/tenant/integrations/v1/tasks?limit=50&includeArchived=false&order=updatedAt&count=false`,
  );

  assert.deepEqual([errors, [...hosts]], [[], [url]]);
});

/** Returns the IDs of all operations. Of 150 lines or more, Swagger UI shows only those in view. */
async function operationsWhileScrolling(page: Page): Promise<ReadonlySet<string>> {
  const ids = new Set<string>();
  for await (const shown of scroll(page)) for (const id of shown) ids.add(id);
  return ids;
}

async function scrollUntilShown(page: Page, operation: Locator): Promise<void> {
  for await (const _ of scroll(page)) if ((await operation.count()) > 0) return;
}

/** Scrolls down by half of the window at a time. Yields the IDs of the operations that the page then has. */
async function* scroll(page: Page): AsyncGenerator<readonly string[]> {
  // Two frames, in which the page shows what has come into view.
  const step = `new Promise((resolve) => {
    scrollBy(0, innerHeight / 2);
    requestAnimationFrame(() => requestAnimationFrame(() => resolve(scrollY + innerHeight >= document.body.scrollHeight - 1)));
  })`;
  for (let isAtEnd = false; !isAtEnd; ) {
    isAtEnd = (await page.evaluate(step)) as boolean;
    yield await page.locator(".opblock").evaluateAll((found) => found.map(({ id }) => id));
  }
}
