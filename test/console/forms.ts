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

/** The label of a required field says so. */
function labelled(label: string): RegExp {
  return new RegExp(`^${label.replaceAll(/[()'.?]/g, "\\$&")}( \\(required\\))?$`);
}

export async function press(where: Where, name: string): Promise<void> {
  await where.getByRole("button", { name, exact: true }).click();
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
