import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { checkAccessible, checkWidth, openConsole } from "./browser.ts";
import { assertFieldError, field, group, press, screen, success } from "./forms.ts";

const consoleTest = openConsole();
const kestrel = "Kestrel & Finch Coffee House";

type CrmRecord = Readonly<Record<string, unknown>> & { readonly id: string };

/** Returns the section with the stages and statuses. */
function moves(page: Page) {
  return page.getByRole("region", { name: "Stage and status" });
}

consoleTest("a move to a stage with a missing amount asks for it, then moves", async ({ page, url, send, ...crm }) => {
  const { id } = await send("POST", "/v1/opportunities", { name: "Bar extension" });
  const read = () => send<CrmRecord>("GET", `/v1/opportunities/${id}`);
  const before = await read();
  await page.goto(`${url}/console/#/opportunities/${id}`);
  await screen(page, "Bar extension");
  await press(page, "Move to Tasting");
  await success(page, "Saved.");
  const moved = await read();
  assert.notEqual(moved.stageId, before.stageId);

  await moves(page)
    .getByRole("listitem")
    .filter({ has: page.getByRole("button", { name: "Move to Proposal" }) })
    .getByText("Needs: Amount")
    .waitFor();
  await press(page, "Move to Proposal");
  await page.getByRole("heading", { name: "Before the move to Proposal" }).waitFor();
  const form = moves(page).locator("form");
  await checkAccessible(page);
  await checkWidth(page);
  crm.expectErrors("PATCH /opportunities/{id} 400");
  await field(form, "Amount").fill("much");
  await press(form, "Move to Proposal");
  await assertFieldError(field(form, "Amount"), /number/);
  assert.equal((await read()).stageId, moved.stageId);
  await field(form, "Amount").fill("1500");
  assert.equal(await field(form, "Currency").inputValue(), "", "as in a new opportunity");
  await field(form, "Currency").fill("EUR");
  // A field that the form doesn't have is named by its label too.
  const stages = await send<readonly CrmRecord[]>("GET", "/admin/stages");
  const when = { stageIds: stages.filter(({ name }) => name === "Proposal").map((stage) => stage.id) };
  const rule = await send("POST", "/admin/rules", { entity: "opportunity", field: "customFields.installDate", when });
  crm.expectErrors("PATCH /opportunities/{id} 422");
  await press(form, "Move to Proposal");
  await form.getByRole("alert").getByText('Installation date is required at stage "Proposal".').waitFor();
  await send("DELETE", `/admin/rules/${rule.id}`);
  await press(form, "Move to Proposal");
  await page.getByRole("button", { name: "Move to Proposal" }).first().waitFor({ state: "detached" });
  await moves(page).getByRole("button", { name: "Move to Negotiation" }).waitFor();
  const { amount, currency, stageId, status } = await read();
  assert.deepEqual([amount, currency, status], [1500, "EUR", "open"]);
  assert.notEqual(stageId, moved.stageId);
});

consoleTest("an opportunity is won with its installation date", async ({ page, url, send }) => {
  const { id } = await send("POST", "/v1/opportunities", { name: "Second bar", amount: 900 });
  await page.goto(`${url}/console/#/opportunities/${id}`);
  await press(page, "Move to Won");
  const form = moves(page).locator("form");
  await field(form, "Installation date").fill("2026-12-24");
  await press(form, "Cancel");
  await page.getByRole("button", { name: "Move to Won" }).and(page.locator(":focus")).waitFor();
  await form.waitFor({ state: "detached" });
  assert.equal((await send<CrmRecord>("GET", `/v1/opportunities/${id}`)).status, "open");
  await press(page, "Move to Won");
  await field(form, "Installation date").fill("2026-12-24");
  await press(form, "Move to Won");
  // The message of the first move may still be there.
  await form.waitFor({ state: "detached" });
  await success(page, "Saved.");
  const { status, customFields } = await send<CrmRecord>("GET", `/v1/opportunities/${id}`);
  assert.deepEqual([status, customFields], ["won", { installDate: "2026-12-24" }]);
});

consoleTest("an opportunity is lost with one of the reasons of its pipeline", async ({ page, url, send }) => {
  const { id } = await send("POST", "/v1/opportunities", { name: "Third bar" });
  await page.goto(`${url}/console/#/opportunities/${id}`);
  await press(page, "Move to Lost");
  const form = moves(page).locator("form");
  const reason = field(form, "Lost reason");
  await reason.waitFor();
  await checkAccessible(page);
  await reason.selectOption("Chose a competitor");
  await press(form, "Move to Lost");
  await success(page, "Saved.");
  const { status, lostReason } = await send<CrmRecord>("GET", `/v1/opportunities/${id}`);
  assert.deepEqual([status, lostReason], ["lost", "Chose a competitor"]);
  const hint = moves(page).getByText("A closed opportunity stays at its stage. Reopen it first.");
  await hint.waitFor();
  assert.equal(await hint.count(), 1);
  await press(page, "Reopen");
  await hint.waitFor({ state: "detached" });
  assert.equal((await send<CrmRecord>("GET", `/v1/opportunities/${id}`)).status, "open");
});

