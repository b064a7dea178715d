import assert from "node:assert/strict";
import { type ConsoleTest, checkAccessible, openConsole, settle } from "./browser.ts";
import { assertFieldError, field, group, press, screen, success } from "./forms.ts";

const english = openConsole({ locale: "en-US" });
const german = openConsole({ locale: "de-DE" });

async function openAccount({ page, url, send }: ConsoleTest, customFields: Readonly<Record<string, unknown>> = {}) {
  const body = { name: "Numbers", customFields: { segment: "SMB", ...customFields } };
  const { id } = await send("POST", "/v1/accounts", body);
  await page.goto(`${url}/console/#/accounts/${id}`);
  await screen(page, "Numbers");
  await settle(page);
  await page.keyboard.press("e");
  const read = async () => (await send("GET", `/v1/accounts/${id}`)).customFields as Readonly<Record<string, unknown>>;
  return { read, sites: field(page, "Number of sites"), creditLimit: group(page, "Credit limit") };
}

english("a number with two meanings is rejected with both meanings, together with all other errors", async (crm) => {
  const { page, expectErrors } = crm;
  const { read, sites, creditLimit } = await openAccount(crm);
  expectErrors("PATCH /accounts/{id} 400");
  await sites.fill("1.200");
  await creditLimit.getByLabel("Amount").fill("a lot");
  await field(page, "Email").fill("invalid@nowhere");
  await press(page, "Save");
  await assertFieldError(sites, /“1\.200” has two meanings\. Write 1200 or 1\.2\./);
  await creditLimit.getByText("“a lot” isn't a number. Write it like 1,200.50.").waitFor();
  await assertFieldError(field(page, "Email"), /email/);
  await checkAccessible(page);
  assert.equal((await read()).sites, undefined);

  await field(page, "Email").fill("");
  await sites.fill("1,200");
  await creditLimit.getByLabel("Amount").fill("1.200,50");
  await creditLimit.getByLabel("Currency").fill("EUR");
  await press(page, "Save");
  await success(page, "Saved.");
  const { sites: stored, creditLimit: limit } = await read();
  assert.deepEqual([stored, limit], [1200, { amount: 1200.5, currency: "EUR" }]);
  await page.keyboard.press("e");
  assert.equal(await sites.inputValue(), "1200");
});

german("a German browser shows and reads German numbers", async (crm) => {
  const { page } = crm;
  const { read, sites, creditLimit } = await openAccount(crm, { creditLimit: { amount: 1250.5, currency: "EUR" } });
  assert.equal(await creditLimit.getByLabel("Betrag").inputValue(), "1250,5");
  await sites.fill("1.200");
  await press(page, "Speichern");
  await success(page, "Gespeichert.");
  const { sites: stored, creditLimit: limit } = await read();
  assert.deepEqual([stored, limit], [1200, { amount: 1250.5, currency: "EUR" }]);
});

english("a number in a row names the row", async ({ page, url, expectErrors }) => {
  expectErrors("POST /admin/pipelines 400");
  await page.goto(`${url}/console/#/pipelines/new`);
  await screen(page, "New pipeline");
  await page.getByRole("textbox", { name: "Name (required)" }).fill("Rows");
  const stage = group(page, "Stages").getByRole("listitem").first();
  await stage.getByLabel("Name").fill("First");
  await stage.getByLabel("Probability in percent").fill("ten");
  await press(page, "Create");
  await group(page, "Stages").getByText("Row 1: “ten” isn't a number. Write it like 1,200.50.").waitFor();
});
