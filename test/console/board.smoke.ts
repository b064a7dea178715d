import assert from "node:assert/strict";
import { checkAccessible, checkWidth, openConsole, settle } from "./browser.ts";
import { screen } from "./forms.ts";

const consoleTest = openConsole();

type Opportunity = { readonly id: string; readonly name: string; readonly stageId: string };
type Pipeline = {
  readonly isDefault: boolean;
  readonly stages: readonly { readonly id: string; readonly name: string }[];
};

consoleTest("opportunities move between the stages of the board", async ({ page, url, send, expectErrors }) => {
  const pipelines = await send<readonly Pipeline[]>("GET", "/v1/pipelines");
  const { stages } = pipelines.find(({ isDefault }) => isDefault) ?? assert.fail("no default pipeline");
  const [first, second] = stages;
  assert.ok(first && second);
  const { id } = await send<Opportunity>("POST", "/v1/opportunities", { name: "Board <b>bar</b>", stageId: first.id });
  const stageOf = async () =>
    stages.find(({ id: each }) => each === current.stageId)?.name ??
    assert.fail(`${current.stageId} isn't a stage of the board`);
  let current = await send<Opportunity>("GET", `/v1/opportunities/${id}`);
  const reload = async () => {
    current = await send<Opportunity>("GET", `/v1/opportunities/${id}`);
    return stageOf();
  };

  await page.goto(`${url}/console/#/opportunities`);
  await page.getByRole("link", { name: "Board", exact: true }).click();
  await screen(page, "Board");
  await settle(page);
  const column = (name: string) => page.getByRole("region", { name, exact: true });
  const card = (name: string) => column(name).getByRole("listitem").filter({ hasText: "Board <b>bar</b>" });
  const titles = await page.locator(".board h2").allInnerTexts();
  assert.deepEqual(
    titles.map((title) => title.replace(/\s*\d+$/, "")),
    stages.map(({ name }) => name),
  );
  await checkAccessible(page);
  await checkWidth(page);

  await card(first.name).getByRole("combobox").selectOption(second.name);
  await card(second.name).waitFor();
  assert.equal(await reload(), second.name);
  // The middle of the card can be its menu. The browser needs two moves over the target before a drop.
  await card(second.name).hover({ position: { x: 6, y: 6 } });
  await page.mouse.down();
  await column(first.name).getByRole("heading").hover();
  await column(first.name).getByRole("listitem").first().hover();
  await page.mouse.up();
  await card(first.name).waitFor();
  assert.equal(await reload(), first.name);

  expectErrors("PATCH /opportunities/{id} 422");
  await card(first.name).getByRole("combobox").selectOption("Proposal");
  await page.getByRole("alert").getByText('Amount is required at stage "Proposal".').waitFor();
  assert.equal(await reload(), first.name);
  await checkAccessible(page);
  const rule = { entity: "opportunity", field: "customFields.installDate", when: { stageIds: [second.id] } };
  const { id: ruleId } = await send<Opportunity>("POST", "/admin/rules", rule);
  await card(first.name).getByRole("combobox").selectOption(second.name);
  await page.getByRole("alert").getByText(`Installation date is required at stage "${second.name}".`).waitFor();
  await send("DELETE", `/admin/rules/${ruleId}`);
  expectErrors("PATCH /opportunities/{id} 412");
  await send("PATCH", `/v1/opportunities/${id}`, { amount: 5 });
  await card(first.name).getByRole("combobox").selectOption(second.name);
  const stale = page.getByRole("alert").getByText("changed this opportunity, so it wasn't moved.");
  await stale.waitFor();
  assert.equal(await page.getByText("Your entries").count(), 0);
  await card(first.name).getByText("5", { exact: true }).waitFor();
  await page.getByRole("link", { name: "Open Board <b>bar</b>" }).click();
  await screen(page, "Board <b>bar</b>");
});

consoleTest("an opportunity moves between the stages by keyboard alone", async ({ page, url, send }) => {
  const pipelines = await send<readonly Pipeline[]>("GET", "/v1/pipelines");
  const { stages } = pipelines.find(({ isDefault }) => isDefault) ?? assert.fail("no default pipeline");
  const [first, second, third] = stages;
  assert.ok(first && second && third);
  const fields = { name: "Keyboard bar", stageId: first.id, amount: 900, currency: "EUR" };
  const { id } = await send<Opportunity>("POST", "/v1/opportunities", fields);
  const stageId = async () => (await send<Opportunity>("GET", `/v1/opportunities/${id}`)).stageId;
  await page.goto(`${url}/console/#/board`);
  await screen(page, "Board");
  await settle(page);
  const menu = (column: string) =>
    page.getByRole("region", { name: column, exact: true }).getByRole("combobox", { name: "Stage of Keyboard bar" });
  const isFocused = async (column: string) => (await menu(column).and(page.locator(":focus")).count()) === 1;
  for (let presses = 0; presses < 100 && !(await isFocused(first.name)); presses++) await page.keyboard.press("Tab");
  assert.ok(await isFocused(first.name));

  // The keys go through the stages. Only Enter moves the card, which keeps the focus.
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowDown");
  assert.equal(await menu(first.name).inputValue(), third.id);
  await page.keyboard.press("Escape");
  assert.equal(await menu(first.name).inputValue(), first.id);
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowDown");
  assert.equal(await stageId(), first.id);
  await page.keyboard.press("Enter");
  await page.getByRole("status").getByText(`Keyboard bar is now at ${third.name}.`).waitFor({ state: "attached" });
  await menu(third.name).waitFor();
  assert.deepEqual([await stageId(), await isFocused(third.name)], [third.id, true]);

  // The card moves too when the focus leaves the menu, and doesn't take it back.
  await page.keyboard.press("ArrowUp");
  await page.keyboard.press("Tab");
  await menu(second.name).waitFor();
  assert.deepEqual([await stageId(), await isFocused(second.name)], [second.id, false]);
  await checkAccessible(page);
});
