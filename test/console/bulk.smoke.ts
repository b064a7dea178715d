import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { checkAccessible, checkWidth, openConsole, settle } from "./browser.ts";
import { press, screen } from "./forms.ts";

const consoleTest = openConsole();

type CrmRecord = Readonly<Record<string, unknown>> & { readonly id: string };

function selection(page: Page) {
  return page.getByRole("region", { name: "Selected records" });
}

consoleTest("selected records get another owner after a dry run", async ({ page, url, send }) => {
  const customFields = { segment: "SMB" };
  const created: CrmRecord[] = [];
  for (const name of ["Bulk one", "Bulk two", "Bulk three"])
    created.push(await send<CrmRecord>("POST", "/v1/accounts", { name, customFields }));
  await page.goto(`${url}/console/#/accounts?q=bulk`);
  await settle(page);
  await page.getByLabel("Select Bulk one").check();
  await page.getByLabel("Select Bulk three").check();
  await selection(page).getByText("2 selected").waitFor();
  await selection(page).getByLabel("Owner", { exact: true }).selectOption("Mateus Carvalho");
  await press(page, "Check");
  await page.getByText("Would change: 2. Unchanged: 0. Rejected: 0.").waitFor();
  await checkAccessible(page);
  await checkWidth(page);
  const owners = async () => {
    const records = await Promise.all(created.map(({ id }) => send<CrmRecord>("GET", `/v1/accounts/${id}`)));
    return records.map(({ ownerId }, index) => ownerId !== created[index]?.ownerId);
  };
  assert.deepEqual(await owners(), [false, false, false]);
  await page.getByLabel("Select Bulk two").check();
  await selection(page).getByText("3 selected").waitFor();
  assert.equal(await page.getByRole("button", { name: "Change 2 records" }).count(), 0, "another selection");
  await page.getByLabel("Select Bulk two").uncheck();
  await press(page, "Change 2 records");
  await page.getByText("Changed: 2. Unchanged: 0. Rejected: 0.", { exact: true }).waitFor();
  assert.deepEqual(await owners(), [true, false, true]);
  await page.getByRole("row").filter({ hasText: "Bulk one" }).getByText("Mateus Carvalho").waitFor();
});

consoleTest("a rejected record says why, and the others are changed", async ({ page, url, send }) => {
  const first = await send<CrmRecord>("POST", "/v1/opportunities", { name: "Mass move A", amount: 10 });
  await send("POST", "/v1/opportunities", { name: "Mass move B" });
  await page.goto(`${url}/console/#/opportunities?q=mass`);
  await settle(page);
  await page.getByLabel("Select all shown").check();
  await selection(page).getByLabel("Action").selectOption("Change Stage");
  await selection(page).getByLabel("Stage", { exact: true }).selectOption("Equipment sales: Proposal");
  await press(page, "Check");
  await page.getByText("Would change: 1. Unchanged: 0. Rejected: 1.").waitFor();
  await selection(page).getByRole("listitem").getByText("Mass move B: Amount is required at this stage.").waitFor();
  await press(page, "Change 1 record");
  await page.getByText("Changed: 1. Unchanged: 0. Rejected: 1.", { exact: true }).waitFor();
  const stages = await send<readonly CrmRecord[]>("GET", "/admin/stages");
  const tasting = stages.find(({ name }) => name === "Tasting")?.id;
  const rule = { entity: "opportunity", field: "customFields.installDate", when: { stageIds: [tasting] } };
  const { id: ruleId } = await send<CrmRecord>("POST", "/admin/rules", rule);
  await selection(page).getByLabel("Stage", { exact: true }).selectOption("Equipment sales: Tasting");
  await press(page, "Check");
  const needsDate = "Mass move B: Installation date is required at this stage.";
  await selection(page).getByRole("listitem").getByText(needsDate, { exact: true }).waitFor();
  await send("DELETE", `/admin/rules/${ruleId}`);
  const { stageId } = await send<CrmRecord>("GET", `/v1/opportunities/${first.id}`);
  assert.notEqual(stageId, first.stageId);
});

