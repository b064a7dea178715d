import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { openConsole, settle } from "./browser.ts";
import { edit, field, press, screen, success } from "./forms.ts";

const consoleTest = openConsole();
const question = "confirm: Leave without saving your changes?";

/** Records the dialogs of the browser. Accepts the question only if `accept` is set. */
function watchDialogs(page: Page) {
  const watched = { seen: [] as string[], accept: false };
  page.on("dialog", (dialog) => {
    watched.seen.push(`${dialog.type()}: ${dialog.message()}`);
    void (watched.accept ? dialog.accept() : dialog.dismiss());
  });
  return watched;
}

consoleTest("leaving a form with changes asks", async ({ page, url }) => {
  const dialogs = watchDialogs(page);
  await page.getByRole("link", { name: "Contacts", exact: true }).click();
  await screen(page, "Contacts");
  await page.getByRole("link", { name: "New contact" }).click();
  await screen(page, "New contact");
  const address = page.url();
  const name = field(page, "Name");
  await name.fill("Nearly lost");
  const steps = [
    () => page.getByRole("link", { name: "Tasks", exact: true }).click(),
    () => press(page, "Cancel"),
    () => page.evaluate("history.back()"),
    () => page.evaluate("history.go(-2)"),
  ];
  for (const [index, step] of steps.entries()) {
    const opened = page.waitForEvent("dialog");
    await step();
    await opened;
    await page.waitForURL(address);
    assert.deepEqual(dialogs.seen, Array(index + 1).fill(question));
    assert.equal(await name.inputValue(), "Nearly lost");
  }
  const opened = page.waitForEvent("dialog");
  await page.evaluate("location.reload()");
  assert.equal((await opened).type(), "beforeunload");
  assert.equal(await name.inputValue(), "Nearly lost");

  // Back leads to the list, as if no other step had been tried.
  dialogs.accept = true;
  await page.goBack();
  await screen(page, "Contacts");
  assert.equal(page.url(), `${url}/console/#/contacts`);
});

consoleTest("leaving a form without changes, or after it was saved, doesn't ask", async ({ page }) => {
  const dialogs = watchDialogs(page);
  await page.getByRole("link", { name: "New account" }).click();
  await screen(page, "New account");
  await field(page, "Name").fill("Undone");
  await field(page, "Name").fill("");
  await page.getByRole("link", { name: "Tasks", exact: true }).click();
  await screen(page, "Tasks");
  await page.getByRole("link", { name: "New task" }).click();
  await screen(page, "New task");
  await field(page, "Title").fill("Saved");
  await press(page, "Create");
  await screen(page, "Saved");
  await edit(page);
  await field(page, "Title").fill("Saved again");
  await press(page, "Save");
  await screen(page, "Saved again");
  await page.getByRole("link", { name: "Users", exact: true }).click();
  await screen(page, "Users");
  await page.getByRole("link", { name: "Mateus Carvalho" }).click();
  await screen(page, "Mateus Carvalho");
  await field(page, "External ID").fill("M-1");
  await press(page, "Save");
  await success(page, "Saved.");
  await page.getByRole("link", { name: "All users" }).click();
  await screen(page, "Users");
  assert.deepEqual(dialogs.seen, []);
});

consoleTest("a form is locked while it saves", async ({ page, url, send }) => {
  const { id } = await send("POST", "/v1/accounts", { name: "Slow", customFields: { segment: "SMB" } });
  await page.goto(`${url}/console/#/accounts/${id}`);
  await screen(page, "Slow");
  await edit(page);
  const saving = Promise.withResolvers<void>();
  await page.route(`**/api/v1/accounts/${id}`, async (route) => {
    if (route.request().method() === "PATCH") await saving.promise;
    await route.continue();
  });
  await field(page, "Phone").fill("+49 30 123");
  await press(page, "Save");
  await page.getByRole("button", { name: "Saving…" }).waitFor();
  for (const label of ["Phone", "Owner", "Description"]) assert.ok(await field(page, label).isDisabled(), label);
  saving.resolve();
  await success(page, "Saved.");
  await settle(page);
  await edit(page);
  assert.ok(await field(page, "Phone").isEnabled());
  assert.equal((await send("GET", `/v1/accounts/${id}`)).phone, "+49 30 123");
});

consoleTest("the notice that a form was saved is in view and has the focus, each time", async ({ page, url, send }) => {
  const { id } = await send("POST", "/v1/accounts", { name: "Long form", customFields: { segment: "SMB" } });
  await page.goto(`${url}/console/#/accounts/${id}`);
  await screen(page, "Long form");
  const notice = page.locator(".notice.success");
  for (const [phone, text] of [
    ["1", "Saved."],
    ["2", "Saved."],
    ["2", "Nothing to save."],
    ["2", "Nothing to save."],
  ] as const) {
    await edit(page);
    await field(page, "Phone").fill(phone);
    await press(page, "Save");
    await notice.getByText(text).waitFor();
    await notice.and(page.locator(":focus")).waitFor();
    const { top, bottom } = await notice.evaluate((element) => element.getBoundingClientRect());
    assert.ok(top >= 0 && bottom <= 800, `${text} is from ${top} to ${bottom}`);
  }
});

consoleTest(
  "entries of a form aren't lost when the form before it is saved, or the record is archived",
  async (crm) => {
    const { page, url, send } = crm;
    const dialogs = watchDialogs(page);
    dialogs.accept = true;
    const sent = Promise.withResolvers<void>();
    const released = Promise.withResolvers<void>();
    await page.route("**/v1/contacts", async (route) => {
      sent.resolve();
      await released.promise;
      await route.continue();
    });
    await page.goto(`${url}/console/#/contacts/new`);
    await screen(page, "New contact");
    await field(page, "Name").fill("Slowly created");
    await press(page, "Create");
    await sent.promise;
    await page.getByRole("link", { name: "Contacts", exact: true }).click();
    await page.getByRole("link", { name: "New contact" }).click();
    await screen(page, "New contact");
    await field(page, "Name").fill("Entered later");
    const created = page.waitForResponse("**/v1/contacts");
    released.resolve();
    assert.equal((await created).status(), 201);
    await settle(page);
    assert.equal(await field(page, "Name").inputValue(), "Entered later");
    await page.unroute("**/v1/contacts");

    dialogs.accept = false;
    const { id } = await send("POST", "/v1/contacts", { name: "Not archived" });
    dialogs.accept = true;
    await page.goto(`${url}/console/#/contacts/${id}`);
    await screen(page, "Not archived");
    dialogs.accept = false;
    dialogs.seen.length = 0;
    await edit(page);
    await field(page, "Phone").fill("1");
    await press(page, "Archive");
    await settle(page);
    assert.deepEqual(dialogs.seen, [question]);
    assert.equal((await send("GET", `/v1/contacts/${id}`)).archivedAt, undefined);
    assert.equal(await field(page, "Phone").inputValue(), "1");
    dialogs.accept = true;
  },
);
