import assert from "node:assert/strict";
import { openConsole, settle } from "./browser.ts";
import { assertFocusOn, field, tabTo, waitForFocus } from "./forms.ts";

const consoleTest = openConsole();

consoleTest(
  "the keyboard is enough for the notes and the ID of a record, and keeps entries that aren't saved",
  async (crm) => {
    const { page, url, send, link } = crm;
    const { keyboard } = page;
    const { id } = await send("POST", "/v1/accounts", { name: "Keyboard Cafe", customFields: { segment: "SMB" } });
    await page.goto(`${url}/console/#/accounts/${id}`);
    await assertFocusOn(page, "Keyboard Cafe");
    await settle(page);
    await tabTo(page, "textarea: New note");
    await keyboard.type("Called about the grinder");
    await tabTo(page, "button: Add note");
    await keyboard.press("Enter");
    await page.locator(".notice:focus").getByText("Added.").waitFor();
    await tabTo(page, "summary: For developers");
    await keyboard.press("Enter");
    await page.getByText(String(id), { exact: true }).first().waitFor();

    await keyboard.press("e");
    await field(page, "Name").and(page.locator(":focus")).waitFor();
    await keyboard.press("End");
    await keyboard.type(" and Bar");
    page.once("dialog", (dialog) => dialog.dismiss());
    await keyboard.press("ControlOrMeta+K");
    await keyboard.type("tasks");
    await page
      .getByRole("option", { name: /^Tasks/ })
      .and(page.locator("[aria-selected=true]"))
      .waitFor();
    await keyboard.press("Enter");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    assert.equal(await field(page, "Name").inputValue(), "Keyboard Cafe and Bar");

    await crm.context.clearCookies();
    crm.expectErrors("PATCH /accounts/{id} 401", "GET /console/session 401");
    await field(page, "Name").focus();
    await keyboard.press("Enter");
    await page.getByRole("dialog", { name: "Sign in" }).waitFor();
    await page.goto(link());
    await tabTo(page, "button: Sign in");
    await keyboard.press("Enter");
    await page.locator(".notice:focus").getByText("Saved.").waitFor();
    assert.equal((await send<{ readonly name: string }>("GET", `/v1/accounts/${id}`)).name, "Keyboard Cafe and Bar");
  },
);

consoleTest("the keyboard is enough to generate a key, find a failed request, export and back up", async (crm) => {
  const { page, url, send } = crm;
  const { keyboard } = page;
  const { id } = await send("POST", "/admin/integrations", { name: "Night job", scopes: ["tasks:read"] });
  await page.goto(`${url}/console/#/integrations/${id}`);
  await assertFocusOn(page, "Night job");
  await settle(page);
  await tabTo(page, "a: Overview");
  await keyboard.press("ArrowRight");
  await waitForFocus(page, "a: API keys");
  await keyboard.press("Enter");
  await tabTo(page, "button: Generate a key");
  await keyboard.press("Enter");
  await page.getByRole("region", { name: "Your new API key" }).and(page.locator(":focus")).waitFor();
  await tabTo(page, "textarea: API key");
  const key = await page.evaluate<string>("document.activeElement.value");
  await tabTo(page, "button: I have stored the key");
  await keyboard.press("Enter");

  const failed = await fetch(`${url}/integrations/v1/tasks?limit=500`, { headers: { "x-api-key": key } });
  assert.equal(failed.status, 400);
  await page.goto(`${url}/console/#/overview`);
  await page.reload();
  await assertFocusOn(page, "Overview");
  const problem = page.getByRole("link", { name: /^Night job: 1 of 1 requests failed/ });
  await problem.waitFor();
  for (let presses = 0; (await problem.and(page.locator(":focus")).count()) === 0; presses++) {
    assert.ok(presses < 30, "Tab reaches the link");
    await keyboard.press("Tab");
  }
  await keyboard.press("Enter");
  await assertFocusOn(page, "Requests");
  await tabTo(page, "summary: 400 GET /tasks?limit validation_error");
  await keyboard.press("Enter");
  await page.getByText("Limit must be from 1 to 200.").waitFor();

  await page.goto(`${url}/console/#/export`);
  await assertFocusOn(page, "Export");
  await settle(page);
  await tabTo(page, "button: Export");
  const download = page.waitForEvent("download");
  await keyboard.press("Enter");
  assert.match((await download).suggestedFilename(), /\.csv$/);

  await page.goto(`${url}/console/#/system`);
  await assertFocusOn(page, "System");
  await settle(page);
  await tabTo(page, "button: Back up now");
  await keyboard.press("Enter");
  await page.getByText(/^The last backup is from /).waitFor();
  await waitForFocus(page, "button: Back up now");
});
