import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { type ConsoleTest, checkAccessible, settle } from "./browser.ts";
import { press, screen, success } from "./forms.ts";

export type SetUpRecord = Readonly<Record<string, unknown>> & { readonly id: string };
export type DeclareTest = (name: string, run: (crm: ConsoleTest) => Promise<void>) => void;

/** Opens a list of the set-up with the menu. */
export async function openList(page: Page, name: string): Promise<void> {
  await page.getByRole("navigation").getByRole("link", { name, exact: true }).click();
  await screen(page, name);
  await settle(page);
}

/** Submits the form of a new record, and returns the ID of the record. */
export async function create(page: Page, name: string): Promise<string> {
  await press(page, "Create");
  await screen(page, name);
  await success(page, "Created.");
  const [id] = /[\da-f-]{36}$/.exec(page.url()) ?? assert.fail(page.url());
  return id;
}

export async function save(page: Page): Promise<void> {
  await press(page, "Save");
  await success(page, "Saved.");
}

/** Confirms the change in the dialog that opens. */
export async function confirm(page: Page, button: string): Promise<void> {
  const dialog = page.getByRole("dialog");
  await dialog.waitFor();
  await checkAccessible(page);
  await press(dialog, button);
  await dialog.waitFor({ state: "detached" });
}

/** Archives the record on the screen, finds it in the list, and restores it. */
export async function archiveAndRestore(
  { page }: ConsoleTest,
  list: string,
  name: string,
  openEntity = async (): Promise<void> => {},
): Promise<void> {
  await press(page, "Archive");
  await page.getByRole("dialog").waitFor();
  await page.keyboard.press("Escape");
  await page.getByRole("dialog").waitFor({ state: "detached" });
  await press(page, "Archive");
  await confirm(page, "Archive");
  await success(page, "Archived.");
  await page.getByText("This record is archived. Restore it to change it.").waitFor();
  const link = page.locator("main tbody").getByRole("link", { name, exact: true });
  await openList(page, list);
  await openEntity();
  const before = await link.count();
  await page.getByLabel("Show archived").check();
  await page.getByRole("columnheader", { name: "Archived" }).first().waitFor();
  await settle(page);
  assert.equal(await link.count(), before + 1);
  const row = page.getByRole("row").filter({ has: page.getByRole("link", { name, exact: true }) });
  const archived = row.filter({ has: page.locator('[data-label="Archived"] time[title]') });
  await archived.getByRole("link", { name, exact: true }).click();
  await press(page, "Restore");
  await success(page, "Restored.");
  await page.getByRole("button", { name: "Save" }).waitFor();
}
