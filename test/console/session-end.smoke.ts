import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { checkAccessible, checkWidth, openConsole, settle } from "./browser.ts";
import { edit, field, press, screen, success } from "./forms.ts";

const consoleTest = openConsole();

type Account = Readonly<Record<string, unknown>> & { readonly id: string };

const signInDialog = (page: Page) => page.getByRole("dialog", { name: "Sign in" });

consoleTest("a session that ends while someone edits is opened again over the form", async (crm) => {
  const { page, url, send, link } = crm;
  const { id } = await send("POST", "/v1/accounts", { name: "Edited late", customFields: { segment: "SMB" } });
  const address = `${url}/console/#/accounts/${id}`;
  await page.goto(address);
  await screen(page, "Edited late");
  await edit(page);
  await field(page, "Phone").fill("+49 30 123");
  await crm.context.clearCookies();
  crm.expectErrors("PATCH /accounts/{id} 401", "GET /console/session 401");
  await press(page, "Save");
  await signInDialog(page).getByText("Your entries are still there.").waitFor();
  await checkAccessible(page);
  await checkWidth(page);
  assert.equal(await field(page, "Phone").inputValue(), "+49 30 123");

  await page.goto(link());
  await press(signInDialog(page), "Sign in");
  await success(page, "Saved.");
  assert.equal(page.url(), address);
  assert.equal(await signInDialog(page).count(), 0);
  assert.equal((await send<Account>("GET", `/v1/accounts/${id}`)).phone, "+49 30 123");
});

consoleTest("a screen loads after a sign-in in another tab", async ({ page, context, link, newPage, ...crm }) => {
  crm.expectErrors("GET /tasks 401", "GET /console/session 401");
  await context.clearCookies();
  await page.getByRole("link", { name: "Tasks", exact: true }).click();
  await signInDialog(page).waitFor();
  const other = await newPage();
  await other.goto(link());
  await press(other, "Sign in");
  await screen(other, "Overview");
  await press(signInDialog(page), "Continue");
  await signInDialog(page).waitFor({ state: "detached" });
  await settle(page);
  assert.ok((await page.getByRole("table", { name: "Tasks" }).locator("tbody tr").count()) > 0);
});

consoleTest("a server that stops while someone types loses nothing", async (crm) => {
  const first = await crm.serve("stopped", ["--fixtures", "demo"]);
  // The watched profile may call only the server of the file.
  const context = (await crm.context.browser()?.newContext()) ?? assert.fail("no browser");
  crm.t.after(() => context.close());
  const page = await context.newPage();
  await page.goto(first.signInLink);
  await press(page, "Sign in");
  await screen(page, "Overview");
  await page.goto(`${first.url}/console/#/tasks/new`);
  await screen(page, "New task");
  await field(page, "Title").fill("Typed before");
  await first.stop();
  await field(page, "Title").fill("Typed before and after");
  await press(page, "Create");
  await page.getByText("The server can't be reached.").waitFor();
  assert.equal(await field(page, "Title").inputValue(), "Typed before and after");
  await checkAccessible(page);

  await crm.serve("stopped", ["--listen", new URL(first.url).host]);
  await press(page, "Create");
  await screen(page, "Typed before and after");
  await page.goto(`${first.url}/console/#/tasks?q=`);
  await settle(page);
  assert.equal(await page.getByRole("link", { name: "Typed before and after" }).count(), 1);
});

consoleTest("a screen that can't be loaded says so, and loses no entries", async ({ page, url, context, newPage }) => {
  const loaded = page.waitForResponse(/passkey-library-/);
  await page.reload();
  await loaded;
  await context.route("**/*.js", (route) => route.abort("aborted"));
  await page.getByRole("link", { name: "Users", exact: true }).click();
  await screen(page, "Users");
  await context.unroute("**/*.js");

  const other = await newPage();
  await other.route("**/settings-*.js", (route) => route.abort("aborted"));
  await other.goto(`${url}/console/#/tasks/new`);
  await screen(other, "New task");
  const failed = other.waitForEvent("requestfailed");
  await field(other, "Title").fill("Typed");
  await failed;
  other.once("dialog", (dialog) => dialog.dismiss());
  await other.getByRole("link", { name: "Users", exact: true }).click();
  assert.equal(await field(other, "Title").inputValue(), "Typed");
  await field(other, "Title").fill("");

  await other.getByRole("link", { name: "Users", exact: true }).click();
  await screen(other, "Page not loaded");
  await checkAccessible(other);
  await checkWidth(other);
  await other.route("**/console/", (route) => route.abort("aborted"));
  await press(other, "Load the console again");
  await other.getByText("The server can't be reached. Check your connection, and try again.").waitFor();
  await other.unrouteAll();
  await press(other, "Load the console again");
  await screen(other, "Users");
});
