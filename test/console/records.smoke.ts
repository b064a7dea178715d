import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { checkAccessible, checkWidth, openConsole, settle } from "./browser.ts";
import { assertFieldError, edit, field, group, press, screen, success, value } from "./forms.ts";

const consoleTest = openConsole();

type Account = Readonly<Record<string, unknown>> & { readonly id: string; readonly name: string };

consoleTest("the search in the header finds a record and opens it", async ({ page }) => {
  await field(page, "Search records").fill("lindqv goteborg");
  await page.keyboard.press("Enter");
  await screen(page, "Results for “lindqv goteborg”");
  await page.getByText("No records match all words.").waitFor();
  await field(page, "Search records").fill("lindqv");
  await page.keyboard.press("Enter");
  await screen(page, "Results for “lindqv”");
  const results = page.getByRole("table", { name: "Results for “lindqv”" });
  await results.getByRole("link", { name: "Åsa Lindqvist" }).waitFor();
  await results.getByRole("link", { name: "Café Lindqvist AB", exact: true }).click();
  await screen(page, "Café Lindqvist AB");
  assert.equal(await value(page, "Registration number").innerText(), "VAT-100200");
  await page.goBack();
  await screen(page, "Results for “lindqv”");
});

consoleTest("Back shows a list with its rows, its scroll position and the focus", async ({ page, url, send }) => {
  const { length } = await send<readonly unknown[]>("GET", "/v1/contacts?limit=100");
  await page.goto(`${url}/console/#/contacts`);
  await screen(page, "Contacts");
  await press(page, "Show more");
  await page.getByText(`${length} records.`, { exact: true }).waitFor();
  const rows = page.getByRole("table", { name: "Contacts" }).locator("tbody tr");
  const last = rows.last().locator("th a");
  const [name, link] = [await last.innerText(), await last.getAttribute("href")];
  await last.focus();
  const before = await page.evaluate("scrollY");
  assert.ok(Number(before) > 0);
  await page.keyboard.press("Enter");
  await screen(page, name);
  assert.equal(await page.evaluate("scrollY"), 0);
  const id = link?.split("/").at(-1);
  await send("PATCH", `/v1/contacts/${id}`, { jobTitle: "Changed" });
  // The rows are there before the list is read again.
  let resume = (): void => {};
  const resumed = new Promise<void>((resolve) => {
    resume = resolve;
  });
  await page.route("**/api/v1/contacts?*", async (route) => {
    await resumed;
    await route.continue();
  });
  await page.goBack();
  await screen(page, "Contacts");
  assert.equal(await rows.count(), length);
  assert.deepEqual(await page.evaluate("[scrollY, document.activeElement.getAttribute('href')]"), [before, link]);
  resume();
  // The contact changed last, so it comes first.
  await page.locator(`tbody tr:first-child th a[href="${link}"]`).waitFor();
  assert.equal(await rows.count(), length);
  await page.unroute("**/api/v1/contacts?*");
});

consoleTest("Back shows set-up lists, search results and the overview as they were left", async ({ page, url }) => {
  await page.setViewportSize({ width: 900, height: 300 });
  for (const [path, title] of [
    ["users?order=-email", "Users"],
    ["search?q=a", "Results for “a”"],
    ["overview", "Overview"],
    ["fields", "Fields and rules"],
  ] as const) {
    await page.goto(`${url}/console/#/${path}`);
    await screen(page, title);
    await settle(page);
    const last = page.locator("main tbody th a").last();
    const [name, link] = [await last.innerText(), await last.getAttribute("href")];
    await last.focus();
    const state = () => page.evaluate("[scrollY, document.activeElement.getAttribute('href')]");
    const before = await state();
    assert.ok(Number((before as unknown[])[0]) > 0, path);
    await page.keyboard.press("Enter");
    await screen(page, name);
    await settle(page);
    const resumed = Promise.withResolvers<void>();
    await page.route("**/api/**", async (route) => {
      await resumed.promise;
      await route.continue();
    });
    // The screen is read again, and its old entries are shown until the response arrives.
    await Promise.all([page.waitForRequest("**/api/**"), page.goBack()]);
    await screen(page, title);
    await page.locator(`main tbody th a[href="${link}"]:focus`).waitFor();
    assert.deepEqual(await state(), before, path);
    resumed.resolve();
    await settle(page);
    await page.unroute("**/api/**");
  }
});

