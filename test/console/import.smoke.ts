import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import type { Page } from "playwright-core";
import { openConsole } from "./browser.ts";
import { press, screen } from "./forms.ts";
import { messyCsv } from "./messy-csv.ts";

const consoleTest = openConsole();
/** An API key of the demo tenant with all scopes. */
const demoKey: string = JSON.parse(readFileSync("fixtures/demo.json", "utf8")).integrations[0].keys[0].key;
const rows = 5_000;

/** The columns of the file by the fields that they fill. The console guesses them. */
const columns = {
  name: "Firma",
  email: "E-Mail",
  phone: "Telefon",
  "address.city": "Ort",
  description: "Notiz",
  "customFields.customerSince": "Kunde seit",
  "customFields.creditLimit": "Kreditrahmen",
  "customFields.sites": "Standorte",
  "customFields.segment": "Segment",
};
const options = ["--decimal", ",", "--date-format", "DD.MM.YYYY", "--trim"];
const maps = Object.entries(columns).flatMap(([field, column]) => ["--map", `${field}=${column}`]);

async function openFile(page: Page, url: string, path: string): Promise<void> {
  await page.goto(`${url}/console/#/import`);
  await page.reload();
  await screen(page, "Import");
  await page.getByLabel("Choose a file").setInputFiles(path);
  await checked(page);
}

/** Waits for the check that runs after each change, and returns its counts. */
async function checked(page: Page): Promise<string> {
  return summary(page, "Result of an import: ");
}

async function runImport(page: Page): Promise<string> {
  await press(page, "Import");
  return summary(page, "");
}

async function summary(page: Page, start: string): Promise<string> {
  const counts = "[\\d,]+ created, [\\d,]+ updated, [\\d,]+ unchanged, [\\d,]+ rejected\\.";
  const text = page.getByText(new RegExp(`^${start}${counts}$`));
  await text.waitFor({ timeout: 120_000 });
  return (await text.innerText()).replaceAll(/(?<=\d),(?=\d)/g, "");
}

/** Returns the fields of the columns, and the formats. */
async function guesses(page: Page): Promise<readonly string[]> {
  const fields = Object.values(columns).map((column) => page.getByLabel(`Field: ${column}`, { exact: true }));
  const formats = [page.getByLabel("Decimal separator"), page.getByLabel("Dates")];
  return Promise.all([...fields, ...formats].map((select) => select.inputValue()));
}

async function downloadRejects(page: Page, path: string): Promise<string> {
  const [download] = await Promise.all([page.waitForEvent("download"), press(page, "Download the rejected rows")]);
  await download.saveAs(path);
  return readFileSync(path, "utf8");
}

