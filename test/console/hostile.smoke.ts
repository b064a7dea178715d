import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { checkWidth, openConsole, settle } from "./browser.ts";

const consoleTest = openConsole();

const html = '<img src=x onerror="document.title=`owned`"><b>bold</b>';
const rightToLeft = "\u202eשלום \u2067العربية\u2069 <script>owned()</script>";
const long = "W".repeat(10_000);
const names = [html, rightToLeft, long.slice(0, 255)];
type CrmRecord = { readonly id: string };

async function assertOnlyText(page: Page, where: string): Promise<void> {
  await settle(page);
  const foreign = "main :is(img, b, script), nav :is(img, b, script), header :is(img, b, script)";
  assert.equal(await page.locator(foreign).count(), 0, where);
  assert.ok(!/owned/.test((await page.title()).replace(html, "").replace(rightToLeft, "")), where);
}

consoleTest("hostile records stay text on every screen that shows them", async ({ page, url, send }) => {
  const [, admin] = await send<readonly CrmRecord[]>("GET", "/admin/users");
  await send("PATCH", `/admin/users/${admin?.id}`, { name: html });
  const option = { options: [html], optionLabels: { [html]: `<i>${rightToLeft}</i>` } };
  const field = { entity: "account", key: "hostile", label: html, description: html, type: "list", ...option };
  const { id: fieldId } = await send<CrmRecord>("POST", "/admin/custom-fields", field);
  const pipeline = { name: html, stages: [{ name: html }, { name: rightToLeft }], lostReasons: [html] };
  const { id: pipelineId } = await send<CrmRecord>("POST", "/admin/pipelines", pipeline);
  const { id: integrationId } = await send<CrmRecord>("POST", "/admin/integrations", { name: html, scopes: [] });
  const screens = [
    `fields/${fieldId}`,
    `pipelines/${pipelineId}`,
    `integrations/${integrationId}`,
    `users/${admin?.id}`,
  ];
  const customFields = { segment: "SMB", hostile: html };
  for (const name of names) {
    const common = { name, description: `${long}${name}`.slice(-10_000) };
    const account = await send<CrmRecord>("POST", "/v1/accounts", { ...common, customFields });
    const related = { accountId: account.id, ownerId: admin?.id };
    const contact = await send<CrmRecord>("POST", "/v1/contacts", { name, ...related, email: null, phone: "1" });
    const opportunity = { name, pipelineId, contactIds: [contact.id], ...related };
    const sale = await send<CrmRecord>("POST", "/v1/opportunities", opportunity);
    const relatedTo = { type: "account", id: account.id };
    const task = await send<CrmRecord>("POST", "/v1/tasks", {
      title: name,
      description: common.description,
      relatedTo,
    });
    const note = await send<CrmRecord>("POST", "/v1/notes", { body: `${name}\n${common.description}`, relatedTo });
    screens.push(
      `notes/${note.id}`,
      `accounts/${account.id}`,
      `contacts/${contact.id}`,
      `opportunities/${sale.id}`,
      `tasks/${task.id}`,
    );
    screens.push(`tasks/new?relatedToType=account&relatedToId=${account.id}`, `contacts?accountId=${account.id}`);
    screens.push(`search?q=${encodeURIComponent(name.slice(0, 100))}`);
  }
  for (const list of ["accounts", "contacts", "opportunities", "tasks", "notes"]) screens.push(list, `${list}/new`);
  for (const list of [
    "users",
    "fields",
    "rules",
    "rules/new",
    "pipelines",
    "integrations",
    "grants",
    "import",
    "export",
  ])
    screens.push(list);
  for (const screen of screens) {
    await page.goto("about:blank");
    await page.goto(`${url}/console/#/${screen}`, { waitUntil: "networkidle" });
    await assertOnlyText(page, screen);
    await checkWidth(page, screen);
  }
  await page.goto(`${url}/console/#/opportunities/new`);
  await page.getByRole("combobox", { name: "Account", exact: true }).fill("img src onerror");
  await page.getByRole("listbox", { name: "Accounts" }).getByRole("option", { name: html, exact: true }).waitFor();
  await assertOnlyText(page, "the options of a reference");
});

/** The left edges of the first letter of a heading, of the Hebrew name in it, and of its last letter. */
const edges = `(() => {
  const text = document.querySelector("dialog h2").firstChild;
  return [0, text.data.indexOf("ש"), text.data.length - 1].map((offset) => {
    const range = document.createRange();
    range.setStart(text, offset);
    range.setEnd(text, offset + 1);
    return range.getBoundingClientRect().left;
  });
})()`;

consoleTest("a name with another direction keeps the order of the text around it", async ({ page, url, send }) => {
  const { id } = await send<CrmRecord>("POST", "/admin/integrations", { name: rightToLeft, scopes: [] });
  await page.goto(`${url}/console/#/integrations/${id}`);
  await settle(page);
  await page.getByRole("button", { name: "Archive" }).click();
  await page
    .getByRole("dialog")
    .getByText(/^Archive .+\?$/)
    .waitFor();
  const found = await page.evaluate<readonly number[]>(edges);
  assert.deepEqual(
    found,
    found.toSorted((a, b) => a - b),
  );
});
