import assert from "node:assert/strict";
import { type ConsoleTest, checkAccessible, checkWidth, openConsole, settle } from "./browser.ts";
import { assertFieldError, field, group, press, screen, success } from "./forms.ts";

const english = openConsole({ locale: "en-US" });
const german = openConsole({ locale: "de-DE" });

type Values = Readonly<Record<string, unknown>>;

async function openAccount({ page, url, send }: ConsoleTest, customFields: Values = {}, name = "Numbers") {
  const body = { name, customFields: { segment: "SMB", ...customFields } };
  const { id } = await send("POST", "/v1/accounts", body);
  await page.goto(`${url}/console/#/accounts/${id}`);
  await screen(page, name);
  await settle(page);
  await page.keyboard.press("e");
  const read = async () => (await send("GET", `/v1/accounts/${id}`)).customFields as Values;
  return { read, sites: field(page, "Number of sites"), creditLimit: group(page, "Credit limit") };
}

english("a number with two meanings is rejected with both meanings, together with all other errors", async (crm) => {
  const { page, expectErrors } = crm;
  const { read, sites, creditLimit } = await openAccount(crm);
  expectErrors("PATCH /accounts/{id} 400", "PATCH /accounts/{id} 422");
  await sites.fill("1.200");
  await creditLimit.getByLabel("Amount").fill("9007199254740993");
  await press(page, "Save");
  await creditLimit.getByText("9007199254740993 can have at most 15 digits.").waitFor();
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

english("a date is typed with the name of the month, and one with two meanings is rejected", async (crm) => {
  const { page, url, expectErrors } = crm;
  const { read } = await openAccount(crm, {}, "Dates");
  expectErrors("PATCH /accounts/{id} 422");
  const since = field(page, "Customer since");
  await since.fill("12/11/2026");
  await press(page, "Save");
  await assertFieldError(since, /“12\/11\/2026” can't be read\. Write it like Dec 24, 2026\./);
  await checkAccessible(page);
  await press(page, "Choose a date: Customer since");
  await page.keyboard.press("Escape");
  await since.fill("11 Dec 2026");
  await press(page, "Save");
  await success(page, "Saved.");
  assert.equal((await read()).customerSince, "2026-12-11");

  // The browser doesn't send a form with a text that isn't a time.
  await page.goto(`${url}/console/#/requests`);
  await screen(page, "Requests");
  await page.getByLabel("From", { exact: true }).fill("12/11/2026");
  await press(page, "Filter");
  const message = await page.evaluate('document.querySelector("input:invalid").validationMessage');
  assert.match(String(message), /12\/11/);
  await page.getByLabel("From", { exact: true }).fill("Dec 11, 2026, 2:30 PM");
  await press(page, "Filter");
  await page.waitForURL(/since=2026-12-1/);
  assert.match(await page.getByLabel("From", { exact: true }).inputValue(), /^Dec 11, 2026, 2:30\sPM$/);
});

german("a date is typed in German, or chosen in the calendar of the browser", async (crm) => {
  const { page, expectErrors } = crm;
  const { read } = await openAccount(crm, { customerSince: "2026-03-01" }, "Dates");
  expectErrors("PATCH /accounts/{id} 422");
  const since = field(page, "Customer since");
  assert.equal(await since.inputValue(), "01.03.2026");
  await since.fill("31.02.2026");
  await press(page, "Speichern");
  await assertFieldError(since, /„31\.02\.2026“ ist nicht lesbar\. Schreiben Sie zum Beispiel 24\.12\.2026\./);
  await checkWidth(page);
  await since.fill("24.12.2026");
  await press(page, "Speichern");
  await success(page, "Gespeichert.");
  assert.equal((await read()).customerSince, "2026-12-24");

  await page.keyboard.press("e");
  // A test can't use the calendar, so it chooses a later day at once.
  await page.evaluate(`HTMLInputElement.prototype.showPicker = function () {
    this.value = this.value.replace("-12-24", "-12-31");
    this.dispatchEvent(new Event("change"));
  }`);
  await since.focus();
  await page.keyboard.press("Tab");
  await page.getByRole("button", { name: "Datum auswählen: Customer since" }).and(page.locator(":focus")).waitFor();
  await page.keyboard.press("Enter");
  await since.and(page.locator(":focus")).waitFor();
  assert.equal(await since.inputValue(), "31.12.2026");
  await press(page, "Speichern");
  await success(page, "Gespeichert.");
  assert.equal((await read()).customerSince, "2026-12-31");
});
