import assert from "node:assert/strict";
import type { Locator, Page } from "playwright-core";

type Where = Page | Locator;

/** Returns the input with this label. */
export function field(where: Where, label: string): Locator {
  return where.getByLabel(labelled(label));
}

/** Returns the group of inputs with this label. */
export function group(where: Where, label: string): Locator {
  return where.getByRole("group", { name: labelled(label) });
}

/** The label of a required field contains "required". */
function labelled(label: string): RegExp {
  return new RegExp(`^${label.replaceAll(/[()'.?]/g, "\\$&")}( \\(required\\))?$`);
}

export async function press(where: Where, name: string): Promise<void> {
  await where.getByRole("button", { name, exact: true }).click();
}

/** Opens all fields of the record on the screen for editing. */
export async function edit(page: Page): Promise<void> {
  await press(page, "Edit");
  await page.locator(".submit").first().waitFor();
}

/** Returns the value of a field that is shown to read. */
export function value(page: Page, label: string): Locator {
  return page
    .locator(".values > div")
    .filter({ has: page.getByText(label, { exact: true }) })
    .locator("dd");
}

/** Waits for the heading of a screen. */
export async function screen(page: Page, title: string | RegExp): Promise<void> {
  const exact = typeof title === "string";
  await page.getByRole("heading", { level: 1, name: title, exact }).waitFor();
}

/** Waits for the notice that something succeeded. */
export async function success(page: Page, text: string): Promise<void> {
  await page.locator(".notice.success").getByText(text, { exact: true }).waitFor();
}

/** Fails unless the field is marked as invalid and described by the message. */
export async function assertFieldError(input: Locator, message: RegExp): Promise<void> {
  await input.and(input.page().locator("[aria-invalid=true]")).waitFor();
  const ids = (await input.getAttribute("aria-describedby")) ?? assert.fail("no description");
  const texts = await Promise.all(ids.split(" ").map((id) => input.page().locator(`[id="${id}"]`).innerText()));
  assert.match(texts.join("\n"), message);
}