consoleTest("a list has the filters of the API and shows more pages", async ({ page, url, send }) => {
  const { length } = await send<readonly unknown[]>("GET", "/v1/contacts?limit=100");
  await page.goto(`${url}/console/#/contacts`);
  await screen(page, "Contacts");
  const rows = page.getByRole("table", { name: "Contacts" }).locator("tbody tr");
  await page.getByText(`50 of ${length} records.`).waitFor();
  assert.equal(await rows.count(), 50);
  await press(page, "Show more");
  await page.getByText(`${length} records.`, { exact: true }).waitFor();
  assert.equal(new Set(await rows.locator("th a").evaluateAll((links) => links.map(String))).size, length);
  assert.equal(await page.getByRole("button", { name: "Show more" }).count(), 0);

  await openFilters(page);
  await field(page, "Email").fill("asa.lindqvist@lindqvist.example");
  await checkAccessible(page);
  await checkWidth(page);
  await press(page, "Filter");
  await page.getByText("1 record.").waitFor();
  assert.equal(page.url(), `${url}/console/#/contacts?email=asa.lindqvist%40lindqvist.example`);
  await page.reload();
  await page.getByText("1 record.").waitFor();
  assert.equal(await rows.getByRole("link").innerText(), "Åsa Lindqvist");
  await page.getByRole("link", { name: "Email: asa.lindqvist@lindqvist.example Remove this filter" }).click();
  await page.getByText(`50 of ${length} records.`).waitFor();
  await openFilters(page);
  assert.equal(await field(page, "Email").inputValue(), "");

  await field(page, "Account").fill("kestrel");
  await page.getByRole("option", { name: "Kestrel & Finch Coffee House" }).click();
  await press(page, "Filter");
  await page.getByRole("link", { name: "Account: Kestrel & Finch Coffee House" }).waitFor();
  await page
    .getByRole("search", { name: "Filter" })
    .getByText(/^\d+ records$/)
    .waitFor();
  const accounts = rows.locator('td[data-label="Account"]');
  await accounts.getByText("Kestrel & Finch Coffee House").first().waitFor();
  assert.deepEqual([...new Set(await accounts.allInnerTexts())], ["Kestrel & Finch Coffee House"]);

  // Only the request for the first page asks for the number of matches.
  const counts: (string | null)[] = [];
  page.on("request", (request) => {
    const { pathname, searchParams } = new URL(request.url());
    if (pathname.endsWith("/v1/contacts")) counts.push(searchParams.get("count"));
  });
  await page.goto(`${url}/console/#/contacts?includeArchived=true`);
  await page.getByText(/^50 of \d+ records\.$/).waitFor();
  const all = await send<readonly unknown[]>("GET", "/v1/contacts?limit=200&includeArchived=true");
  await page.getByRole("search", { name: "Filter" }).getByText(`${all.length} records`).waitFor();
  await press(page, "Show more");
  await page.getByText("Show more").waitFor({ state: "detached" });
  assert.deepEqual(counts.slice(0, 2), ["true", null]);
  await page.route("**/v1/contacts?*", async (route) => {
    const response = await route.fetch();
    const headers = { ...response.headers(), "x-total-count": "312", "x-total-count-minimum": "true" };
    await route.fulfill({ response, headers });
  });
  await page.reload();
  await page.getByText("50 of at least 312 records.").waitFor();
  await page.getByText("At least 312 records", { exact: true }).waitFor();
});

consoleTest(
  "a list begins with the newest change, sorts by its columns and finds words",
  async ({ page, url, send }) => {
    const { id } = await send("POST", "/v1/accounts", { name: "Aaltonen Coffee", customFields: { segment: "SMB" } });
    await page.goto(`${url}/console/#/accounts`);
    await page.reload();
    await settle(page);
    const names = page.getByRole("table", { name: "Accounts" }).locator("tbody th");
    const sortedBy = (name: string) => page.getByRole("columnheader", { name, exact: true }).getAttribute("aria-sort");
    assert.equal(await names.first().innerText(), "Aaltonen Coffee");
    assert.equal(await sortedBy("Updated"), "descending");
    await names
      .first()
      .getByRole("link")
      .and(page.locator(`[href$="${id}"]`))
      .waitFor();

    for (const order of ["name", "-name"]) {
      await page.getByRole("columnheader", { name: "Name" }).getByRole("link").click();
      await page.waitForURL(`${url}/console/#/accounts?order=${order}`);
      await settle(page);
      const sorted = await send<readonly Account[]>("GET", `/v1/accounts?limit=50&order=${order}`);
      assert.deepEqual(
        await names.allInnerTexts(),
        sorted.map(({ name }) => name),
      );
    }
    await field(page, "Find accounts").fill("aalto cof");
    await page.keyboard.press("Enter");
    await page.getByText("1 record.").waitFor();
    assert.equal(page.url(), `${url}/console/#/accounts?q=aalto+cof&order=-name`);
    await field(page, "Find accounts").fill("aalto tea");
    await page.keyboard.press("Enter");
    await page.getByText("No records match.").waitFor();
    await checkAccessible(page);
  },
);

