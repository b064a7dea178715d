import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { openConsole } from "./browser.ts";

const consoleTest = openConsole({ signedIn: false });

const describeFocus = `(() => {
  const element = document.activeElement;
  const label = element?.labels?.[0]?.textContent ?? element?.getAttribute("aria-label") ?? element?.textContent ?? "";
  return element?.tagName.toLowerCase() + ": " + label.replace(" (required)", "").trim();
})()`;

/** Presses Tab until an element has the focus, such as `button: Create`. */
async function tabTo(page: Page, element: string): Promise<void> {
  const seen: string[] = [];
  while (seen.length < 150) {
    await page.keyboard.press("Tab");
    const focus = await page.evaluate<string>(describeFocus);
    if (focus === element) return assertVisibleFocus(page, element);
    seen.push(focus);
  }
  assert.fail(`Tab doesn't reach ${element}: ${[...new Set(seen)].join(", ")}`);
}

async function assertVisibleFocus(page: Page, element: string): Promise<void> {
  const outline = await page.evaluate<string>("getComputedStyle(document.activeElement).outlineStyle");
  assert.notEqual(outline, "none", `${element} has no visible focus`);
}

/** The heading of a screen gets the focus. */
async function assertFocusOn(page: Page, title: string): Promise<void> {
  await page.getByRole("heading", { level: 1, name: title, exact: true }).and(page.locator(":focus")).waitFor();
}

consoleTest("the keyboard is enough from the sign-in to a new contact", async ({ page, link, send, expectErrors }) => {
  expectErrors("GET /console/session 401", "POST /contacts 400");
  const { keyboard } = page;
  await page.goto("about:blank");
  await page.goto(link());
  await assertFocusOn(page, "Sign in");
  await tabTo(page, "button: Sign in");
  await keyboard.press("Enter");
  await assertFocusOn(page, "Overview");

  await page.reload();
  await assertFocusOn(page, "Overview");
  await tabTo(page, "button: Skip to the content");
  await keyboard.press("Enter");
  await assertFocusOn(page, "Overview");
  await tabTo(page, "a: Contacts");
  await keyboard.press("Enter");
  await assertFocusOn(page, "Contacts");
  await tabTo(page, "a: New contact");
  await keyboard.press("Enter");
  await assertFocusOn(page, "New contact");

  await tabTo(page, "input: Name");
  await keyboard.type("Kim Keyboard");
  await tabTo(page, "input: Email");
  await keyboard.type("kim@");
  await tabTo(page, "input: Account");
  await keyboard.type("kestrel");
  const option = page.getByRole("option", { name: "Kestrel & Finch Coffee House" });
  await option.and(page.locator("[aria-selected=true]")).waitFor();
  await keyboard.press("Enter");
  await option.waitFor({ state: "hidden" });
  await keyboard.press("Escape");
  await tabTo(page, "select: Role in decisions");
  await keyboard.type("Dec");
  await tabTo(page, "input: Offers");
  await keyboard.press("Space");
  await tabTo(page, "button: Create");
  await keyboard.press("Enter");
  await page.getByRole("alert").and(page.locator(":focus")).waitFor();

  await tabTo(page, "input: Email");
  await keyboard.press("ControlOrMeta+A");
  await keyboard.type("kim@keys.example");
  await keyboard.press("Enter");
  await assertFocusOn(page, "Kim Keyboard");
  const [contact] = await send<readonly Record<string, unknown>[]>("GET", "/v1/contacts?email=kim@keys.example");
  assert.deepEqual(
    [contact?.name, contact?.customFields],
    ["Kim Keyboard", { decisionRole: "decides", topics: ["offers"] }],
  );
  const account = await send("GET", `/v1/accounts/${contact?.accountId}`);
  assert.equal(account.name, "Kestrel & Finch Coffee House");
});
