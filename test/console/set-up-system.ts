import assert from "node:assert/strict";
import { checkAccessible, checkWidth } from "./browser.ts";
import { assertFieldError, field, press, screen, success } from "./forms.ts";
import { type DeclareTest, openList, type SetUpRecord, save } from "./set-up-steps.ts";

/** The screen of the system. */
export function testSystem(consoleTest: DeclareTest): void {
  consoleTest("the system screen shows the health and makes a backup", async ({ page }) => {
    await openList(page, "System");
    await page.getByRole("definition").getByText("There is no backup yet.").waitFor();
    await press(page, "Back up now");
    await page.getByText(/^The last backup is from .* \([\d.]+ [kM]B\)\.$/).waitFor();
    await page.getByRole("definition").getByText("All is well.").waitFor();
    await checkAccessible(page);
  });
}

/** The screen of the company. */
export function testCompany(consoleTest: DeclareTest): void {
  consoleTest("the company gets another name", async ({ page, send, expectErrors }) => {
    const { name } = await send<SetUpRecord>("GET", "/admin/tenant");
    await openList(page, "Company");
    assert.equal(await field(page, "Name of your company").inputValue(), name);
    expectErrors("PATCH /admin/tenant 400");
    await field(page, "Name of your company").fill("");
    await press(page, "Save");
    await assertFieldError(field(page, "Name of your company"), /required/);
    await checkAccessible(page);
    await field(page, "Name of your company").fill("Fjordlys Group");
    await save(page);
    await page.getByRole("banner").getByRole("link", { name: "Fjordlys Group" }).waitFor();
    assert.equal((await send<SetUpRecord>("GET", "/admin/tenant")).name, "Fjordlys Group");
    await page.getByRole("table", { name: "History" }).getByText("Fjordlys Group").waitFor();
    await checkAccessible(page);
    await press(page, "Save");
    await success(page, "Nothing to save.");

    // Another admin has changed it in the meantime.
    await send("PATCH", "/admin/tenant", { name: "Fjordlys Holding" });
    expectErrors("PATCH /admin/tenant 412");
    await field(page, "Name of your company").fill("Fjordlys Europe");
    await press(page, "Save");
    await press(page, "Read the record again and keep my entries");
    await page.getByText("Fjordlys Holding").first().waitFor();
    assert.equal(await field(page, "Name of your company").inputValue(), "Fjordlys Europe");
    assert.equal((await send<SetUpRecord>("GET", "/admin/tenant")).name, "Fjordlys Holding");
    await checkAccessible(page);
    await save(page);
    assert.equal((await send<SetUpRecord>("GET", "/admin/tenant")).name, "Fjordlys Europe");
    await field(page, "Name of your company").fill(String(name));
    await save(page);
  });
}

/** The first steps of a new tenant. */
export function testWelcome(consoleTest: DeclareTest): void {
  consoleTest("a new tenant gets a name, starts empty, and gets an API key that works", async (crm) => {
    const { page, url, send } = crm;
    await page.goto(`${url}/console/`);
    await screen(page, "Welcome");
    await checkAccessible(page);
    await checkWidth(page);
    await field(page, "Name of your company").fill("Kaffeerösterei Nord");
    await press(page, "Next");
    await page.getByText("Step 2 of 3").waitFor();
    await checkAccessible(page);
    await page.getByRole("banner").getByRole("link", { name: "Kaffeerösterei Nord" }).waitFor();
    await page.getByRole("link", { name: "Start empty" }).click();
    await field(page, "Name of the program").fill("Shop");
    await checkAccessible(page);
    const generate = "**/api-key/generate";
    await page.route(generate, async (route) => {
      await route.fetch();
      await route.continue();
    });
    await press(page, "Create API key");
    await page.getByText("The server created a key, but its response was lost.").waitFor();
    await page.unroute(generate);
    await press(page, "Create API key");
    const key = await page.getByRole("textbox", { name: "API key" }).inputValue();
    await checkAccessible(page);
    await checkWidth(page);
    assert.equal((await fetch(`${url}/integrations/v1/me`, { headers: { "x-api-key": key } })).status, 200);
    await press(page, "I have stored the key");
    await screen(page, "Accounts");
    assert.equal((await send<SetUpRecord>("GET", "/admin/tenant")).name, "Kaffeerösterei Nord");
    await page.goto("about:blank");
    await page.goto(`${url}/console/`);
    await screen(page, "Overview");
  });
}