consoleTest("selected records get another value of any field", async ({ page, url, send }) => {
  const { id } = await send<CrmRecord>("POST", "/v1/opportunities", { name: "Any field" });
  const due = await send<CrmRecord>("POST", "/v1/tasks", { title: "Any task", dueDate: "2026-01-02T03:04:05.000Z" });
  const change = async (list: string, name: string, action: string) => {
    await page.goto(`${url}/console/#/${list}`);
    await page.getByLabel(`Select ${name}`).check();
    await selection(page).getByLabel("Action").selectOption(action);
  };
  const save = async () => {
    await press(page, "Check");
    await press(page, "Change 1 record");
    await page.getByText("Changed: 1. Unchanged: 0. Rejected: 0.", { exact: true }).waitFor();
  };
  await change("opportunities", "Any field", "Change Competitors");
  await selection(page).getByLabel("Kaffwerk GmbH").check();
  await save();
  const { customFields } = await send<CrmRecord>("GET", `/v1/opportunities/${id}`);
  assert.deepEqual(customFields, { competitors: ["Kaffwerk"] });
  await checkAccessible(page);
  await checkWidth(page);

  const dueDate = async () => (await send<CrmRecord>("GET", `/v1/tasks/${due.id}`)).dueDate;
  await change("opportunities", "Any field", "Change Amount");
  const amount = selection(page).getByLabel("Amount", { exact: true });
  await amount.fill("1.200");
  await press(page, "Check");
  await selection(page).getByText("“1.200” has two meanings.").waitFor();
  await amount.and(page.locator(":focus")).waitFor();
  const tops = await selection(page)
    .locator("form > select, form > .field > input")
    .evaluateAll((all) => all.map((each) => Math.round(each.getBoundingClientRect().top)));
  assert.equal(new Set(tops).size, 1, tops.join());
  assert.equal(await selection(page).getByRole("status").filter({ hasText: "Rejected" }).count(), 0);
  await amount.fill("1200");
  await save();

  await change("tasks", "Any task", "Change Due");
  const input = selection(page).getByLabel("Due", { exact: true });
  await input.fill("2026-11-05T09:30:00");
  await save();
  assert.equal(await dueDate(), new Date("2026-11-05T09:30:00").toISOString());
  await input.fill("");
  await save();
  assert.equal(await dueDate(), null);
});

consoleTest("selected records are archived", async ({ page, url, send }) => {
  const { id } = await send<CrmRecord>("POST", "/v1/tasks", { title: "Bulk task" });
  await send("POST", "/v1/tasks", { title: "Other task" });
  await page.goto(`${url}/console/#/tasks`);
  await page.reload();
  await settle(page);
  await page.getByLabel("Select Bulk task").check();
  await selection(page).getByLabel("Action").selectOption("Archive");
  await press(page, "Check");
  await press(page, "Archive 1 record");
  await page.getByLabel("Select Bulk task").waitFor({ state: "detached" });
  const changed = page.getByText("Changed: 1. Unchanged: 0. Rejected: 0.", { exact: true });
  await selection(page).getByRole("status").filter({ has: changed }).and(page.locator(":focus")).waitFor();
  await checkAccessible(page);
  await page.getByLabel("Select Other task").check();
  await selection(page).getByText("1 selected").waitFor();
  assert.equal(await changed.count(), 0, "another selection");
  const { archivedAt } = await send<CrmRecord>("GET", `/v1/tasks/${id}?includeArchived=true`);
  assert.equal(typeof archivedAt, "string");
});

consoleTest("a selection renders only the rows that change", async ({ page, url }) => {
  // The times of a list render again each minute. Each row formats one time.
  await page.addInitScript("setInterval = () => 0");
  await page.goto(`${url}/console/#/contacts`);
  await page.reload();
  await settle(page);
  await page.evaluate(`
    globalThis.formatted = [];
    const format = Date.prototype.toLocaleTimeString;
    Date.prototype.toLocaleTimeString = function (...options) {
      formatted.push(this.toISOString());
      return format.apply(this, options);
    };
  `);
  const rows = page.getByRole("table", { name: "Contacts" }).locator("tbody tr");
  assert.equal(await rows.count(), 50);
  // The names of the accounts arrive after the rows, which then render again.
  await rows.getByText("…", { exact: true }).first().waitFor({ state: "detached" });
  const shown = await rows.locator("time").evaluateAll((times) => times.map((each) => each.getAttribute("datetime")));
  const change = async (index: number, title: string) => {
    await page.evaluate("formatted.length = 0");
    await rows.nth(index).getByRole("checkbox").click();
    await selection(page).getByText(title).waitFor();
    return page.evaluate<readonly string[]>("formatted");
  };
  assert.deepEqual(await change(7, "1 selected"), [shown[7]]);
  assert.deepEqual(await change(20, "2 selected"), [shown[20]]);
  assert.deepEqual(await change(7, "1 selected"), [shown[7]]);
});

