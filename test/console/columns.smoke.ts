import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { checkAccessible, checkWidth, openConsole, settle } from "./browser.ts";
import { press } from "./forms.ts";

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
