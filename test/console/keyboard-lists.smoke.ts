import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { openConsole, settle } from "./browser.ts";
import { assertFocusOn, tabTo, waitForFocus } from "./forms.ts";

const consoleTest = openConsole();

type CrmRecord = Readonly<Record<string, unknown>> & { readonly id: string };

const customFields = { segment: "SMB" };
const headers = (page: Page) => page.getByRole("columnheader").allInnerTexts();

consoleTest("the keyboard is enough to filter and sort a list, and to save views of it", async (crm) => {
  const { page, url, send } = crm;
  const { keyboard } = page;
  for (const [index, name] of ["Keys one", "Keys two", "Keys three"].entries())
    await send("POST", "/v1/accounts", { name, customFields, externalId: `KEY-${index}` });
  await assertFocusOn(page, "Accounts");
  const shows = async (query: string) => {
    await page.waitForURL(`${url}/console/#/accounts${query}`);
    await settle(page);
  };

  await tabTo(page, "input: Find accounts");
  await keyboard.type("keys");
  await keyboard.press("Enter");
  await shows("?q=keys");
  await waitForFocus(page, "input: Find accounts");
  await tabTo(page, "summary: Filters");
  await keyboard.press("Enter");
  await tabTo(page, "input: External ID");
  await keyboard.type("KEY-1");
  await keyboard.press("Enter");
  await shows("?externalId=KEY-1&q=keys");
  await page.getByText("1 record", { exact: true }).waitFor();
  await waitForFocus(page, "summary: Filters");
  await keyboard.press("Enter");
  await tabTo(page, "input: External ID");
  await keyboard.press("ControlOrMeta+A");
  await keyboard.type("KEY-2");
  await tabTo(page, "input: Include archived");
  await keyboard.press("Space");
  await tabTo(page, "button: Filter");
  await keyboard.press("Enter");
  await shows("?externalId=KEY-2&q=keys&includeArchived=true");
  await waitForFocus(page, "summary: Filters");
  await tabTo(page, "a: External ID: KEY-2Remove this filter", "Shift+Tab");
  await keyboard.press("Enter");
  await shows("?q=keys&includeArchived=true");
  await waitForFocus(page, "a: Include archivedRemove this filter");
  await keyboard.press("Enter");
  await shows("?q=keys");
  await waitForFocus(page, "summary: Filters");
  await keyboard.press("Enter");
  await tabTo(page, "input: Name");
  await keyboard.press("Escape");
  await waitForFocus(page, "summary: Filters");
  assert.equal(await page.locator("details[open]").count(), 0);

  await tabTo(page, "a: Name");
  await keyboard.press("Enter");
  await shows("?q=keys&order=name");
  await waitForFocus(page, "a: Name");
  await keyboard.press("Enter");
  await shows("?q=keys&order=-name");
  await waitForFocus(page, "a: Name");
  const first = page.locator("tbody tr").first();
  await first.getByRole("link", { name: "Keys two" }).waitFor();
  await page.goBack();
  await shows("?q=keys&order=name");
  await first.getByRole("link", { name: "Keys one" }).waitFor();
  await page.goForward();

  await tabTo(page, "summary: Views", "Shift+Tab");
  await keyboard.press("Enter");
  await tabTo(page, "input: Name of this view");
  await keyboard.type("From Z");
  await keyboard.press("Enter");
  await tabTo(page, "a: Name");
  await keyboard.press("Enter");
  await shows("?q=keys&order=name");
  await tabTo(page, "summary: Views", "Shift+Tab");
  await keyboard.press("Enter");
  await tabTo(page, "a: From Z");
  await keyboard.press("Enter");
  await shows("?q=keys&order=-name");
  await waitForFocus(page, "summary: Views");
  await keyboard.press("Enter");
  await tabTo(page, "button: Remove From Z");
  await keyboard.press("Enter");
  await waitForFocus(page, "input: Name of this view");
  assert.equal(await page.getByRole("link", { name: "From Z" }).count(), 0);

  await tabTo(page, "input: Find accounts", "Shift+Tab");
  await keyboard.press("ControlOrMeta+A");
  await keyboard.type("no such account");
  await keyboard.press("Enter");
  await tabTo(page, "a: Clear filters");
  await keyboard.press("Enter");
  await shows("?order=-name");
  await waitForFocus(page, "summary: Filters");
});

