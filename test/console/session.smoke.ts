import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { addAuthenticator, checkAccessible, checkWidth, localhostOf, openConsole, settle } from "./browser.ts";
import { press, success } from "./forms.ts";

const consoleTest = openConsole({ signedIn: false });
const accounts = { name: "Accounts", level: 1 } as const;
const signIn = { name: "Sign in", level: 1 } as const;
const other = "tomasz.wisniewski@fjordlys.example";

async function useLink(page: Page, link: string): Promise<void> {
  await page.goto(link);
  await page.getByRole("button", { name: "Sign in" }).click();
}

consoleTest("a sign-in link asks for a click, works once and leaves the URL", async ({ page, url, link, ...crm }) => {
  crm.expectErrors("GET /console/session 401", "POST /console/session 401");
  await page.getByRole("heading", signIn).waitFor();
  await checkAccessible(page);
  await checkWidth(page);

  const once = link();
  await page.goto("about:blank");
  await page.goto(once);
  await page.getByText("This link signs you in to the console. It works once.").waitFor();
  assert.equal(page.url(), `${url}/console/#/`);
  assert.deepEqual(await crm.context.cookies(), [], "the page waits for the click");
  await checkAccessible(page);
  const language = page.getByLabel("Language / Sprache");
  await language.selectOption("Deutsch");
  await page.getByText("Dieser Link meldet Sie in der Konsole an.").waitFor();
  assert.equal(page.url(), `${url}/console/#/`, "the token leaves the URL again");
  await language.selectOption("English");
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByRole("heading", { name: "Overview", level: 1 }).waitFor();
  assert.equal(page.url(), `${url}/console/#/overview`);
  assert.equal(await page.evaluate("document.cookie"), "", "scripts can't read the session");

  await useLink(page, once);
  const error = page.getByRole("alert");
  await error.waitFor();
  assert.match(await error.innerText(), /^This sign-in link was already used\. Each link works once\. Get a new one\./);
  assert.ok(await error.evaluate((element) => element.matches(":focus")), "the error has the focus");
  await page.getByText(`crm-integrations console --data ${crm.folder}/data`).waitFor();
  assert.equal(await page.getByRole("button", { name: "Sign in" }).count(), 0, "a used link has no button");
  assert.equal(page.url(), `${url}/console/#/overview`);
});

consoleTest("a link that is pasted into the tab of the sign-in page opens the address before it", async (crm) => {
  const { page, url, link } = crm;
  crm.expectErrors("GET /console/session 401");
  await page.goto(`${url}/console/#/contacts?name=x`);
  await page.reload();
  await page.getByRole("heading", signIn).waitFor();
  await useLink(page, link());
  await page.getByRole("heading", { name: "Contacts", level: 1 }).waitFor();
  assert.equal(page.url(), `${url}/console/#/contacts?name=x`);
});

consoleTest("the sign-in page shows the command with the options of this server", async ({ page, url, ...crm }) => {
  crm.expectErrors("GET /console/session 401");
  const command = `crm-integrations console --data ${crm.folder}/data --console-origin ${url}`;
  await page.getByText(command, { exact: true }).waitFor();
  const printed = crm.program(command.split(" ").slice(1)).trim();
  await useLink(page, printed);
  await page.getByRole("heading", accounts).waitFor();
});

consoleTest("a session survives a reload and ends with Sign out", async ({ page, link, newPage, url, ...crm }) => {
  crm.expectErrors("GET /console/session 401");
  await useLink(page, link());
  await page.getByRole("heading", accounts).waitFor();
  await page.reload();
  await page.getByRole("heading", accounts).waitFor();
  const second = await newPage();
  await second.goto(`${url}/console/#/tasks`);
  // The last request of the list.
  await second.getByText(/^50 of \d+ records\.$/).waitFor();
  await page.getByRole("button", { name: "Sign out" }).click();
  await page.getByRole("heading", signIn).waitFor();
  assert.deepEqual(await crm.context.cookies(), []);
  await second.reload();
  await second.getByRole("heading", signIn).waitFor();
});

