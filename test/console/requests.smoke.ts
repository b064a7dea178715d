import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { checkAccessible, checkWidth, openConsole, settle } from "./browser.ts";
import { field, press, screen } from "./forms.ts";

const consoleTest = openConsole();

type Integration = { readonly id: string; readonly name: string };
type CustomField = { readonly id: string; readonly entity: string; readonly key: string };
type Send = <T>(method: string, path: string, body?: unknown) => Promise<T>;

const html = '<img src=x onerror="document.title=`owned`">';

/** Creates an integration with an API key. Returns it with a function that sends requests and returns their status. */
async function integrationOf(url: string, send: Send, name: string, scopes: readonly string[]) {
  const integration = await send<Integration>("POST", "/admin/integrations", { name, scopes });
  const { key } = await send<{ key: string }>("POST", "/api-key/generate", { integrationId: integration.id });
  const request = async (method: string, path: string, requestId: string, body: unknown): Promise<number> => {
    const headers = { "x-api-key": key, "x-request-id": requestId, "content-type": "application/json" };
    const response = await fetch(`${url}/integrations/v1${path}`, { method, headers, body: JSON.stringify(body) });
    await response.arrayBuffer();
    return response.status;
  };
  return { ...integration, request };
}

/** Opens the screen and unfolds the newest request whose summary has this text. */
async function unfold(page: Page, summary: string) {
  const details = page.locator("details.request").filter({ has: page.locator("summary", { hasText: summary }) });
  await details.first().locator("summary").first().click();
  return details.first();
}

consoleTest("a failed request unfolds to its reasons, with links to the field and the record", async (crm) => {
  const { page, url, send } = crm;
  const shop = await integrationOf(url, send, "Shop", ["accounts:read", "accounts:write"]);
  const invalid = { name: "Kiosk", customFields: { segment: html } };
  assert.equal(await shop.request("POST", "/accounts", "order-1", invalid), 422);
  assert.equal(await shop.request("POST", "/tasks", "order-2", { title: "Call" }), 403);
  const account = { name: "Kiosk", customFields: { segment: "SMB" } };
  assert.equal(await shop.request("POST", "/accounts", "order-3", account), 201);
  await page.goto(`${url}/console/#/requests`);
  await screen(page, "Requests");
  await page.getByRole("combobox", { name: "Integration" }).selectOption("Shop");
  await page.getByRole("combobox", { name: "Status" }).selectOption("4xx: rejected");
  await press(page, "Filter");
  await page.getByText("POST /tasks").waitFor();
  await settle(page);
  assert.equal(await page.locator("details.request").count(), 2);
  const time = page.locator("tbody time[title]").first();
  assert.match(await time.innerText(), /now|sec\. ago/);
  assert.match((await time.getAttribute("title")) ?? "", /\d, \d{4}, \d+:\d\d:\d\d [AP]M$/);
  const failed = await unfold(page, "POST /accounts");
  const text = await failed.innerText();
  assert.match(text, /customFields\.segment: .+ must be one of: SMB, Mid-Market, Enterprise\./);
  assert.match(text, /Check that rejected it: rules and custom fields\. Request ID: order-1/);
  assert.doesNotMatch(await page.content(), /owned/);
  await checkAccessible(page);
  await checkWidth(page);
  const missing = await unfold(page, "POST /tasks");
  assert.match(await missing.innerText(), /Missing scope: tasks:write/);
  await failed.getByRole("link", { name: "Field Segment" }).click();
  const fields = await send<readonly CustomField[]>("GET", "/admin/custom-fields");
  const segment = fields.find(({ entity, key }) => entity === "account" && key === "segment");
  await page.waitForURL(`**/console/#/fields/${segment?.id}`);

  // A request appears without a click, and an opened row stays open.
  await page.goto(`${url}/console/#/requests`);
  await settle(page);
  await unfold(page, "POST /tasks");
  assert.equal(await shop.request("POST", "/contacts", "order-4", { name: "Live" }), 403);
  await page.getByText("POST /contacts").waitFor();
  await page.locator("details.request[open]").getByText("Missing scope: tasks:write").waitFor();

  await page.goto(`${url}/console/#/requests/order-3`);
  await page.getByText("It wrote 1 record.").waitFor();
  await page.getByRole("link", { name: /^Record / }).click();
  await screen(page, "Kiosk");

  await page.goto(`${url}/console/#/integrations/${shop.id}?tab=requests`);
  await screen(page, "Shop");
  const failures = page.locator("section").filter({ hasText: "Last failed requests" });
  await failures.getByText("POST /accounts").waitFor();
  assert.equal(await failures.locator("details.request").count(), 3);
  await checkAccessible(page);
  const again = await unfold(page, "POST /tasks");
  assert.equal(await shop.request("POST", "/notes", "order-5", { body: "Live" }), 403);
  await failures.getByText("POST /notes").waitFor();
  await again.getByText("Missing scope: tasks:write").waitFor();
});

consoleTest("an error in the console links to its request", async ({ page, url, send, expectErrors }) => {
  await send("POST", "/v1/accounts", { name: "Twice AS", customFields: { segment: "SMB" } });
  await page.goto(`${url}/console/#/users/new`);
  const [, second] = await send<readonly { readonly email: string }[]>("GET", "/admin/users");
  await field(page, "Name").fill("Same address");
  await field(page, "Email").fill(second?.email ?? "");
  expectErrors("POST /admin/users 409");
  await press(page, "Create");
  const opened = page.waitForEvent("popup");
  await page.locator(".notice.error").getByRole("link").last().click();
  const requests = await opened;
  await screen(requests, "Requests");
  await requests.getByText("POST /admin/users").waitFor();
  await requests.getByText("Sent by the console").waitFor();
  assert.equal(await field(page, "Name").inputValue(), "Same address");
});

consoleTest("a request ID without an entry says so", async ({ page, url, expectErrors }) => {
  expectErrors("GET /admin/requests/unknown 404");
  await page.goto(`${url}/console/#/requests/unknown`);
  await page.getByText("There is no request with this ID.").waitFor();
  await checkAccessible(page);
  await page.goto(`${url}/console/#/requests?operation=none`);
  const clear = page.locator(".empty").getByRole("link", { name: "Clear filters" });
  await clear.waitFor();
  let release = (): void => {};
  await page.route("**/api/admin/requests?*", async (route) => {
    await new Promise<void>((resolve) => {
      release = resolve;
    });
    await route.continue();
  });
  await clear.click();
  await page.waitForURL("**/console/#/requests");
  await page.getByRole("button", { name: "Filter", exact: true }).and(page.locator(":focus")).waitFor();
  const loading = page.getByRole("status").filter({ hasText: "Loading…" });
  await loading.waitFor();
  assert.ok(((await loading.boundingBox())?.height ?? 0) > 300, "the bars take the place of the list");
  release();
  await loading.waitFor({ state: "detached" });
});