consoleTest("a record shows its ID, its JSON and a request for developers", async ({ page, url, send }) => {
  const { id } = await send("POST", "/v1/accounts", { name: "Curl café", customFields: { segment: "SMB" } });
  await page.goto(`${url}/console/#/accounts/${id}`);
  await page.getByText("For developers").click();
  const request = `curl -sS "${url}/integrations/v1/accounts/${id}" -H "x-api-key: YOUR_API_KEY"`;
  await page.getByText(request).waitFor();
  const shown = JSON.parse(await page.locator(".developers pre").last().innerText());
  assert.deepEqual([shown.id, shown.name, "tenantId" in shown], [id, "Curl café", false]);
});

consoleTest("a record shows how many records are related to it, and the latest of them", async (crm) => {
  const { page, url, send } = crm;
  const { id } = await send("POST", "/v1/accounts", { name: "Related café", customFields: { segment: "SMB" } });
  for (let number = 1; number <= 6; number++)
    await send("POST", "/v1/opportunities", { name: `Order ${number}`, accountId: id });
  await send("POST", "/v1/contacts", { name: "Rel Ated", accountId: id });
  await page.goto(`${url}/console/#/accounts/${id}`);
  const related = page.locator(".related");
  await related.getByRole("heading", { name: "Opportunities 6", exact: true }).waitFor();
  await related.getByRole("heading", { name: "Contacts 1", exact: true }).waitFor();
  await related.getByRole("heading", { name: "Tasks 0", exact: true }).waitFor();
  const orders = related.getByRole("link", { name: /^Order/ });
  assert.deepEqual(await orders.allInnerTexts(), ["Order 6", "Order 5", "Order 4", "Order 3", "Order 2"]);
  await checkAccessible(page);
  await checkWidth(page);
  await related.getByRole("link", { name: "Rel Ated" }).click();
  await screen(page, "Rel Ated");
  await page.goBack();
  await related.getByRole("link", { name: "Opportunities" }).click();
  await screen(page, "Opportunities");
  await page.getByText("6 records", { exact: true }).waitFor();
});

consoleTest("an account is created and changed with the fields of the tenant", async ({ page, send }) => {
  await page.getByRole("link", { name: "New account" }).click();
  await screen(page, "New account");
  await field(page, "Name").fill("Rösterei Nord");
  await field(page, "Website").fill("https://nord.example");
  await field(page, "City").fill("Flensburg");
  const owners = await field(page, "Owner").locator("option").allTextContents();
  assert.ok(owners.includes("Henrik Dahl (Not active)") && owners.includes("Mateus Carvalho"));
  await field(page, "Owner").selectOption("Mateus Carvalho");
  await field(page, "Segment").selectOption("Mid-market (5–24 sites)");
  await field(page, "Number of sites").fill("7");
  await group(page, "Credit limit").getByLabel("Amount").fill("1250.5");
  await group(page, "Credit limit").getByLabel("Currency").fill("EUR");
  await field(page, "Customer since").fill("2020-02-29");
  await group(page, "Product lines").getByLabel("Espresso machines").check();
  await group(page, "Product lines").getByLabel("Grinders").check();
  await field(page, "Delivery notes").fill("Ring twice");
  await press(page, "Create");
  await screen(page, "Rösterei Nord");
  await page.goBack();
  await screen(page, "Accounts");
  await page.goForward();
  await screen(page, "Rösterei Nord");
  await settle(page);

  const id = /#\/accounts\/([\da-f-]{36})/.exec(page.url())?.[1];
  const created = await send<Account>("GET", `/v1/accounts/${id}`);
  assert.deepEqual([created.name, created.website, created.email], ["Rösterei Nord", "https://nord.example", null]);
  const customFields = {
    segment: "Mid-Market",
    sites: 7,
    creditLimit: { amount: 1250.5, currency: "EUR" },
    customerSince: "2020-02-29",
    productLines: ["espresso", "grinders"],
    deliveryNotes: "Ring twice",
  };
  assert.deepEqual(created.customFields, customFields);
  assert.equal((created.address as Record<string, unknown>).city, "Flensburg");
  assert.equal(created.ownerId, "01990413-8492-7c3b-bd4c-22a6c2aefd5a");

  await edit(page);
  await field(page, "Number of sites").fill("");
  await field(page, "Delivery notes").fill("");
  await field(page, "City").fill("Husum");
  await group(page, "Product lines").getByLabel("Espresso machines").uncheck();
  await press(page, "Save");
  await success(page, "Saved.");
  const { sites, deliveryNotes, ...left } = customFields;
  const changed = await send<Account>("GET", `/v1/accounts/${id}`);
  assert.deepEqual(changed.customFields, { ...left, productLines: ["grinders"] });
  assert.equal((changed.address as Record<string, unknown>).city, "Husum");
  await edit(page);
  await press(page, "Save");
  await success(page, "Nothing to save.");
});

