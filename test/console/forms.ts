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

/** Names the element that has the focus by its tag and its label, such as `button: Create`. */
const describeFocus = `(() => {
  const element = document.activeElement;
  const label = element?.labels?.[0]?.cloneNode(true);
  label?.querySelectorAll("select, .combobox").forEach((each) => each.remove());
  const text = label?.textContent ?? element?.getAttribute("aria-label") ?? element?.textContent ?? "";
  if (element === document.body) return "body";
  return element?.tagName.toLowerCase() + ": " + text.replace(" (required)", "").trim();
})()`;

export function focusOf(page: Page): Promise<string> {
  return page.evaluate<string>(describeFocus);
}

/** Presses a key until an element has the focus, such as `button: Create`. Fails if no element had it before. */
export async function tabTo(page: Page, element: string, key: "Tab" | "Shift+Tab" = "Tab"): Promise<void> {
  await assertFocus(page, element);
  const seen: string[] = [];
  while (seen.length < 150) {
    await page.keyboard.press(key);
    const focus = await focusOf(page);
    if (focus === element) return assertVisibleFocus(page, element);
    seen.push(focus);
  }
  assert.fail(`${key} doesn't reach ${element}: ${[...new Set(seen)].join(", ")}`);
}

/** Fails if the element that had the focus is gone, so that the user would start at the top of the page. */
async function assertFocus(page: Page, next: string): Promise<void> {
  const focus = page.locator(":focus").waitFor({ state: "attached", timeout: 2_000 });
  await focus.catch(() => assert.fail(`The focus is lost before ${next}.`));
}

async function assertVisibleFocus(page: Page, element: string): Promise<void> {
  const outline = await page.evaluate<string>("getComputedStyle(document.activeElement).outlineStyle");
  assert.notEqual(outline, "none", `${element} has no visible focus`);
}

/** The heading of a screen gets the focus. */
export async function assertFocusOn(page: Page, title: string): Promise<void> {
  await page.getByRole("heading", { level: 1, name: title, exact: true }).and(page.locator(":focus")).waitFor();
}

/** Waits until an element has the focus, such as `button: Create`. */
export async function waitForFocus(page: Page, element: string): Promise<void> {
  const end = Date.now() + 5_000;
  while ((await focusOf(page)) !== element) {
    assert.ok(Date.now() < end, `The focus is on ${await focusOf(page)} instead of ${element}.`);
    await page.waitForTimeout(20);
  }
  await assertVisibleFocus(page, element);
}
