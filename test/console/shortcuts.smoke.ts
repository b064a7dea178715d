import assert from "node:assert/strict";
import type { Locator } from "playwright-core";
import { checkAccessible, checkWidth, openConsole, settle } from "./browser.ts";
import { field, press, screen } from "./forms.ts";

const consoleTest = openConsole();

consoleTest("the command palette opens screens, actions and records", async ({ page, url }) => {
  const { keyboard } = page;
  const palette = page.getByRole("dialog", { name: "Search or jump to" });
  const option = (name: string) => palette.getByRole("option", { name });

  await keyboard.press("Control+K");
  await palette.waitFor();
  await checkAccessible(page);
  await checkWidth(page);
  // It counts matches only if there are words.
  const count = palette.getByRole("status");
  assert.equal(await count.innerText(), "");
  const links = await page.locator("#menu nav a").allInnerTexts();
  const offered = await palette.getByRole("option").locator("bdi").allInnerTexts();
  assert.deepEqual(offered, [...links, "Board"], "all screens");
  for (const _ of links) await keyboard.press("ArrowDown");
  const last = option("Board").and(page.locator("[aria-selected=true]"));
  await last.waitFor();
  const bottom = async (part: Locator) => {
    const box = await part.boundingBox();
    return box === null ? Number.NaN : Math.round(box.y + box.height);
  };
  const list = palette.getByRole("listbox");
  assert.ok((await bottom(last)) <= (await bottom(list)), "the list scrolls to the selected entry");
  await keyboard.type("pipe");
  await count.filter({ hasText: /match/ }).waitFor();
  await option("Pipelines").and(page.locator("[aria-selected=true]")).waitFor();
  await keyboard.press("Enter");
  await screen(page, "Pipelines");
  assert.equal(await palette.count(), 0);

  await keyboard.press("Control+K");
  await keyboard.type("new con");
  await option("New contact").waitFor();
  await keyboard.press("Enter");
  await screen(page, "New contact");

  for (const [words, entry, title] of [
    ["boa", "Board", "Board"],
    ["new integ", "New integration", "New integration"],
    ["new fie", "New field", "New field"],
    ["new rule", "New rule", "New rule"],
    ["new pipe", "New pipeline", "New pipeline"],
    ["new us", "New user", "New user"],
    ["new web", "New webhook", "New webhook"],
  ] as const) {
    await keyboard.press("Control+K");
    await keyboard.type(words);
    await option(entry).waitFor();
    await keyboard.press("Enter");
    await screen(page, title);
  }
  for (const [words, entry, tab] of [
    ["new key erp", "New API key for ERP sync", "API keys"],
    ["erp", "ERP sync Integration", "Overview"],
  ] as const) {
    await keyboard.press("Control+K");
    await keyboard.type(words);
    await option(entry).waitFor();
    await keyboard.press("Enter");
    await screen(page, "ERP sync");
    await page.getByRole("tab", { name: tab, selected: true }).waitFor();
  }
  await page.goto(`${url}/console/#/users/new`);
  await page.goBack();
  await keyboard.press("Control+K");
  await keyboard.type("new");
  await option("New note").waitFor();
  await option("New webhook").waitFor();
  await keyboard.press("Escape");
  await palette.waitFor({ state: "detached" });
  await page.goto(`${url}/console/#/contacts/new`);

  await field(page, "Name").focus();
  await keyboard.press("Control+K");
  await keyboard.type("lindqv");
  await option("Café Lindqvist AB").waitFor();
  await page.route("**/api/v1/search?*", () => {});
  await palette.getByRole("combobox").fill("other words");
  await option("Café Lindqvist AB").waitFor({ state: "detached" });
  await page.unroute("**/api/v1/search?*");
  await palette.getByRole("combobox").fill("lindqv");
  await option("Åsa Lindqvist").click();
  await screen(page, "Åsa Lindqvist");

  await keyboard.press("Control+K");
  await palette.waitFor();
  await keyboard.press("Escape");
  await palette.waitFor({ state: "detached" });
});

consoleTest("shortcuts open a new record and find in the list, and can be turned off", async ({ page, url }) => {
  const { keyboard } = page;
  await keyboard.press("/");
  await field(page, "Find accounts").and(page.locator(":focus")).waitFor();
  await keyboard.type("n?");
  assert.equal(await field(page, "Find accounts").inputValue(), "n?", "letters in an input are text");

  await page.getByRole("heading", { level: 1 }).focus();
  await keyboard.press("?");
  const help = page.getByRole("dialog", { name: "Keyboard shortcuts" });
  await help.getByText("New record").waitFor();
  await checkAccessible(page);
  await checkWidth(page);
  await press(help, "Close");
  await keyboard.press("n");
  await screen(page, "New account");
  await page.goto(`${url}/console/#/board`);
  await screen(page, "Board");
  await settle(page);
  await keyboard.press("n");
  await screen(page, "New opportunity");
  await settle(page);
  assert.equal(await field(page, "Pipeline").locator("option:checked").innerText(), "Equipment sales");

  await page.goto(`${url}/console/#/tasks`);
  await screen(page, "Tasks");
  await settle(page);
  await keyboard.press("?");
  await help.getByLabel("Turn off the shortcuts without Ctrl").check();
  await press(help, "Close");
  await keyboard.press("n");
  await keyboard.press("?");
  assert.equal(await help.count(), 0);
  assert.equal(page.url(), `${url}/console/#/tasks`);
  await keyboard.press("Control+K");
  await page.getByRole("dialog", { name: "Search or jump to" }).waitFor();
});

consoleTest("on a phone, the menu opens over the page, and lists sort and select all", async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 800 });
  const menu = page.locator("#menu");
  const button = page.getByRole("button", { name: "Menu" });
  const heading = page.getByRole("heading", { level: 1 });
  const top = async () => (await heading.boundingBox())?.y;
  const before = await top();
  await button.click();
  await menu.getByRole("link", { name: "Overview" }).and(page.locator(":focus")).waitFor();
  assert.equal(await top(), before, "the page stays where it is");
  await checkAccessible(page);
  await page.keyboard.press("Escape");
  await menu.waitFor({ state: "hidden" });
  await button.and(page.locator(":focus")).waitFor();
  await button.click();
  await page.mouse.click(380, 700);
  await menu.waitFor({ state: "hidden" });
  await button.click();
  await menu.getByRole("link", { name: "Contacts" }).click();
  await screen(page, "Contacts");
  await menu.waitFor({ state: "hidden" });
  await heading.and(page.locator(":focus")).waitFor();
  await settle(page);

  await page.getByRole("link", { name: "Name", exact: true }).click();
  await page.locator("thead [aria-sort=ascending]").waitFor();
  await settle(page);
  await page.getByLabel("Select all shown").check();
  const rows = await page.locator("tbody tr").count();
  assert.ok(rows > 1);
  await page.getByText(`${rows} selected`).waitFor();
  await checkAccessible(page);
  await checkWidth(page);
});
