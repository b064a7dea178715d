import assert from "node:assert/strict";
import { checkAccessible, checkWidth, openConsole } from "./browser.ts";
import { edit, field, press, screen, success } from "./forms.ts";

const consoleTest = openConsole();

consoleTest("a record that is read again marks what another user has changed", async ({ page, url, send, ...crm }) => {
  const longUrl = `https://old.example/${"x".repeat(300)}`;
  const { id } = await send("POST", "/v1/accounts", {
    name: "Shared",
    phone: "1",
    website: longUrl,
    customFields: { segment: "SMB", productLines: ["grinders"] },
  });
  await page.goto(`${url}/console/#/accounts/${id}`);
  await screen(page, "Shared");
  await edit(page);
  await field(page, "Phone").fill("2");
  await field(page, "Email").fill("mine@shared.example");
  await field(page, "Segment").selectOption("Mid-market (5–24 sites)");
  const theirs = { segment: "Enterprise", productLines: [] };
  await send("PATCH", `/v1/accounts/${id}`, { phone: "3", website: null, customFields: theirs });
  crm.expectErrors("PATCH /accounts/{id} 412");
  await press(page, "Save");
  await press(page, "Read the record again and keep my entries");
  const notice = page.getByText("Another user or a program has changed 4 fields. They are marked below.");
  await notice.and(page.locator(":focus")).waitFor();
  await checkAccessible(page);
  await checkWidth(page);
  const marked = page.locator(".field.changed");
  assert.deepEqual(await marked.locator(".change").allInnerTexts(), [
    `Changed since you opened it. It was “${longUrl}”.`,
    "Changed to “3” since you opened it. If you save, your entry replaces it. Use the new value",
    "Changed to “Enterprise (25 sites and more)” since you opened it. If you save, your entry replaces it. Use the new value",
    "Changed since you opened it. It was “Grinders”.",
  ]);
  const phoneChange = marked.filter({ has: field(page, "Phone") }).locator(".change");
  const [entry, other] = [await field(page, "Phone").boundingBox(), await phoneChange.boundingBox()];
  assert.ok(entry !== null && other !== null && other.x >= entry.x + entry.width, "both versions are side by side");
  assert.equal(await field(page, "Website").inputValue(), "");
  assert.equal(await field(page, "Phone").inputValue(), "2");
  await press(marked.filter({ has: field(page, "Segment") }), "Use the new value");
  await field(page, "Segment").and(page.locator(":focus")).waitFor();
  await press(page, "Save");
  await success(page, "Saved.");
  assert.equal(await marked.count(), 0);
  const { phone, email, website, customFields } = await send("GET", `/v1/accounts/${id}`);
  assert.deepEqual([phone, email, website], ["2", "mine@shared.example", null]);
  assert.equal((customFields as { segment: string }).segment, "Enterprise");
});

consoleTest("a conflict shows both values of references and times", async ({ page, url, send, ...crm }) => {
  const users = await send<readonly { readonly id: string; readonly name: string }[]>("GET", "/v1/users");
  const userId = (name: string) => users.find((each) => each.name === name)?.id ?? assert.fail(name);
  const customFields = { segment: "SMB" };
  const before = await send("POST", "/v1/accounts", { name: "Before & Co", customFields });
  const after = await send("POST", "/v1/accounts", { name: "After & Co", customFields });
  const { id } = await send("POST", "/v1/tasks", {
    title: "Shared task",
    assignedTo: userId("Ingrid Solberg"),
    dueDate: "2026-11-04T12:00:00.000Z",
    relatedTo: { type: "account", id: before.id },
  });
  await page.goto(`${url}/console/#/tasks/${id}`);
  await screen(page, "Shared task");
  await edit(page);
  await field(page, "Assigned to").selectOption("Mateus Carvalho");
  await field(page, "Due").fill("2026-12-24T09:00:00");
  await send("PATCH", `/v1/tasks/${id}`, {
    assignedTo: userId("Tomasz Wiśniewski"),
    dueDate: "2026-11-05T12:00:00.000Z",
    relatedTo: { type: "account", id: after.id },
  });
  crm.expectErrors("PATCH /tasks/{id} 412");
  await press(page, "Save");
  await press(page, "Read the record again and keep my entries");
  await page.getByText("Another user or a program has changed 3 fields. They are marked below.").waitFor();
  const change = (label: string) => page.locator(".field.changed").filter({ hasText: label }).locator(".change");
  const replaced = "since you opened it. If you save, your entry replaces it.";
  await change("Assigned to").getByText(`Changed to “Tomasz Wiśniewski” ${replaced}`).waitFor();
  await change("Due")
    .getByText(/^Changed to “Nov [456], 2026, \d+:00 [AP]M” since/)
    .waitFor();
  await change("Related to").getByText("Changed since you opened it. It was “Account: Before & Co”.").waitFor();
  assert.equal(await field(page, "Due").inputValue(), "2026-12-24T09:00:00");
  await press(change("Due"), "Use the new value");
  await field(page, "Due").and(page.locator(":focus")).waitFor();
  await press(page, "Save");
  await success(page, "Saved.");
  const { assignedTo, relatedTo } = await send("GET", `/v1/tasks/${id}`);
  assert.deepEqual([assignedTo, (relatedTo as { id: string }).id], [userId("Mateus Carvalho"), after.id]);
});

