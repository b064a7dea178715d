import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { type ConsoleTest, checkAccessible, checkWidth, openConsole, settle } from "./browser.ts";
import { assertFieldError, field, press, screen, success, value } from "./forms.ts";

const consoleTest = openConsole();

async function openAccount({ page, url, send }: ConsoleTest, name: string): Promise<string> {
  const address = { street: "1 Quay", city: "Cork" };
  const customFields = { segment: "SMB", creditLimit: 1500 };
  const { id } = await send("POST", "/v1/accounts", { name, website: "https://quay.example", address, customFields });
  await page.goto(`${url}/console/#/accounts/${id}`);
  await screen(page, name);
  await settle(page);
  return String(id);
}

/** The button that opens a group. */
function opener(page: Page, group: string) {
  return page.getByRole("button", { name: `Edit: ${group}`, exact: true });
}

consoleTest("a record is shown to read, and a click on a value edits its group in place", async (crm) => {
  const { page, send } = crm;
  const id = await openAccount(crm, "Quay café");
  const main = page.locator("main");
  assert.equal(await main.locator("input, select, textarea").count(), 1, "only the new note");
  assert.deepEqual(
    await Promise.all(["City", "State", "Segment", "Credit limit"].map((label) => value(page, label).innerText())),
    ["Cork", "–", "Small business (1–4 sites)", "1,500"],
  );
  const link = value(page, "Website").getByRole("link", { name: "https://quay.example" });
  assert.equal(await link.getAttribute("rel"), "noopener noreferrer");
  await checkAccessible(page);
  await checkWidth(page);

  await value(page, "City").click();
  await field(page, "City").and(page.locator(":focus")).waitFor();
  assert.equal(await field(page, "Street").inputValue(), "1 Quay");
  assert.equal(await field(page, "Phone").count(), 0, "other groups stay closed");
  await checkAccessible(page);
  await checkWidth(page);
  const box = await page.getByRole("button", { name: "Save", exact: true }).boundingBox();
  assert.ok(box !== null && box.y > 0 && box.y + box.height <= 800, "Save is in view");
  await field(page, "City").fill("Galway");
  await value(page, "Phone").click();
  await field(page, "Phone").fill("+353 1");
  await press(page, "Save");
  await success(page, "Saved.");
  assert.equal(await value(page, "City").innerText(), "Galway");
  const { phone, address } = await send<{ phone: string; address: object }>("GET", `/v1/accounts/${id}`);
  assert.deepEqual([phone, address], ["+353 1", { ...address, street: "1 Quay", city: "Galway" }]);
});

consoleTest("Cancel closes the form, and asks before it discards changes", async (crm) => {
  const { page } = crm;
  await openAccount(crm, "Discarded");
  const questions: string[] = [];
  let accept = false;
  page.on("dialog", (dialog) => {
    questions.push(dialog.message());
    void (accept ? dialog.accept() : dialog.dismiss());
  });
  await opener(page, "Address").click();
  await press(page, "Cancel");
  await opener(page, "Address").and(page.locator(":focus")).waitFor();
  assert.deepEqual(questions, []);
  await value(page, "City").click();
  await field(page, "City").fill("Lost");
  await press(page, "Cancel");
  assert.equal(await field(page, "City").inputValue(), "Lost");
  accept = true;
  await press(page, "Cancel");
  await field(page, "City").waitFor({ state: "detached" });
  assert.equal(await value(page, "City").innerText(), "Cork");
  assert.deepEqual(questions, ["Discard your changes?", "Discard your changes?"]);
  await page.getByRole("link", { name: "Tasks", exact: true }).first().click();
  await screen(page, "Tasks");
});

consoleTest("the keyboard alone edits a record: E opens all fields, a button opens a group", async (crm) => {
  const { page, send } = crm;
  const id = await openAccount(crm, "Keys");
  const { keyboard } = page;
  await keyboard.press("e");
  await field(page, "Name").and(page.locator(":focus")).waitFor();
  assert.ok((await field(page, "City").count()) > 0 && (await field(page, "Segment").count()) > 0);
  await keyboard.press("ControlOrMeta+A");
  await keyboard.type("Keys eE");
  await keyboard.press("Enter");
  await success(page, "Saved.");
  await screen(page, "Keys eE");
  assert.equal((await send("GET", `/v1/accounts/${id}`)).name, "Keys eE");

  await opener(page, "Contact details").focus();
  await keyboard.press("Enter");
  await field(page, "Website").and(page.locator(":focus")).waitFor();
  await keyboard.press("Tab");
  await keyboard.type("+353 2");
  await keyboard.press("Enter");
  await page.locator(".notice.success:focus").waitFor();
  assert.equal(await value(page, "Phone").innerText(), "+353 2");
});

consoleTest("a closed group opens if another user has changed it, or if it has an error", async (crm) => {
  const { page, url, send, expectErrors } = crm;
  const id = await openAccount(crm, "Opened");
  await opener(page, "Contact details").click();
  await field(page, "Phone").fill("1");
  await send("PATCH", `/v1/accounts/${id}`, { address: { city: "Sligo" } });
  expectErrors("PATCH /accounts/{id} 412", "PATCH /opportunities/{id} 422");
  await press(page, "Save");
  await press(page, "Read the record again and keep my entries");
  await page
    .locator(".field.changed")
    .filter({ has: field(page, "City") })
    .waitFor();
  assert.equal(await field(page, "Segment").count(), 0);
  await press(page, "Save");
  await success(page, "Saved.");

  const { id: saleId } = await send("POST", "/v1/opportunities", { name: "Nearly won", amount: 5 });
  await page.goto(`${url}/console/#/opportunities/${saleId}`);
  await screen(page, "Nearly won");
  await opener(page, "General").click();
  await field(page, "Status").selectOption("Won");
  await press(page, "Save");
  await assertFieldError(field(page, "Installation date"), /^Installation date is required at this status\.$/m);
  assert.equal(await field(page, "Account").count(), 0);
  await checkAccessible(page);
});
