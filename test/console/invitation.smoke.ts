import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { checkAccessible, checkWidth, openConsole } from "./browser.ts";
import { press, screen, success } from "./forms.ts";
import { confirm, openList, type SetUpRecord } from "./set-up-steps.ts";

const consoleTest = openConsole();

const invitation = (page: Page) => page.getByRole("region", { name: "Invitation" });

async function createLink(page: Page, button: string): Promise<string> {
  await press(invitation(page), button);
  await page.getByText("Copy the link now.").waitFor();
  return invitation(page).getByRole("textbox", { name: "Invitation link" }).inputValue();
}

consoleTest("an admin invites another admin, who signs in once, and ends the session", async (crm) => {
  const { page, url, send } = crm;
  const browser = crm.context.browser() ?? assert.fail("no browser");
  await send("POST", "/admin/users", { name: "Nora Nilsen", email: "nora@fjordlys.example", role: "admin" });
  await openList(page, "Users");
  await page.getByRole("link", { name: "Nora Nilsen" }).click();
  await screen(page, "Nora Nilsen");
  await page.getByText("This user isn't signed in anywhere.").waitFor();
  const link = await createLink(page, "Create an invitation link");
  assert.ok(link.startsWith(`${url}/console/#token=`), link);
  await checkAccessible(page);
  await checkWidth(page);
  await page.reload();
  await page.getByText(/^There is an unused invitation from /).waitFor();
  assert.ok(!(await page.content()).includes(link), "the link is shown once");

  const profile = await browser.newContext({ locale: "en-US" });
  crm.t.after(() => profile.close());
  const invited = await profile.newPage();
  await invited.goto(link);
  await press(invited, "Sign in");
  await screen(invited, "Overview");
  await invited.getByText("Nora Nilsen", { exact: true }).waitFor();
  const late = await profile.newPage();
  await late.goto(link);
  await press(late, "Sign in");
  await late.getByText("This invitation was already used, replaced or withdrawn. Get a new one.").waitFor();

  await page.reload();
  await screen(page, "Nora Nilsen");
  const row = page.getByRole("table", { name: "Sessions" }).locator("tbody tr");
  await row.getByText("Chrome, Linux").waitFor();
  assert.equal(await invitation(page).getByText("unused invitation").count(), 0);
  await checkAccessible(page);
  await checkWidth(page);
  await press(row.page(), "End session");
  await confirm(page, "End session");
  await success(page, "The session has ended.");
  await page.getByText("This user isn't signed in anywhere.").waitFor();
  await invited.getByRole("navigation").getByRole("link", { name: "Contacts", exact: true }).click();
  await invited.getByRole("dialog", { name: "Sign in" }).waitFor();
});

consoleTest("an invitation is withdrawn, and a member can't be invited", async (crm) => {
  const { page, url, send } = crm;
  const { id } = await send<SetUpRecord>("POST", "/admin/users", { name: "Olav", email: "olav@fjordlys.example" });
  await page.goto(`${url}/console/#/users/${id}`);
  await page.getByText("Only active admins can use the console.").waitFor();
  assert.equal(await invitation(page).count(), 0);
  await page.getByLabel("Role").selectOption("Admin");
  await press(page, "Save");
  await success(page, "Saved.");
  const links = [await createLink(page, "Create an invitation link"), await createLink(page, "Create another link")];
  await press(page, "Withdraw the invitation");
  await confirm(page, "Withdraw the invitation");
  await success(page, "The invitation is withdrawn.");
  assert.equal(await invitation(page).getByRole("textbox").count(), 0);
  for (const link of links) {
    const body = JSON.stringify({ token: new URL(link).hash.replace("#token=", "") });
    const headers = { origin: url, "content-type": "application/json" };
    assert.equal((await fetch(`${url}/console/session`, { method: "POST", headers, body })).status, 401);
  }
});

consoleTest("the page of the signed-in user shows the session of this browser", async ({ page, url }) => {
  const own = await page.evaluate<{ data: { id: string; user: { id: string } } }>(
    "fetch('session').then((response) => response.json())",
  );
  await page.goto(`${url}/console/#/users/${own.data.user.id}`);
  const row = page.getByRole("table", { name: "Sessions" }).locator("tbody tr");
  await row.getByText("This session", { exact: true }).waitFor();
  assert.equal(await row.getByRole("button").count(), 0);
});