consoleTest("the keyboard is enough to choose columns, and to change and archive several records", async (crm) => {
  const { page, url, send } = crm;
  const { keyboard } = page;
  const created: CrmRecord[] = [];
  for (const name of ["Mass one", "Mass two"])
    created.push(await send<CrmRecord>("POST", "/v1/accounts", { name, customFields }));
  await page.goto(`${url}/console/#/accounts?q=mass`);
  await page.reload();
  await assertFocusOn(page, "Accounts");
  await settle(page);
  const defaults = ["Name", "Email", "Phone", "Owner", "Updated"];
  assert.deepEqual(await headers(page), defaults);
  await tabTo(page, "summary: Columns");
  await keyboard.press("Enter");
  for (const name of ["Phone", "City"]) {
    await tabTo(page, `input: ${name}`);
    await keyboard.press("Space");
  }
  await page.getByRole("columnheader", { name: "City" }).waitFor();
  assert.deepEqual(await headers(page), ["Name", "Email", "Owner", "Updated", "City"]);
  // A column that is hidden and shown again is the last one.
  for (const key of ["Shift+Tab", "Space", "Space"] as const)
    await (key === "Space" ? keyboard.press(key) : tabTo(page, "input: Email", key));
  await page.waitForFunction("document.querySelector('th:last-child').innerText === 'Email'");
  await tabTo(page, "button: Default columns");
  await keyboard.press("Enter");
  await page.getByRole("columnheader", { name: "Phone" }).waitFor();
  assert.deepEqual(await headers(page), defaults);
  await keyboard.press("Escape");
  await waitForFocus(page, "summary: Columns");

  const result = page.getByRole("status").and(page.locator(":focus"));
  await tabTo(page, "input: Select all shown");
  await keyboard.press("Space");
  await tabTo(page, "select: Owner");
  await keyboard.type("Mateus");
  await tabTo(page, "button: Check");
  await keyboard.press("Enter");
  await page.getByText("Would change: 2. Unchanged: 0. Rejected: 0.").waitFor();
  await tabTo(page, "button: Change 2 records");
  await keyboard.press("Enter");
  await result.getByText("Changed: 2. Unchanged: 0. Rejected: 0.", { exact: true }).waitFor();
  await tabTo(page, "button: Clear the selection", "Shift+Tab");
  await keyboard.press("Enter");
  await waitForFocus(page, "input: Select all shown");
  await keyboard.press("Space");
  await tabTo(page, "select: Action");
  await keyboard.type("Arch");
  await tabTo(page, "button: Check");
  await keyboard.press("Enter");
  await tabTo(page, "button: Archive 2 records");
  await keyboard.press("Enter");
  await page.getByText("No records match.").waitFor();
  await tabTo(page, "a: Clear filters");
  for (const { id } of created) {
    const { ownerId, archivedAt } = await send<CrmRecord>("GET", `/v1/accounts/${id}?includeArchived=true`);
    assert.deepEqual([ownerId === created[0]?.ownerId, typeof archivedAt], [false, "string"]);
  }
});

consoleTest("the keyboard is enough to import a file with problems, and to undo it", async (crm) => {
  const { page, url, send, folder } = crm;
  const { keyboard } = page;
  writeFileSync(join(folder, "problems.csv"), "Name,Segment,Floor\nUndo one,tiny,2\nUndo two,SMB,3\n");
  await page.goto(`${url}/console/#/import`);
  await assertFocusOn(page, "Import");
  // The browser needs a moment until it reports choosers.
  const chooser = page.waitForEvent("filechooser");
  await tabTo(page, "input: Choose a file");
  await keyboard.press("Enter");
  await (await chooser).setFiles(join(folder, "problems.csv"));
  await page.getByText("Result of an import: 1 created, 0 updated, 0 unchanged, 1 rejected.").waitFor();
  await tabTo(page, "select: Field: Floor");
  await keyboard.type("New");
  await keyboard.press("Enter");
  const dialog = page.getByRole("dialog");
  await dialog.waitFor();
  await tabTo(page, "button: Create");
  await keyboard.press("Enter");
  await dialog.waitFor({ state: "detached" });
  await page.getByText("Result of an import: 1 created, 0 updated, 0 unchanged, 1 rejected.").waitFor();
  await waitForFocus(page, "select: Field: Floor");
  await tabTo(page, "select: Replace “tiny” with");
  await keyboard.type("S");
  await keyboard.press("Enter");
  await page.getByText("Result of an import: 2 created, 0 updated, 0 unchanged, 0 rejected.").waitFor();
  await tabTo(page, "button: Import");
  await keyboard.press("Enter");
  await page.getByText("2 created, 0 updated, 0 unchanged, 0 rejected.", { exact: true }).waitFor();
  const count = async () => (await send<readonly CrmRecord[]>("GET", "/v1/accounts?q=undo")).length;
  assert.equal(await count(), 2);

  page.once("dialog", (question) => question.accept());
  await tabTo(page, "button: Undo the import of problems.csv", "Shift+Tab");
  await keyboard.press("Enter");
  await page.locator(".notice.success:focus").getByText("Records archived: 2.").waitFor();
  assert.equal(await count(), 0);
});

consoleTest("the focus stays in place if the control that had it disappears", async ({ page, url, send }) => {
  const { keyboard } = page;
  const [first, second] = await send<readonly CrmRecord[]>("GET", "/v1/contacts?limit=2");
  const contactIds = [first?.id, second?.id];
  const { id } = await send<CrmRecord>("POST", "/v1/opportunities", { name: "Keys", contactIds });
  await page.goto(`${url}/console/#/opportunities/${id}`);
  await assertFocusOn(page, "Keys");
  await settle(page);
  await tabTo(page, "button: Edit");
  await keyboard.press("Enter");
  await tabTo(page, `button: Remove ${first?.name}`);
  await keyboard.press("Enter");
  await waitForFocus(page, "input: Add a contact");
  await tabTo(page, `button: Remove ${second?.name}`, "Shift+Tab");
  await keyboard.press("Enter");
  await waitForFocus(page, "input: Add a contact");
  page.once("dialog", (question) => question.accept());
  await tabTo(page, "button: Cancel");
  await keyboard.press("Enter");
  await waitForFocus(page, "button: Edit");

  await page.goto(`${url}/console/#/contacts`);
  await assertFocusOn(page, "Contacts");
  await settle(page);
  await tabTo(page, "button: Show more", "Shift+Tab");
  await keyboard.press("Enter");
  await page.locator("tbody tr").nth(50).waitFor();
  await page.getByRole("button", { name: "Show more" }).waitFor({ state: "detached" });
  await page.locator("tbody tr:last-child a:focus").waitFor();
});
