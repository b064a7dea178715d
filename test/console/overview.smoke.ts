import assert from "node:assert/strict";
import { checkAccessible, checkWidth, openConsole, settle } from "./browser.ts";
import { screen } from "./forms.ts";

const consoleTest = openConsole();

type Counts = {
  readonly tasks: { readonly count: number };
  readonly openOpportunities: readonly { readonly count: number }[];
};

consoleTest("the overview counts records and names what needs attention", async ({ page, url, send }) => {
  await page.goto(`${url}/console/#/overview`);
  await screen(page, "Overview");
  await settle(page);
  await page.getByRole("link", { name: "There is no backup yet." }).waitFor();
  const system = await send("GET", "/admin/system");
  const backups = { isRunning: false, lastAt: new Date().toISOString(), lastBytes: 1, error: null };
  await page.route("**/api/admin/system", (route) => route.fulfill({ json: { data: { ...system, backups } } }));
  await page.reload();
  await page.getByText("Nothing needs your attention.").waitFor();
  await page.unroute("**/api/admin/system");
  const counts = await send<Counts>("GET", "/v1/counts");
  const tile = page.getByRole("main").getByRole("listitem").filter({ hasText: "Tasks" });
  assert.match(await tile.innerText(), new RegExp(`^Tasks\\s+${counts.tasks.count}\\s+0 changed in 24 h$`));
  const open = page.getByRole("table", { name: "Open opportunities" }).locator('td[data-label="Number"]');
  const shown = (await open.allInnerTexts()).map(Number);
  const expected = counts.openOpportunities.map(({ count }) => count);
  assert.deepEqual(shown.sort(), expected.sort());

  const expiresAt = new Date(Date.now() + 3 * 86_400_000).toISOString();
  const scopes = ["tasks:read", "accounts:write"];
  await send("POST", "/v1/tasks", { title: "Changed today" });
  const { key } = await send<{ readonly key: string }>("POST", "/api-key/generate", {
    name: "Night job",
    scopes,
    expiresAt,
  });
  const failed = await fetch(`${url}/integrations/v1/accounts`, { headers: { "x-api-key": key } });
  assert.equal(failed.status, 403);
  await page.reload();
  await settle(page);
  await tile.getByText("1 changed in 24 h").waitFor();
  const reason = "The last one: The integration may not do this. Missing scope: accounts:read.";
  const failing = page.getByRole("link", { name: "Night job: 1 of 1 requests failed in the last 24 hours." });
  await failing.filter({ hasText: reason }).waitFor();
  await page.getByRole("link", { name: /^Night job: an API key expires on / }).waitFor();
  // The reason is read later. The link keeps the focus.
  const rules = Promise.withResolvers<void>();
  await page.route("**/api/admin/rules*", async (route) => {
    await rules.promise;
    await route.continue();
  });
  await page.reload();
  await failing.focus();
  rules.resolve();
  await failing.filter({ hasText: reason }).and(page.locator(":focus")).waitFor();
  await page.getByRole("figure").filter({ hasText: "Requests with errors: 1" }).waitFor();
  await page.getByText("Requests by hour").first().click();
  const errors = page.getByRole("table", { name: "Requests by hour" }).locator('td[data-label="Requests with errors"]');
  assert.equal(
    (await errors.allInnerTexts()).reduce((sum, each) => sum + Number(each), 0),
    1,
  );
  await checkAccessible(page);
  await checkWidth(page);
  await failing.click();
  await screen(page, "Requests");
  await page.getByText("The integration may not do this.").or(page.getByText("403")).first().waitFor();

  const account = JSON.stringify({ name: "Sites", customFields: { segment: "SMB", sites: "many" } });
  const headers = { "x-api-key": key, "content-type": "application/json" };
  const reasons: Readonly<Record<string, readonly [path: string, init?: RequestInit]>> = {
    "Status must be one of: pending, completed, canceled.": ["tasks?status=done"],
    "Limit must be from 1 to 200.": ["tasks?limit=500"],
    "Number of sites has the wrong type.": ["accounts", { method: "POST", body: account }],
  };
  for (const [cause, [path, init]] of Object.entries(reasons)) {
    await fetch(`${url}/integrations/v1/${path}`, { headers, ...init });
    await page.goto(`${url}/console/#/overview`);
    await page.reload();
    await page.getByRole("link", { name: cause }).waitFor();
  }

  await fetch(`${url}/integrations/v1/tasks`, { headers: { "x-api-key": key } });
  await page.reload();
  await page.getByRole("link", { name: "Night job: 4 of 5 requests failed" }).waitFor();
  // Both charts have one scale, that of the requests.
  const bars = await page
    .locator(".chart svg")
    .evaluateAll((charts) =>
      charts.map((each) => Math.max(...[...each.querySelectorAll("rect")].map((bar) => bar.height.baseVal.value))),
    );
  assert.ok(bars[0] === 60 && Number(bars[1]) < 60, bars.join());
  const stage = page.getByRole("table", { name: "Open opportunities" }).getByRole("link").first();
  await stage.click();
  await screen(page, "Opportunities");
  await page.getByRole("link", { name: "Status: Open" }).waitFor();
});