/** Makes every row of a file of rejected rows valid: with a unique name, and without the cells that can be wrong. */
function corrected(rejects: string): string {
  const [header = "", ...lines] = rejects.replace(/^\ufeff/, "").split(/\r?\n(?=(?:[^"]*"[^"]*")*[^"]*$)/);
  const names = header.split(";");
  const result = lines
    .filter(Boolean)
    .map((_, index) =>
      names
        .map((name) => ({ Firma: `Korrigiert ${index + 1}`, Segment: "SMB", Telefon: String(index) })[name] ?? "")
        .join(";"),
    );
  return [header, ...result, ""].join("\r\n");
}

/** Returns an export with its records in the order of their text: those of one batch have the same updatedAt. */
function sorted(csv: string): string {
  return csv
    .split(/(?<=\n)(?=(?:[^"]*"[^"]*")*[^"]*$)/)
    .toSorted()
    .join("");
}

consoleTest(
  "a messy file of 5,000 rows gives the same records in the browser, in process and over HTTP",
  async (test) => {
    const { page, url, program, folder } = test;
    const [file, rejectFile, correctedFile] = ["messy.csv", "rejects.csv", "corrected.csv"].map(
      (name) => `${folder}/${name}`,
    ) as [string, string, string];
    writeFileSync(file, messyCsv({ rows }));
    for (const data of ["local", "remote"]) program(["load", "demo", "--data", data]);
    const remote = await test.serve("remote");
    const key = { CRM_API_KEY: demoKey };
    const command = (path: string, codes?: readonly number[]): readonly string[] => {
      const args = ["import", path, "--entity", "account", ...maps, ...options];
      return [
        program([...args, "--data", "local"], codes),
        program([...args, "--url", remote.url, "--rejected", `${path}.remote.csv`], codes, key),
      ];
    };

    await openFile(page, url, file);
    assert.deepEqual(await guesses(page), [...Object.keys(columns), ",", "DD.MM.YYYY"]);
    const before = await checked(page);
    const imported = await runImport(page);
    assert.equal(before, `Result of an import: ${imported}`);
    const [, created = "", rejected = ""] = /^(\d+) created, .* (\d+) rejected/.exec(imported) ?? [];
    assert.ok(Number(created) > 3_000 && Number(rejected) > 500, imported);
    assert.equal(Number(created) + Number(rejected), rows);
    for (const summary of command(file, [1])) assert.match(summary, new RegExp(`${created}\\D.*${rejected}\\D`, "s"));

    const rejects = await downloadRejects(page, rejectFile);
    const withoutIds = (text: string): string => text.replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, "ID");
    for (const path of [`${file}.rejected.csv`, `${file}.remote.csv`])
      assert.equal(withoutIds(readFileSync(path, "utf8")), withoutIds(rejects));
    writeFileSync(correctedFile, corrected(rejects));
    await openFile(page, url, correctedFile);
    // The date column is empty now, and its format doesn't matter.
    assert.deepEqual((await guesses(page)).slice(0, -2), Object.keys(columns));
    assert.match(await runImport(page), new RegExp(`^${rejected} created, .* 0 rejected`));
    command(correctedFile);

    const fields = [
      "name",
      "email",
      "phone",
      "document",
      "description",
      "address.city",
      ...Object.keys(columns).slice(5),
    ];
    const [browser, local, http] = ["data", "local", "remote"].map((data) => {
      program(["export", `${data}.csv`, "--entity", "account", "--fields", fields.join(","), "--data", data]);
      return sorted(readFileSync(`${folder}/${data}.csv`, "utf8"));
    });
    assert.equal(browser, local);
    assert.equal(http, local);
  },
);

consoleTest("an export in the browser has the bytes of the export command", async ({ page, url, program, folder }) => {
  await page.goto(`${url}/console/#/export`);
  await screen(page, "Export");
  const [download] = await Promise.all([page.waitForEvent("download"), press(page, "Export")]);
  await download.saveAs(`${folder}/browser.csv`);
  program(["export", "command.csv", "--entity", "account", "--data", "data"]);
  assert.equal(readFileSync(`${folder}/browser.csv`, "utf8"), readFileSync(`${folder}/command.csv`, "utf8"));
});

consoleTest("rows of an NDJSON file update single members of an address, and unknown keys are errors", async (crm) => {
  const { page, url, send, folder } = crm;
  const [first, second] = await send<readonly { id: string; name: string; address: object }[]>(
    "GET",
    "/v1/accounts?limit=2&includeArchived=false",
  );
  const path = `${folder}/accounts.ndjson`;
  const lines = [
    { name: first?.name, description: "Without an address" },
    { name: second?.name, address: { city: "Oslo" } },
    { name: second?.name, adress: { city: "Bergen" } },
  ];
  writeFileSync(path, lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
  await page.goto(`${url}/console/#/import`);
  await page.getByLabel("Choose a file").setInputFiles(path);
  await page.getByLabel("Update the record with the same").selectOption("name");
  assert.equal(await runImport(page), "0 created, 2 updated, 0 unchanged, 1 rejected.");
  await page.getByText("adress").first().waitFor();
  const { address } = await send<{ address: object }>("GET", `/v1/accounts/${second?.id}`);
  assert.deepEqual(address, { ...second?.address, city: "Oslo" });
});
