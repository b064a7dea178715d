import assert from "node:assert/strict";
import type { Locator, Page } from "playwright-core";
import { checkAccessible, checkWidth, openConsole, settle } from "./browser.ts";
import { edit, field, group, press, screen, success } from "./forms.ts";

const consoleTest = openConsole();

type CrmRecord = { readonly id: string; readonly name: string };
const html = '<img src=x onerror="document.title=`owned`"><b>bold</b>';

/** Returns the rows of the history, newest first. */
function historyRows(page: Page): Locator {
  return page.getByRole("region", { name: "History" }).locator("tbody tr");
}

/** Waits until the history has this number of entries, and returns the text of each cell but the time. */
async function history(page: Page, count: number): Promise<readonly (readonly string[])[]> {
  await page.getByText(`${count === 1 ? "1 entry" : `${count} entries`}. The newest comes first.`).waitFor();
  const rows = await historyRows(page).all();
  assert.equal(rows.length, count);
  return Promise.all(rows.map(async (row) => (await row.locator("td").allInnerTexts()).map(withoutHiddenWord)));
}

/** Screen readers read the word "to" instead of the arrow. */
function withoutHiddenWord(text: string): string {
  return text.replaceAll(/→\s+to\s+/g, "→ ").trim();
}

async function open(page: Page, url: string, path: string): Promise<void> {
  await page.goto("about:blank");
  await page.goto(`${url}/console/#/${path}`);
  await settle(page);
}

async function assertOnlyText(page: Page): Promise<void> {
  assert.equal(await page.locator("main :is(img, b, script)").count(), 0);
  assert.doesNotMatch((await page.title()).replace(html, ""), /owned/);
}

consoleTest("a record shows who changed which field, in words, and is read again after a save", async (crm) => {
  const { page, url, send } = crm;
  const [, owner] = await send<readonly CrmRecord[]>("GET", "/admin/users");
  const account = await send<CrmRecord>("POST", "/v1/accounts", {
    name: "History Ltd",
    customFields: { segment: "SMB" },
  });
  await send("PATCH", `/v1/accounts/${account.id}`, { ownerId: owner?.id, address: { city: "Oslo", country: "NO" } });
  await open(page, url, `accounts/${account.id}`);
  const me = (await page.locator(".user .ellipsis").innerText()).split("\n")[0] ?? "";
  const first = await history(page, 2);
  assert.deepEqual(first[1], [me, "Created", "–"]);
  const [by, what, changes = ""] = first[0] ?? [];
  assert.deepEqual([by, what], [me, "Changed"]);
  assert.match(changes, new RegExp(`Owner: .+ → ${owner?.name}`));
  assert.match(changes, /City: empty → Oslo/);
  await edit(page);
  await field(page, "Phone").fill("+47 22 33 44 55");
  await field(page, "City").fill("Bergen");
  await press(page, "Save");
  await success(page, "Saved.");
  const saved = (await history(page, 3))[0]?.[2] ?? "";
  assert.match(saved, /^Phone: empty → \+47 22 33 44 55\nCity: Oslo → Bergen$/);
  await press(page, "Archive");
  assert.deepEqual((await history(page, 4))[0], [me, "Archived", "–"]);
  await checkAccessible(page);
  await checkWidth(page);
});

consoleTest("a history names references, amounts and the integration, also former ones", async (crm) => {
  const { page, url, send } = crm;
  const [from, to] = [await account("From AS"), await account("To AS")];
  function account(name: string): Promise<CrmRecord> {
    return send("POST", "/v1/accounts", { name, customFields: { segment: "SMB" } });
  }
  const integration = await send<CrmRecord>("POST", "/admin/integrations", {
    name: "ERP",
    scopes: ["opportunities:read", "opportunities:write"],
  });
  const { key } = await send<{ key: string }>("POST", "/api-key/generate", { integrationId: integration.id });
  const sale = await send<CrmRecord>("POST", "/v1/opportunities", {
    ...{ name: "Machines", accountId: from.id, amount: 1200, currency: "EUR" },
  });
  const response = await fetch(`${url}/integrations/v1/opportunities/${sale.id}`, {
    method: "PATCH",
    headers: { "x-api-key": key, "content-type": "application/json" },
    body: JSON.stringify({ accountId: to.id, amount: 900, currency: "NOK" }),
  });
  assert.equal(response.status, 200);
  await send("DELETE", `/admin/integrations/${integration.id}`);
  await open(page, url, `opportunities/${sale.id}`);
  const [[by] = []] = await history(page, 2);
  assert.equal(by, "ERP (integration)");
  // The names are read after the history.
  for (const { name } of [from, to]) await historyRows(page).first().getByText(String(name)).waitFor();
  const shown = withoutHiddenWord(await historyRows(page).first().innerText());
  assert.match(shown, /Account: From AS → To AS/);
  assert.match(shown, /Amount: 1,200 EUR → 900 NOK/);
  await page
    .getByRole("button", { name: /^Move to / })
    .first()
    .click();
  await success(page, "Saved.");
  const [moved] = await history(page, 3);
  assert.equal(moved?.[1], "Moved to another stage");
  assert.match(moved?.[2] ?? "", /^Stage: Equipment sales: \w+ → Equipment sales: \w+\n/);
  assert.doesNotMatch(moved?.[2] ?? "", /[\da-f]{8}-/);
});

