import assert from "node:assert/strict";
import { checkAccessible, checkWidth, openConsole } from "./browser.ts";
import { field, press, screen } from "./forms.ts";

const consoleTest = openConsole();

consoleTest("a tab never writes to the tenant that another tab has signed in to", async (crm) => {
  const { page, url, program, newPage, send } = crm;
  program([
    "tenant",
    "create",
    "--data",
    "data",
    "--tenant-name",
    "Zweite GmbH",
    "--admin-name",
    "Zoe",
    "--admin-email",
    "zoe@zweite.example",
  ]);
  await page.locator("summary", { hasText: "Views" }).click();
  await page.getByLabel("Name of this view").fill("Secret customers");
  await press(page, "Save view");
  await page.getByRole("link", { name: "Secret customers" }).waitFor();
  await page.locator("summary", { hasText: "Columns" }).click();
  await page.getByRole("checkbox", { name: "City" }).check();
  await page.getByRole("columnheader", { name: "City" }).waitFor();
  await page.getByRole("link", { name: "New account" }).click();
  await screen(page, "New account");
  await field(page, "Name").fill("Written late");
  await field(page, "Segment").selectOption("SMB");

  const second = await newPage();
  const options = ["--data", "data", "--listen", new URL(url).host, "--tenant", "Zweite GmbH"];
  await second.goto(program(["console", ...options]).trim());
  await press(second, "Sign in");
  await screen(second, "Welcome");

  crm.expectErrors("POST /accounts 409", "DELETE /console/session 409");
  await press(page, "Create");
  const dialog = page.getByRole("dialog", { name: "You signed in to Zweite GmbH in another tab" });
  await dialog.waitFor();
  await checkAccessible(page);
  await checkWidth(page);
  assert.equal(await field(page, "Name").inputValue(), "Written late");
  assert.deepEqual(await send("GET", "/v1/accounts?name=Written late"), []);
  const inSecond = "fetch('api/v1/accounts').then((response) => response.json())";
  assert.deepEqual((await second.evaluate<{ data: unknown }>(inSecond)).data, []);

  await page.evaluate("document.querySelector('.sign-out').click()");
  await dialog.waitFor();
  await second.reload();
  await screen(second, "Welcome");
  await press(dialog, "Open Zweite GmbH");
  await page.getByRole("link", { name: "Zweite GmbH" }).waitFor();

  // The browser keeps the views and the columns of each user of a tenant apart.
  await second.goto(`${url}/console/#/accounts`);
  await second.locator("summary", { hasText: "Views" }).click();
  await second.getByLabel("Name of this view").waitFor();
  assert.equal(await second.getByText("Secret customers").count(), 0);
  await second.locator("summary", { hasText: "Columns" }).click();
  assert.equal(await second.getByRole("checkbox", { name: "Owner" }).isChecked(), true);
  assert.equal(await second.getByRole("checkbox", { name: "City" }).isChecked(), false);
});