consoleTest("a conflict shows the former options of a custom field", async ({ page, url, send, ...crm }) => {
  const body = { entity: "contact", key: "shift", label: "Shift", type: "list", options: ["day", "night"] };
  const { id } = await send("POST", "/admin/custom-fields", { ...body, optionLabels: { day: "06:00 to 14:00" } });
  await page.goto(`${url}/console/#/fields/${id}`);
  await screen(page, "Shift");
  await field(page, "Label").first().fill("Work shift");
  await send("PATCH", `/admin/custom-fields/${id}`, { options: ["day", "night", "evening"] });
  crm.expectErrors("PATCH /admin/custom-fields/{id} 412");
  await press(page, "Save");
  await press(page, "Read the record again and keep my entries");
  await page.getByText("Changed since you opened it. It was “day (06:00 to 14:00), night”.").waitFor();
  await send("DELETE", `/admin/custom-fields/${id}`);
});

consoleTest("a user that is read again marks what another admin has changed", async ({ page, url, send, ...crm }) => {
  const { id } = await send("POST", "/admin/users", { name: "Olga", email: "olga@fjordlys.example" });
  await page.goto(`${url}/console/#/users/${id}`);
  await screen(page, "Olga");
  await field(page, "External ID").fill("U-7");
  await send("PATCH", `/admin/users/${id}`, { name: "Olga Dahl", role: "admin" });
  crm.expectErrors("PATCH /admin/users/{id} 412");
  await press(page, "Save");
  await press(page, "Read the record again and keep my entries");
  await page.getByText("Another user or a program has changed 2 fields. They are marked below.").waitFor();
  assert.deepEqual(await page.locator(".change").allInnerTexts(), [
    "Changed since you opened it. It was “Olga”.",
    "Changed since you opened it. It was “Member”.",
  ]);
});

consoleTest("a new opportunity has no fields for which only one value is possible", async (crm) => {
  const { page, url } = crm;
  await page.goto(`${url}/console/#/opportunities/new`);
  await screen(page, "New opportunity");
  await field(page, "Stage").waitFor();
  assert.equal(await field(page, "Status").count(), 0);
  assert.equal(await field(page, "Lost reason").count(), 0);
  await page.goto(`${url}/console/#/rules/new`);
  await field(page, "Kind of record").selectOption("Opportunity");
  // Such a rule needs a status, which isn't chosen yet.
  crm.expectErrors("GET /admin/impact 422");
  const impact = page.waitForResponse((response) => response.status() === 422);
  await field(page, "Field").selectOption("Lost reason");
  await impact;
});

consoleTest("the inputs of the filters are in line", async ({ page, url }) => {
  for (const [path, count] of [
    ["accounts", 4],
    ["contacts", 5],
    ["opportunities", 7],
    ["tasks", 3],
  ] as const) {
    await page.goto(`${url}/console/#/${path}`);
    const main = page.locator(`main:has(h1:text-is("${path.charAt(0).toUpperCase()}${path.slice(1)}"))`);
    await main.getByText("Filters", { exact: true }).click();
    await main.locator("details[open] form.filters").waitFor();
    const controls = page.locator("details[open] form.filters :is(select, input:not([type=checkbox]))");
    assert.equal(await controls.count(), count);
    const boxes = await controls.evaluateAll((all) =>
      all.map((each) => {
        const { top, height, width } = each.getBoundingClientRect();
        return { top, height, width };
      }),
    );
    assert.equal(new Set(boxes.map(({ height, width }) => `${height} × ${width}`)).size, 1, path);
    // Two rows at most, each with one line of inputs.
    const tops = new Set(boxes.map(({ top }) => top));
    assert.ok(tops.size <= Math.ceil((count * 220) / 900) + 1, `${path}: ${[...tops]}`);
  }
});
