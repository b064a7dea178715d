import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import type { Page } from "playwright-core";
import { checkAccessible, checkWidth, openConsole, recorded, settle } from "./browser.ts";
import { assertFieldError, field, group, press, screen } from "./forms.ts";
import { testKeys } from "./set-up-keys.ts";
import { testPipelines } from "./set-up-pipelines.ts";
import { archiveAndRestore, create, openList, type SetUpRecord, save } from "./set-up-steps.ts";
import { testCompany, testSystem, testWelcome } from "./set-up-system.ts";
import { testWebhooks } from "./set-up-webhooks.ts";

const consoleTest = openConsole();

consoleTest("users are created, changed, archived and restored", async (crm) => {
  const { page, send, expectErrors } = crm;
  expectErrors("POST /admin/users 400", "POST /admin/users 409");
  await openList(page, "Users");
  await page.getByRole("link", { name: "New user" }).click();
  await field(page, "Name").fill("Nora Nilsen");
  await field(page, "Email").fill("nora@");
  await press(page, "Create");
  await assertFieldError(field(page, "Email"), /email/);
  await field(page, "Email").fill("ingrid.solberg@fjordlys.example");
  await press(page, "Create");
  await page.getByRole("link", { name: "Open the record that has this value" }).waitFor();
  await checkAccessible(page);
  await field(page, "Email").fill("nora@fjordlys.example");
  const id = await create(page, "Nora Nilsen");
  const read = () => send<SetUpRecord>("GET", `/admin/users/${id}`);
  assert.deepEqual([(await read()).role, (await read()).active], ["member", true]);
  await field(page, "Role").selectOption("Admin");
  await field(page, "Active").uncheck();
  await save(page);
  assert.deepEqual([(await read()).role, (await read()).active], ["admin", false]);
  await openList(page, "Users");
  const emails = page.locator('main tbody td[data-label="Email"]');
  const sorted = (await emails.allInnerTexts()).sort();
  const header = page.getByRole("columnheader", { name: "Email" });
  for (const [direction, expected] of [
    ["ascending", sorted],
    ["descending", sorted.toReversed()],
  ] as const) {
    await header.getByRole("link").click();
    await header.and(page.locator(`[aria-sort=${direction}]`)).waitFor();
    assert.deepEqual(await emails.allInnerTexts(), expected);
  }
  await page.getByRole("columnheader", { name: "User" }).getByRole("link").click();
  await page.getByRole("link", { name: "Nora Nilsen" }).click();
  await screen(page, "Nora Nilsen");
  await archiveAndRestore(crm, "Users", "Nora Nilsen");
});

consoleTest("a change of another admin is shown, and the entered values stay", async ({ page, url, send, ...crm }) => {
  const { id } = await send("POST", "/admin/users", { name: "Olav", email: "olav@fjordlys.example" });
  await page.goto(`${url}/console/#/users/${id}`);
  await screen(page, "Olav");
  await field(page, "External ID").fill("U-7");
  await send("PATCH", `/admin/users/${id}`, { name: "Olav Dahl" });
  crm.expectErrors("PATCH /admin/users/{id} 412");
  await press(page, "Save");
  await press(page, "Read the record again and keep my entries");
  await screen(page, "Olav Dahl");
  assert.equal(await field(page, "External ID").inputValue(), "U-7");
  await save(page);
  const { name, externalId } = await send<SetUpRecord>("GET", `/admin/users/${id}`);
  assert.deepEqual([name, externalId], ["Olav Dahl", "U-7"]);
});

/** Opens the fields and the rules of a kind of record. */
async function openEntity(page: Page, kind: string): Promise<void> {
  await openList(page, "Fields and rules");
  const link = page.getByRole("navigation", { name: "Kind of record" }).getByRole("link", { name: kind });
  await link.click();
  await link.and(page.locator("[aria-current=page]")).waitFor();
  await settle(page);
}