consoleTest("a pipeline with reasons that aren't required offers them", async ({ page, url, send }) => {
  const pipelines = await send<readonly CrmRecord[]>("GET", "/v1/pipelines");
  const { id: pipelineId } = pipelines.find(({ isDefault }) => isDefault) ?? assert.fail("no default pipeline");
  await send("PATCH", `/admin/pipelines/${pipelineId}`, { requireLostReason: false });
  await page.reload();
  for (const reason of ["", "No answer"]) {
    const { id } = await send("POST", "/v1/opportunities", { name: "Fourth bar" });
    await page.goto(`${url}/console/#/opportunities/${id}`);
    await screen(page, "Fourth bar");
    await press(moves(page), "Move to Lost");
    const form = moves(page).locator("form");
    await form.getByLabel("Lost reason", { exact: true }).selectOption(reason);
    await press(form, "Move to Lost");
    await success(page, "Saved.");
    const { status, lostReason } = await send<CrmRecord>("GET", `/v1/opportunities/${id}`);
    assert.deepEqual([status, lostReason], ["lost", reason || null]);
  }
  await send("PATCH", `/admin/pipelines/${pipelineId}`, { requireLostReason: true });
});

consoleTest("a move after a change by another program reads the record again", async (crm) => {
  const { page, url, send, expectErrors } = crm;
  const reload = "Read the record again and keep my entries";
  const { id } = await send("POST", "/v1/opportunities", { name: "Fifth bar" });
  const read = () => send<CrmRecord>("GET", `/v1/opportunities/${id}`);
  await page.goto(`${url}/console/#/opportunities/${id}`);
  await moves(page).getByRole("button", { name: "Move to Tasting" }).waitFor();
  const { stageId } = await read();
  await send("PATCH", `/v1/opportunities/${id}`, { amount: 70 });
  expectErrors("PATCH /opportunities/{id} 412");
  await press(page, "Move to Tasting");
  await press(moves(page), reload);
  await page.getByText("Another user or a program has changed 1 field. It is marked below.").waitFor();
  assert.equal(await page.locator(".change").innerText(), "Changed since you opened it. It was empty.");
  await checkAccessible(page);
  assert.equal((await read()).stageId, stageId);
  await press(page, "Move to Tasting");
  await success(page, "Saved.");
  assert.notEqual((await read()).stageId, stageId);
  assert.equal(await page.locator(".change").count(), 0);

  // A move that asks keeps what the user has entered.
  await press(page, "Move to Won");
  const form = moves(page).locator("form");
  await field(form, "Installation date").fill("2026-12-24");
  await send("PATCH", `/v1/opportunities/${id}`, { customFields: { installDate: "2026-12-31" } });
  await press(form, "Move to Won");
  await press(moves(page), reload);
  await form.getByText("Changed to “Dec 31, 2026” since you opened it.").waitFor();
  assert.equal(await field(form, "Installation date").inputValue(), "2026-12-24");
  await press(form, "Move to Won");
  // The notice of the first move is still there.
  await form.waitFor({ state: "detached" });
  await success(page, "Saved.");
  const { status, customFields } = await read();
  assert.deepEqual([status, customFields], ["won", { installDate: "2026-12-24" }]);
});

consoleTest("an opportunity gets an account and contacts, found by their names", async ({ page, url, send }) => {
  await page.goto(`${url}/console/#/opportunities/new`);
  await field(page, "Name").fill("Grinder for Kestrel");
  await field(page, "Account").pressSequentially("kestrel fin");
  await page.getByRole("option", { name: kestrel }).waitFor();
  await checkAccessible(page);
  await page.keyboard.press("Enter");
  assert.equal(await field(page, "Account").inputValue(), kestrel);
  const contacts = group(page, "Contacts");
  const search = contacts.getByRole("combobox");
  for (const name of ["Åsa Lindqvist", "Jean-Baptiste Roussel"]) {
    await search.fill(name);
    await contacts.getByRole("option").first().waitFor();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowUp");
    await page.keyboard.press("Enter");
    await contacts.locator(".chips").getByText(name).waitFor();
  }
  await contacts.getByRole("button", { name: /^Remove .*Lindqvist/ }).click();
  await press(page, "Create");
  await screen(page, "Grinder for Kestrel");
  const id = page.url().match(/[\da-f-]{36}/)?.[0];
  const { accountId, contactIds } = await send<CrmRecord>("GET", `/v1/opportunities/${id}`);
  const account = await send<CrmRecord>("GET", `/v1/accounts/${accountId}`);
  const people = await send<readonly CrmRecord[]>("GET", `/v1/contacts?ids=${contactIds}`);
  assert.deepEqual([account.name, people.map(({ name }) => name)], [kestrel, ["Jean-Baptiste Roussel"]]);
});