consoleTest("errors appear at their fields and name everything that is wrong", async ({ page, send, expectErrors }) => {
  expectErrors("POST /accounts 400");
  await page.getByRole("link", { name: "New account" }).click();
  await field(page, "Email").fill("invalid@nowhere");
  await field(page, "Number of sites").fill("seven");
  await group(page, "Credit limit").getByLabel("Amount").fill("a lot");
  await press(page, "Create");
  const notice = page.getByRole("alert");
  await notice.waitFor();
  assert.ok(await notice.evaluate((element) => element.matches(":focus")), "the notice has the focus");
  assert.match(await notice.innerText(), /Correct the 5 marked fields\./);
  await assertFieldError(field(page, "Name"), /required/);
  await assertFieldError(field(page, "Email"), /email/);
  await assertFieldError(field(page, "Segment"), /required/);
  await assertFieldError(field(page, "Number of sites"), /number/);
  const creditLimit = group(page, "Credit limit");
  assert.equal(await creditLimit.locator(".field-errors").count(), 1);
  await checkAccessible(page);
  await checkWidth(page);
  assert.equal(await field(page, "Number of sites").inputValue(), "seven", "what the user typed stays");

  await field(page, "Name").fill("Corrected");
  await field(page, "Email").fill("info@corrected.example");
  await field(page, "Segment").selectOption("SMB");
  await field(page, "Number of sites").fill("7");
  await creditLimit.getByLabel("Amount").fill("");
  await press(page, "Create");
  await screen(page, "Corrected");
  const found = await send<readonly Account[]>("GET", "/v1/accounts?name=Corrected");
  assert.equal(found.length, 1);
});

consoleTest("a record that another admin has changed isn't overwritten", async ({ page, url, send, expectErrors }) => {
  const { id } = await send("POST", "/v1/accounts", { name: "Shared", customFields: { segment: "SMB" } });
  await page.goto(`${url}/console/#/accounts/${id}`);
  await screen(page, "Shared");
  await edit(page);
  await field(page, "Phone").fill("+49 30 123");
  await send("PATCH", `/v1/accounts/${id}`, { phone: "+49 40 456" });
  expectErrors("PATCH /accounts/{id} 412");
  await press(page, "Save");
  await page.getByRole("alert").waitFor();
  assert.match(await page.getByRole("alert").innerText(), /changed/);
  assert.equal(await field(page, "Phone").inputValue(), "+49 30 123", "what the user typed stays");
  await checkAccessible(page);
  assert.equal((await send<Account>("GET", `/v1/accounts/${id}`)).phone, "+49 40 456");
  await page.reload();
  await edit(page);
  await field(page, "Phone").fill("+49 30 123");
  await press(page, "Save");
  await success(page, "Saved.");
  assert.equal((await send<Account>("GET", `/v1/accounts/${id}`)).phone, "+49 30 123");
});

consoleTest("a record is archived and restored", async ({ page, url, send }) => {
  const { id } = await send("POST", "/v1/accounts", { name: "Closed café", customFields: { segment: "SMB" } });
  await page.goto(`${url}/console/#/accounts/${id}`);
  await edit(page);
  await press(page, "Archive");
  await success(page, "Archived.");
  assert.equal(await field(page, "Phone").count(), 0);
  await page.getByText("This record is archived. Restore it to change it.").waitFor();
  assert.equal(await page.getByRole("button", { name: "Edit" }).count(), 0);
  await checkAccessible(page);
  await page.getByRole("link", { name: "Accounts", exact: true }).click();
  await screen(page, "Accounts");
  await settle(page);
  assert.equal(await page.getByRole("link", { name: "Closed café" }).count(), 0);
  await openFilters(page);
  await page.getByLabel("Include archived").check();
  await press(page, "Filter");
  await page.getByRole("link", { name: "Closed café" }).click();
  await press(page, "Restore");
  await success(page, "Restored.");
  await edit(page);
  assert.equal((await send<Account>("GET", `/v1/accounts/${id}`)).name, "Closed café");
});

async function openFilters(page: Page): Promise<void> {
  await page.getByText("Filters", { exact: true }).click();
}
