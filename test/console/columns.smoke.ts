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