consoleTest("show more adds older entries, and hostile values stay text", async ({ page, url, send }) => {
  const task = await send<CrmRecord>("POST", "/v1/tasks", { title: "0" });
  for (let index = 1; index <= 24; index++)
    await send("PATCH", `/v1/tasks/${task.id}`, { title: index % 2 === 0 ? `${html}${index}` : `${index}` });
  await send("PATCH", `/v1/tasks/${task.id}`, { description: "W".repeat(5_000) });
  await send("PATCH", `/v1/tasks/${task.id}`, { description: `\u202e${html}` });
  await send("PATCH", `/v1/tasks/${task.id}`, { description: "W".repeat(5_000) });
  await open(page, url, `tasks/${task.id}`);
  const first = await history(page, 10);
  assert.match(first[0]?.[2] ?? "", /^Description: \u202e<img .+ → W{300}…$/);
  assert.match(first[1]?.[2] ?? "", /^Description: a text that is too long to keep → \u202e<img /);
  assert.ok(first[3]?.[2]?.endsWith(`${html}24`), first[3]?.[2]);
  await assertOnlyText(page);
  await checkWidth(page);
  await press(page, "Show more");
  await history(page, 20);
  await press(page, "Show more");
  const all = await history(page, 28);
  assert.deepEqual([all.at(-1)?.[1], all.at(-2)?.[2]?.startsWith("Title: 0 →")], ["Created", true]);
  assert.equal(await page.getByRole("button", { name: "Show more" }).count(), 0);
  await assertOnlyText(page);
  await checkAccessible(page);
});

consoleTest("records of the set-up show their history in the words of their form", async (crm) => {
  const { page, url, send } = crm;
  const option = { options: ["S"], optionLabels: { S: html } };
  const body = { entity: "account", key: "size", label: html, type: "list", ...option };
  const { id } = await send<CrmRecord>("POST", "/admin/custom-fields", body);
  await send("PATCH", `/admin/custom-fields/${id}`, { options: ["S", "M"], optionLabels: { M: "Medium" } });
  await open(page, url, `fields/${id}`);
  const [changed] = await history(page, 2);
  assert.equal(changed?.[1], "Changed");
  assert.match(changed?.[2] ?? "", /^Options: S \(.+\) → S, M \(Medium\)$/);
  await assertOnlyText(page);
  await group(page, "Options").getByLabel("Label").nth(0).fill("Small");
  await press(page, "Save");
  await success(page, "Saved.");
  assert.match((await history(page, 3))[0]?.[2] ?? "", /Options: S, M \(Medium\) → S \(Small\), M \(Medium\)/);
  await checkAccessible(page);

  const integration = await send<CrmRecord>("POST", "/admin/integrations", { name: "Shop", scopes: ["tasks:read"] });
  await send("PATCH", `/admin/integrations/${integration.id}`, { scopes: ["tasks:read", "users:read"] });
  await open(page, url, `integrations/${integration.id}`);
  await screen(page, "Shop");
  assert.match(
    (await history(page, 2))[0]?.[2] ?? "",
    /^Scopes: tasks:read: read tasks → tasks:read: .+, users:read: /,
  );
  const [loaded] = await send<readonly CrmRecord[]>("GET", "/admin/users");
  await open(page, url, `users/${loaded?.id}`);
  await page.getByText("No changes are recorded.").waitFor();
});