consoleTest(
  "a reference is chosen among the results of the words in the field, and other text is rejected",
  async (crm) => {
    const { page, url, send, expectErrors } = crm;
    expectErrors("GET /search 400", "POST /contacts 400");
    await page.goto(`${url}/console/#/contacts/new`);
    await field(page, "Name").fill("Guest of Kestrel");
    const account = field(page, "Account");
    await account.fill("kestrel fin");
    await page.getByRole("option", { name: kestrel }).waitFor();
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    await page.route("**/api/v1/search?*", async (route) => {
      await released;
      await route.fallback();
    });
    const searched = page.waitForRequest("**/api/v1/search?*");
    await account.fill("nothing like it");
    await searched;
    assert.equal(await page.getByRole("option", { name: kestrel }).count(), 0);
    await page.keyboard.press("Enter");
    assert.equal(await account.inputValue(), "nothing like it");
    release();
    await page.getByText("0 matches").waitFor();
    await checkAccessible(page);
    await account.fill("%");
    await page.getByText("0 matches").waitFor({ state: "detached" });
    await page.getByText("0 matches").waitFor();
    await account.press("Tab");
    assert.equal(await account.inputValue(), "%");
    await press(page, "Create");
    await page.getByText("“%” isn't in the list. Choose a record from the list, or clear the field.").waitFor();
    await account.fill(kestrel.toUpperCase());
    await page.getByRole("option", { name: kestrel }).waitFor();
    await account.press("Tab");
    assert.equal(await account.inputValue(), kestrel);
    await press(page, "Create");
    await screen(page, "Guest of Kestrel");
    const [contact] = await send<readonly CrmRecord[]>("GET", "/v1/contacts?q=guest%20of%20kestrel");
    assert.equal((await send<CrmRecord>("GET", `/v1/accounts/${contact?.accountId}`)).name, kestrel);
  },
);

consoleTest("a task of an account is created and completed", async ({ page, send }) => {
  await page.getByRole("link", { name: kestrel, exact: true }).click();
  await screen(page, kestrel);
  await page.getByRole("link", { name: "New task" }).click();
  await screen(page, "New task");
  await field(page, "Title").fill("Check the water filter");
  const relatedTo = group(page, "Related to").getByRole("combobox", { name: "Account", exact: true });
  assert.equal(await relatedTo.inputValue(), kestrel);
  await field(page, "Priority").selectOption("high");
  await press(page, "Create");
  await screen(page, "Check the water filter");
  const id = page.url().match(/[\da-f-]{36}/)?.[0];
  const created = await send<CrmRecord>("GET", `/v1/tasks/${id}`);
  assert.deepEqual([created.status, created.priority], ["pending", "high"]);
  await press(page, "Move to Completed");
  await success(page, "Saved.");
  assert.equal((await send<CrmRecord>("GET", `/v1/tasks/${id}`)).status, "completed");
});

consoleTest("a record whose responses were lost is created once if the user sends it again", async (crm) => {
  const { page, url, send, expectErrors } = crm;
  expectErrors("POST /tasks 503");
  await page.goto(`${url}/console/#/tasks/new`);
  await screen(page, "New task");
  await field(page, "Title").fill("Order filters");
  const lost = { status: 503, headers: { "retry-after": "0.01" }, json: { error: { code: "internal_error" } } };
  await page.route("**/api/v1/tasks", async (route) => {
    await route.fetch();
    await route.fulfill(lost);
  });
  await press(page, "Create");
  await page.getByText("The server is busy or being updated. Try again.").waitFor();
  await page.unroute("**/api/v1/tasks");
  await press(page, "Create");
  await screen(page, "Order filters");
  const tasks = await send<readonly CrmRecord[]>("GET", "/v1/tasks?limit=200&updatedSince=2026-01-01T00:00:00Z");
  assert.equal(tasks.filter(({ title }) => title === "Order filters").length, 1);
});