consoleTest("1,000 rows can be scrolled, selected and reached with the keyboard", async ({ page, url, send }) => {
  const [contact] = await send<readonly CrmRecord[]>("GET", "/v1/contacts?limit=1");
  const data = Array.from({ length: 1_000 }, (_, index) => {
    if (index === 500) return contact;
    return { ...contact, id: `0199c0a1-0000-7000-8000-${String(index).padStart(12, "0")}`, name: `Row ${index}` };
  });
  await page.route("**/api/v1/contacts?*", (route) => route.fulfill({ json: { data, nextCursor: null } }));
  await page.goto(`${url}/console/#/contacts`);
  await screen(page, "Contacts");
  const table = page.getByRole("table", { name: "Contacts" });
  await page.getByText("1,000 records.").waitFor();
  assert.equal(await table.getAttribute("aria-rowcount"), "1001");
  const row = (index: number) => page.locator(`main tr[aria-rowindex="${index + 2}"]`);
  const isDrawn = (index: number, state: "attached" | "detached") => row(index).waitFor({ state });
  await isDrawn(999, "detached");
  assert.ok((await table.locator("tr").count()) < 500);
  await checkAccessible(page);

  await row(0).getByRole("checkbox").check();
  await page.getByRole("heading", { name: "Contacts" }).focus();
  const height = Number(await page.evaluate("document.documentElement.scrollHeight"));
  const widths = () =>
    table
      .locator("thead :is(th, td)")
      .evaluateAll((cells) => cells.map((cell) => (cell as unknown as { offsetWidth: number }).offsetWidth));
  const before = await widths();
  const seen = await page.evaluate<readonly number[]>(`(async () => {
    const seen = new Set();
    const isOnScreen = ({ top, bottom }) => bottom > 0 && top < innerHeight;
    const isMissing = () =>
      [...document.querySelectorAll(".far")].some((row) => isOnScreen(row.getBoundingClientRect()));
    for (let y = 0; y < ${height}; y += 700) {
      scrollTo(0, y);
      do await new Promise(requestAnimationFrame); while (isMissing());
      for (const row of document.querySelectorAll("main tbody tr[aria-rowindex]")) seen.add(row.ariaRowIndex);
    }
    return [...seen].map(Number);
  })()`);
  assert.deepEqual(
    seen.toSorted((a, b) => a - b),
    data.map((_, index) => index + 2),
  );
  assert.deepEqual(await widths(), before);
  await page.waitForFunction(`Math.abs(document.documentElement.scrollHeight - ${height}) < 50`);
  await isDrawn(0, "detached");

  await page.evaluate(`scrollTo(0, ${height - 4_500})`);
  await row(898).getByRole("link").first().focus();
  for (const index of [899, 900, 901]) {
    while ((await row(index).locator(":focus").count()) === 0) {
      assert.equal(
        await row(index + 1)
          .locator(":focus")
          .count(),
        0,
      );
      await page.keyboard.press("Tab");
    }
  }
  await page.evaluate("scrollTo(0, 0)");
  await isDrawn(0, "attached");
  assert.ok(await row(0).getByRole("checkbox").isChecked());
  assert.equal(await row(901).locator(":focus").count(), 1, "the row with the focus stays");

  await page.evaluate(`scrollTo(0, ${height / 2})`);
  const link = row(500)
    .getByRole("link", { name: String(contact?.name) })
    .first();
  await link.focus();
  const place = await page.evaluate("scrollY");
  await page.keyboard.press("Enter");
  await screen(page, String(contact?.name));
  await page.goBack();
  await screen(page, "Contacts");
  await link.and(page.locator(":focus")).waitFor();
  await isDrawn(0, "detached");
  assert.equal(await page.evaluate("scrollY"), place);
});
