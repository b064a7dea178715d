import assert from "node:assert/strict";
import { checkAccessible, checkWidth, openConsole, settle } from "./browser.ts";
import { field, group, press, screen, success } from "./forms.ts";

const consoleTest = openConsole();
const names = ["Overview", "API keys", "Permissions", "Webhooks", "Requests"];

consoleTest("the page of an integration has tabs, which are in the URL", async ({ page, url, send }) => {
  const { id } = await send("POST", "/admin/integrations", { name: "Tabbed", scopes: ["accounts:read"] });
  const address = `${url}/console/#/integrations/${id}`;
  await page.goto(address);
  await screen(page, "Tabbed");
  const tab = (name: string) => page.getByRole("tab", { name, exact: true });
  assert.deepEqual(await page.getByRole("tab").allInnerTexts(), names);
  for (const [index, name] of names.entries()) {
    await tab(name).click();
    await tab(name).and(page.locator("[aria-selected=true]")).waitFor();
    await page.getByRole("tabpanel", { name }).waitFor();
    assert.equal(await page.getByRole("tabpanel").count(), 1);
    const part = ["overview", "keys", "permissions", "webhooks", "requests"][index];
    assert.equal(page.url(), `${address}?tab=${part}`);
    await settle(page);
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme });
      await checkAccessible(page);
    }
    await checkWidth(page);
  }
  await page.reload();
  await page.getByRole("tabpanel", { name: "Requests" }).waitFor();
  await page.goBack();
  await page.getByRole("tabpanel", { name: "Webhooks" }).waitFor();

  const { keyboard } = page;
  await tab("Webhooks").focus();
  await keyboard.press("ArrowRight");
  await keyboard.press("ArrowRight");
  await tab("Overview").and(page.locator(":focus")).waitFor();
  await keyboard.press("ArrowLeft");
  await keyboard.press("Home");
  await keyboard.press("End");
  await keyboard.press("ArrowLeft");
  await keyboard.press("ArrowLeft");
  await keyboard.press("Space");
  await page.getByRole("tabpanel", { name: "Permissions" }).waitFor();

  await page.setViewportSize({ width: 320, height: 800 });
  await page.goto("about:blank");
  await page.goto(`${address}?tab=requests`);
  await tab("Requests").waitFor();
  const box = await tab("Requests").boundingBox();
  assert.ok(box && box.x + box.width <= 320, "the row of tabs shows the current tab");
});

consoleTest("an entry in one tab stays while another tab is used and saved", async ({ page, url, send }) => {
  const { id } = await send("POST", "/admin/integrations", { name: "Stays", scopes: [] });
  await page.goto(`${url}/console/#/integrations/${id}`);
  await screen(page, "Stays");
  await field(page, "Name").fill("Stays on");
  await page.getByRole("tab", { name: "Permissions" }).click();
  await group(page, "Scopes").getByLabel("tasks:read").check();
  await press(page, "Save");
  await success(page, "Saved.");
  await page.getByRole("tab", { name: "Overview" }).click();
  assert.equal(await field(page, "Name").inputValue(), "Stays on");
  await press(page, "Save");
  await screen(page, "Stays on");
  const { name, scopes } = await send("GET", `/admin/integrations/${id}`);
  assert.deepEqual([name, scopes], ["Stays on", ["tasks:read"]]);
});