consoleTest("an admin adds a passkey, signs in with it, and removes it", async ({ page, link, url, ...crm }) => {
  crm.expectErrors("GET /console/session 401", "POST /console/session 401");
  await addAuthenticator(page);
  assert.equal(await page.getByRole("button", { name: "Sign in with a passkey" }).count(), 0, "not at an IP address");

  await useLink(page, localhostOf(link(other)));
  await page.getByRole("heading", { name: "Overview", level: 1 }).waitFor();
  await page.goto(`${localhostOf(url)}/console/#/users`);
  await page.getByRole("link", { name: "Tomasz Wiśniewski" }).click();
  await page.getByText("This user has no passkeys.").waitFor();
  await page.getByRole("textbox", { name: "Name of the passkey" }).fill("Work laptop");
  await press(page.getByRole("region", { name: "Add a passkey" }), "Add a passkey");
  await success(page, "The passkey is added. You can sign in with it from now on.");
  await checkAccessible(page);
  await checkWidth(page);
  await press(page.getByRole("region", { name: "Add a passkey" }), "Add a passkey");
  await page.getByText("You have a passkey on this device already.").waitFor();

  const signInAgain = async () => {
    await press(page, "Sign out");
    await page.getByText("crm-integrations console --data").waitFor();
    await press(page, "Sign in with a passkey");
  };
  await signInAgain();
  const passkeys = page.getByRole("table", { name: "Passkeys" });
  await passkeys.getByRole("row", { name: /^Work laptop .* (now|ago)/ }).waitFor();
  await passkeys.getByRole("button", { name: "Remove Work laptop" }).click();
  await press(page.getByRole("dialog"), "Remove");
  await success(page, "The passkey is removed.");
  await signInAgain();
  await page.getByText("This passkey was removed, or it is from another server.").waitFor();
  await checkAccessible(page);
  await checkWidth(page);
});

for (const change of [{ role: "member" }, { active: false }]) {
  const name = `an admin who becomes ${JSON.stringify(change)} sees the sign-in page at the next request`;
  consoleTest(name, async ({ page, link, send, ...crm }) => {
    crm.expectErrors("GET /console/session 401", "GET /contacts 403", "GET /console/session 403");
    await useLink(page, link(other));
    await page.getByRole("heading", accounts).waitFor();
    await settle(page);
    const users = await send<readonly { readonly id: string; readonly email: string }[]>("GET", "/admin/users");
    const user = `/admin/users/${users.find(({ email }) => email === other)?.id}`;
    await send("PATCH", user, change);
    crm.t.after(() => send("PATCH", user, { role: "admin", active: true }));
    await page.getByRole("link", { name: "Contacts", exact: true }).click();
    await page.getByRole("heading", signIn).waitFor();
    await page.getByText("The user isn't an active admin of the tenant.").waitFor();
    assert.equal(await page.getByRole("navigation").count(), 0);
  });
}

const fakeClock = openConsole({ tenant: "inMemory" });

fakeClock("an expired session asks to sign in over the page", async ({ page, url, expectErrors }) => {
  await page.getByRole("heading", accounts).waitFor();
  await settle(page);
  expectErrors("GET /contacts 401", "GET /console/session 401");
  const init = { method: "POST", headers: { "content-type": "application/json" } };
  const body = JSON.stringify({ advanceMs: 12 * 60 * 60 * 1000 });
  assert.equal((await fetch(`${url}/__fixtures/clock`, { ...init, body })).status, 200);
  await page.getByRole("link", { name: "Contacts", exact: true }).click();
  const dialog = page.getByRole("dialog", { name: "Sign in" });
  await dialog.getByText("A server in memory prints one when it starts.").waitFor();
  await checkAccessible(page);
  await checkWidth(page);
  await page.keyboard.press("Escape");
  await page.keyboard.press("Escape");
  await dialog.waitFor();
});
