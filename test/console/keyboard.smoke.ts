import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { addAuthenticator, localhostOf, openConsole, settle } from "./browser.ts";
import { assertFocusOn, focusOf, tabTo } from "./forms.ts";

const consoleTest = openConsole({ signedIn: false });

const other = "tomasz.wisniewski@fjordlys.example";

async function signIn(page: Page, link: string): Promise<void> {
  await page.goto("about:blank");
  await page.goto(link);
  await assertFocusOn(page, "Sign in");
  await tabTo(page, "button: Sign in");
  await page.keyboard.press("Enter");
  await assertFocusOn(page, "Overview");
}

consoleTest("the keyboard is enough from the sign-in to a new contact", async ({ page, link, send, expectErrors }) => {
  expectErrors("GET /console/session 401", "POST /contacts 400");
  const { keyboard } = page;
  await signIn(page, link());
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

consoleTest("the keyboard is enough to move a stage", async ({ page, url, link, expectErrors }) => {
  const { keyboard } = page;
  expectErrors("GET /console/session 401");
  await signIn(page, link());
  await page.goto(`${url}/console/#/pipelines`);
  await assertFocusOn(page, "Pipelines");
  await settle(page);
  await tabTo(page, "a: Equipment sales");
  await keyboard.press("Enter");
  await assertFocusOn(page, "Equipment sales");
  await tabTo(page, "button: Move Tasting down");
  await keyboard.press("Enter");
  const stages = page.getByRole("listitem").filter({ has: page.getByRole("link", { name: /^(Tasting|Proposal)$/ }) });
  await stages.first().getByRole("link", { name: "Proposal", exact: true }).waitFor();
  // The button keeps the focus, and the other one is before it.
  await keyboard.press("Shift+Tab");
  await keyboard.press("Enter");
  await stages.first().getByRole("link", { name: "Tasting", exact: true }).waitFor();
});

consoleTest("the keyboard is enough to win, to lose and to resolve a conflict", async (tools) => {
  const { page, url, link, send, expectErrors } = tools;
  const { keyboard } = page;
  expectErrors("GET /console/session 401", "PATCH /opportunities/{id} 412");
  await signIn(page, link());
  const open = async (name: string) => {
    const { id } = await send("POST", "/v1/opportunities", { name });
    await page.goto(`${url}/console/#/opportunities/${id}`);
    await assertFocusOn(page, name);
    await page.getByRole("button", { name: "Move to Lost" }).waitFor();
    return async () => send("GET", `/v1/opportunities/${id}`);
  };
  const saved = page.locator(".notice.success:focus").getByText("Saved.");

  const readWon = await open("Won by keyboard");
  await tabTo(page, "button: Move to Won");
  await keyboard.press("Enter");
  await tabTo(page, "input: Installation date");
  await keyboard.type("Dec 24, 2026");
  const { id } = await readWon();
  await send("PATCH", `/v1/opportunities/${id}`, { amount: 70 });
  await keyboard.press("Enter");
  await page.getByRole("alert").and(page.locator(":focus")).waitFor();
  await tabTo(page, "button: Read the record again and keep my entries");
  await keyboard.press("Enter");
  await page.getByText("Another user or a program has changed 1 field.").and(page.locator(":focus")).waitFor();
  await keyboard.press("Shift+Tab");
  await keyboard.press("Shift+Tab");
  assert.equal(await focusOf(page), "button: Move to Won");
  await keyboard.press("Enter");
  await saved.waitFor();
  const { status, amount, customFields } = await readWon();
  assert.deepEqual([status, amount, customFields], ["won", 70, { installDate: "2026-12-24" }]);

  const readLost = await open("Lost by keyboard");
  await tabTo(page, "button: Move to Lost");
  await keyboard.press("Enter");
  await tabTo(page, "select: Lost reason");
  await keyboard.type("Pri");
  await tabTo(page, "button: Move to Lost");
  await keyboard.press("Enter");
  await saved.waitFor();
  const lost = await readLost();
  assert.deepEqual([lost.status, lost.lostReason], ["lost", "Price"]);
});

consoleTest("the keyboard is enough to add, use and remove a passkey", async ({ page, link, url, expectErrors }) => {
  expectErrors("GET /console/session 401", "POST /console/session 401");
  const { keyboard } = page;
  await addAuthenticator(page);
  await signIn(page, localhostOf(link(other)));
  await page.goto(`${localhostOf(url)}/console/#/users`);
  await assertFocusOn(page, "Users");
  await tabTo(page, "a: Tomasz Wiśniewski");
  await keyboard.press("Enter");
  await assertFocusOn(page, "Tomasz Wiśniewski");
  await tabTo(page, "input: Name of the passkey");
  await keyboard.press("ControlOrMeta+A");
  await keyboard.type("Work laptop");
  await tabTo(page, "button: Add a passkey");
  await keyboard.press("Enter");
  await page.getByText("The passkey is added. You can sign in with it from now on.").waitFor();
  await tabTo(page, "button: Sign out");
  await keyboard.press("Enter");
  await assertFocusOn(page, "Sign in");
  await tabTo(page, "button: Sign in with a passkey");
  await keyboard.press("Enter");
  await assertFocusOn(page, "Tomasz Wiśniewski");
  await tabTo(page, "button: Remove Work laptop");
  await keyboard.press("Enter");
  const dialog = page.getByRole("dialog");
  await dialog.waitFor();
  assert.ok(await dialog.evaluate((element) => element.contains(element.ownerDocument.activeElement)));
  await tabTo(page, "button: Remove");
  await keyboard.press("Enter");
  await page.getByText("The passkey is removed.").waitFor();
  await tabTo(page, "button: Sign out");
  await keyboard.press("Enter");
  await assertFocusOn(page, "Sign in");
  await tabTo(page, "button: Sign in with a passkey");
  await keyboard.press("Enter");
  await page.getByText("This passkey was removed, or it is from another server.").waitFor();
});