consoleTest("the overview names broken rules, a full disk, and the last backup", async (crm) => {
  const { page, url, send, expectErrors } = crm;
  const rule = await send<{ readonly id: string }>("POST", "/admin/rules", { entity: "note", field: "externalId" });
  await page.goto(`${url}/console/#/overview`);
  await page.getByRole("link", { name: /^Note, External ID: \d+ of \d+ records lack the field\.$/ }).click();
  await page.waitForURL(`**/console/#/rules/${rule.id}`);
  await page.getByRole("region", { name: "Effect on stored records" }).getByRole("listitem").first().waitFor();
  await page.route("**/api/admin/impact?*", async (route) => {
    await new Promise((resolve) => setTimeout(resolve, 1_050));
    await route.continue();
  });
  const { length } = await send<readonly unknown[]>("GET", "/admin/rules");
  await page.goto(`${url}/console/#/overview`);
  await page.getByText(`${length - 1} rules aren't checked here, because that takes too long.`).click();
  await screen(page, "Fields and rules");
  await page.unrouteAll({ behavior: "wait" });
  await send("DELETE", `/admin/rules/${rule.id}`);

  const system = await send("GET", "/admin/system");
  const lastAt = new Date().toISOString();
  const backups = { isRunning: false, lastAt, lastBytes: 1, error: "No space is left.", errorCode: "disk_full" };
  // The second problem is that of a newer server.
  const problems = { problems: ["Less than 100 MiB is free.", "It rains."], problemCodes: ["disk_low", "rain"] };
  const full = { ...system, ...problems, backups };
  const path = "**/api/admin/system";
  await page.route(path, (route) => route.fulfill({ json: { data: full } }));
  await page.goto(`${url}/console/#/overview`);
  await page.getByRole("link", { name: "The disk is almost full, so nothing can be saved." }).waitFor();
  await page.getByRole("link", { name: "It rains." }).waitFor();
  await page.getByRole("link", { name: "The last backup failed: The disk has too little space." }).waitFor();
  await page.getByText("Last backup: now").waitFor();
  assert.equal(await page.getByText("Note, External ID").count(), 0);
  await checkAccessible(page);
  await checkWidth(page);

  // The console in an app has no state of the server.
  await page.unroute(path);
  await page.route(path, (route) => route.fulfill({ status: 404, json: { error: { code: "not_found" } } }));
  expectErrors("GET /admin/system 404");
  await page.reload();
  await page.getByRole("table", { name: "Open opportunities" }).waitFor();
  assert.equal(await page.getByText("Last backup").count(), 0);
});

consoleTest("the page requests the overview while the program is being loaded, once", async ({ newPage, url }) => {
  const page = await newPage();
  const program = Promise.withResolvers<void>();
  await page.route(/\/chunk-\w+\.js$/, async (route) => {
    await program.promise;
    await route.continue();
  });
  const requested: string[] = [];
  page.on("request", (request) => requested.push(new URL(request.url()).pathname.replace("/console/", "")));
  const early = page.waitForResponse(/\/api\/admin\/system$/);
  await page.goto(`${url}/console/`, { waitUntil: "commit" });
  await early;
  program.resolve();
  await screen(page, "Overview");
  await settle(page);
  for (const path of ["session", "api/v1/counts", "api/api-key", "api/admin/system"])
    assert.equal(requested.filter((each) => each === path).length, 1, path);
});
