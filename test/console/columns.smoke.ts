import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { checkAccessible, checkWidth, openConsole, settle } from "./browser.ts";
import { field, press, screen, value } from "./forms.ts";

const consoleTest = openConsole();

function headers(page: Page): Promise<string[]> {
  return page.getByRole("columnheader").allInnerTexts();
}

consoleTest("the columns of a list can be chosen, also custom fields, and stay after a reload", async (tools) => {
  const { page, url, send } = tools;
  const address = { city: "Bergen" };
  await send("POST", "/v1/accounts", { name: "Columns one", customFields: { segment: "SMB" }, address });
  await page.goto(`${url}/console/#/accounts?q=columns`);
  await settle(page);
  const menu = page.locator("summary", { hasText: "Columns" });
  const defaults = ["Name", "Email", "Phone", "Owner", "Updated"];
  assert.deepEqual(await headers(page), defaults);
  await menu.click();
  await page.getByRole("checkbox", { name: "Segment" }).check();
  await page.getByRole("checkbox", { name: "City" }).check();
  await page.getByRole("checkbox", { name: "Phone" }).uncheck();
  await checkAccessible(page);
  await checkWidth(page);
  const chosen = ["Name", "Email", "Owner", "Updated", "Segment", "City"];
  assert.deepEqual(await headers(page), chosen);
  const row = page.getByRole("row").filter({ hasText: "Columns one" });
  await row.getByText(/^Small business/).waitFor();
  await row.getByText("Bergen", { exact: true }).waitFor();
  await page.reload();
  await settle(page);
  await row.getByText("Bergen", { exact: true }).waitFor();
  assert.deepEqual(await headers(page), chosen);
  await page.goto(`${url}/console/#/contacts`);
  await settle(page);
  assert.ok((await headers(page)).includes("Phone"), "each list has its own columns");
  await page.goto(`${url}/console/#/accounts?q=columns`);
  await settle(page);
  await menu.click();
  await press(page, "Default columns");
  assert.deepEqual(await headers(page), defaults);
});

consoleTest("a view keeps the filters and the order of a list under a name", async ({ page, url, send }) => {
  for (const name of ["Views one", "Views two"])
    await send("POST", "/v1/accounts", { name, customFields: { segment: "SMB" } });
  await page.goto(`${url}/console/#/accounts?q=views&order=name`);
  await settle(page);
  const menu = page.locator("summary", { hasText: "Views" });
  await menu.click();
  await page.getByLabel("Name of this view").fill("By name");
  await press(page, "Save view");
  await checkAccessible(page);
  await checkWidth(page);
  await page.goto(`${url}/console/#/contacts`);
  await settle(page);
  await menu.click();
  assert.equal(await page.getByRole("link", { name: "By name" }).count(), 0, "each list has its own views");
  await page.goto(`${url}/console/#/accounts`);
  await page.reload();
  await settle(page);
  await menu.click();
  await page.getByRole("link", { name: "By name" }).click();
  await page.waitForURL(/\?q=views&order=name$/);
  await page.getByText("Views two").waitFor();
  await menu.click();
  await press(page, "Remove By name");
  assert.equal(await page.getByRole("link", { name: "By name" }).count(), 0);
});

consoleTest("40 custom fields are in the form, in the record and in the columns of a list", async (tools) => {
  const { page, url, send } = tools;
  const labels = Array.from({ length: 40 }, (_, index) => `Measure ${index + 1} of the coffee machine`);
  for (const [index, label] of labels.entries())
    await send("POST", "/admin/custom-fields", { entity: "contact", key: `measure${index}`, label, type: "text" });
  await page.goto(`${url}/console/#/contacts/new`);
  await page.reload();
  await screen(page, "New contact");
  await field(page, "Name").fill("Mika Measured");
  for (const [index, label] of labels.entries()) await field(page, label).fill(`${index} bar`);
  await checkAccessible(page);
  await checkWidth(page);
  await press(page, "Create");
  await screen(page, "Mika Measured");
  assert.equal(await value(page, labels[39] ?? "").innerText(), "39 bar");
  await checkAccessible(page);
  await checkWidth(page);
  await page.goto(`${url}/console/#/contacts?q=measured`);
  await settle(page);
  await page.locator("summary", { hasText: "Columns" }).click();
  for (const label of labels) await page.getByRole("checkbox", { name: label, exact: true }).check();
  assert.equal((await headers(page)).filter((header) => header.startsWith("Measure ")).length, 40);
  await checkAccessible(page);
  await checkWidth(page);
});

consoleTest("a list of 50,000 accounts is filtered and sorted, and opens a record", async (tools) => {
  const ids = Array.from(
    { length: 50_000 },
    (_, index) => `01943aa0-bc00-7000-8001-${String(index).padStart(12, "0")}`,
  );
  const names = ids.map((_, index) => `Account ${String((index * 7919) % 50_000).padStart(5, "0")}`);
  const admin = { id: "01943aa0-bc00-7000-8002-000000000000", name: "Ana", email: "ana@large.example", role: "admin" };
  const accounts = ids.map((id, index) => ({ id, name: names[index], ownerId: admin.id }));
  writeFileSync(
    join(tools.folder, "large.json"),
    JSON.stringify({ tenant: { id: "01943aa0-bc00-7000-8003-000000000000", name: "Large" }, users: [admin], accounts }),
  );
  const { url, signInLink } = await tools.serve("large", ["--fixtures", "large.json"]);
  // The watched profile may call only the server of the file.
  const context = (await tools.context.browser()?.newContext()) ?? assert.fail("no browser");
  tools.t.after(() => context.close());
  const page = await context.newPage();
  await page.goto(signInLink);
  await press(page, "Sign in");
  await screen(page, "Overview");
  const first = page.locator("tbody tr").first();
  const isFirst = (name: string) => first.filter({ has: page.getByRole("link", { name, exact: true }) }).waitFor();
  await page.goto(`${url}/console/#/accounts`);
  await page.getByText(/^50 of [\w ]*\d+,000 records\.$/).waitFor();
  await page.goto(`${url}/console/#/accounts?order=-createdAt`);
  await page.locator("tbody tr").nth(49).waitFor();
  await page.goto(`${url}/console/#/accounts?q=4999&order=name`);
  await isFirst("Account 49990");
  await page.getByRole("link", { name: "Name", exact: true }).click();
  await isFirst("Account 49999");
  await page.goto(`${url}/console/#/accounts?name=${encodeURIComponent("Account 00007")}`);
  await isFirst("Account 00007");
  await page.getByRole("link", { name: "Account 00007", exact: true }).click();
  await screen(page, "Account 00007");
});