consoleTest("custom fields are created, changed, archived and restored", async (crm) => {
  const { page, send, expectErrors } = crm;
  expectErrors("POST /admin/custom-fields 400");
  await openEntity(page, "Contact");
  await page.getByText("There are no rules.").waitFor();
  const preview = page.getByRole("region", { name: "Preview of the form" });
  await preview.getByLabel("Offers").waitFor();
  await checkAccessible(page);
  await checkWidth(page);
  await page.getByRole("link", { name: "New field" }).click();
  await screen(page, "New field");
  assert.equal(await field(page, "Kind of record").inputValue(), "contact");
  await field(page, "Type").selectOption("List, one choice");
  await press(page, "Create");
  await assertFieldError(field(page, "Label"), /required/);
  await field(page, "Label").fill("T-shirt size");
  await field(page, "Key").fill("shirtSize");
  const options = group(page, "Options");
  for (const [index, size] of ["S", "M", "L"].entries()) {
    await press(options, "Add a row");
    await options.getByRole("listitem").nth(index).getByLabel("Value").fill(size);
  }
  await options.getByLabel("Label").nth(1).fill("Medium");
  await press(options, "Move L up");
  await press(options, "Remove S");
  const previewed = field(preview, "T-shirt size");
  assert.deepEqual(await previewed.locator("option").allInnerTexts(), ["–", "L", "Medium"]);
  assert.ok(await previewed.isDisabled());
  await checkAccessible(page);
  const id = await create(page, "T-shirt size");
  const read = () => send<SetUpRecord>("GET", `/admin/custom-fields/${id}`);
  const created = await read();
  assert.deepEqual([created.options, created.optionLabels], [["L", "M"], { M: "Medium" }]);
  await field(page, "Required").check();
  const impact = page.getByRole("region", { name: "Effect on stored records" });
  await impact.getByText(/^\d+ of \d+ records lack the field\./).waitFor();
  assert.equal((await read()).required, false, "the impact is shown before the rule is saved");
  await checkAccessible(page);
  await save(page);
  assert.equal((await read()).required, true);
  await archiveAndRestore(crm, "Fields and rules", "T-shirt size", () => openEntity(page, "Contact"));
  await send("DELETE", `/admin/custom-fields/${id}`);
});

consoleTest("rules show their effect, are created, changed, archived and restored", async (crm) => {
  const { page, send } = crm;
  await openEntity(page, "Opportunity");
  await page.getByRole("link", { name: "New rule" }).click();
  await screen(page, "New rule");
  assert.equal(await field(page, "Kind of record").inputValue(), "opportunity");
  await page.getByText("Field (required)", { exact: true }).waitFor();
  await field(page, "Field").selectOption("Expected close date");
  await group(page, "Stages").getByLabel("Equipment sales: Contract").check();
  const impact = page.getByRole("region", { name: "Effect on stored records" });
  await impact.getByText(/^(\d+|None) of \d+ records/).waitFor();
  await checkAccessible(page);
  assert.equal((await send<readonly unknown[]>("GET", "/admin/rules")).length, 2, "nothing is saved yet");
  const id = await create(page, "Opportunity: Expected close date");
  const read = () => send<SetUpRecord>("GET", `/admin/rules/${id}`);
  assert.equal((await read()).field, "expectedCloseDate");
  await group(page, "Stages").getByLabel("Equipment sales: Negotiation").check();
  await group(page, "Statuses").getByLabel("Won").check();
  await save(page);
  const { when } = (await read()) as unknown as { when: { stageIds: string[]; statuses: string[] } };
  assert.deepEqual([when.stageIds.length, when.statuses], [2, ["won"]]);
  await archiveAndRestore(crm, "Fields and rules", "Opportunity: Expected close date", () =>
    openEntity(page, "Opportunity"),
  );
  await send("DELETE", `/admin/rules/${id}`);
});

consoleTest("grants are created, changed, archived and restored", async (crm) => {
  const { page, send } = crm;
  await openList(page, "Grants");
  await page.getByRole("link", { name: "New grant" }).click();
  await field(page, "User").selectOption("Mateus Carvalho");
  const id = await create(page, "Mateus Carvalho");
  await field(page, "User").selectOption("Ingrid Solberg");
  await save(page);
  const { userId } = await send<SetUpRecord>("GET", `/admin/grants/${id}`);
  const { name } = await send<SetUpRecord>("GET", `/admin/users/${userId}`);
  assert.equal(name, "Ingrid Solberg");
  await archiveAndRestore(crm, "Grants", "Ingrid Solberg");
});

testPipelines(consoleTest);
testKeys(consoleTest);
testCompany(consoleTest);
testSystem(consoleTest);
testWelcome(openConsole({ tenant: "new" }));
testWebhooks(openConsole({ tenant: "inMemory" }));

consoleTest("every set-up operation can be reached from the console", async () => {
  const { paths } = JSON.parse(readFileSync("docs/openapi.json", "utf8")) as { paths: Record<string, object> };
  const operations = Object.entries(paths)
    .filter(([path]) => path.startsWith("/admin/") || path.startsWith("/api-key"))
    .flatMap(([path, methods]) => Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`))
    .filter((operation) => !operation.startsWith("SERVERS "))
    // Programs follow all events. The screens show the history of one record.
    .filter((operation) => operation !== "GET /admin/events")
    // requests.smoke.ts opens the requests with an ID.
    .filter((operation) => operation !== "GET /admin/requests/{requestId}");
  assert.ok(operations.length > 45);
  assert.deepEqual(
    operations.filter((operation) => !recorded.has(operation)),
    [],
  );
});
