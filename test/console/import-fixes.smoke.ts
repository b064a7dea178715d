import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import type { Page } from "playwright-core";
import { openConsole } from "./browser.ts";
import { press, screen } from "./forms.ts";

const consoleTest = openConsole();

type Account = {
  readonly name: string;
  readonly customFields: Readonly<Record<string, unknown>>;
  readonly address: { readonly street: string } | null;
};

async function openImport(page: Page, url: string, kind: "Account" | "Contact", path: string): Promise<void> {
  await page.goto(`${url}/console/#/import`);
  await screen(page, "Import");
  await page.getByLabel("Kind of records").selectOption({ label: kind });
  await page.getByLabel("Choose a file").setInputFiles(path);
}

/** Waits for a check with these counts. */
async function checked(page: Page, created: number, rejected: number): Promise<void> {
  await page
    .getByText(`Result of an import: ${created} created, 0 updated, 0 unchanged, ${rejected} rejected.`)
    .waitFor();
}

async function imported(page: Page, created: number, rejected: number): Promise<void> {
  await press(page, "Import");
  await page.getByText(`${created} created, 0 updated, 0 unchanged, ${rejected} rejected.`, { exact: true }).waitFor();
}

consoleTest("a check runs after each change, and buttons fix what it finds", async ({ page, url, send, folder }) => {
  const lines = [
    "Firma;Straße;Hausnr.;Kunde seit;Kreditrahmen;Segment;E-Mail",
    "Fix 1;Hafenstraße;5;05/09/2010;1.200;Konzern;info@fix1.example",
    "Fix 2;Hafenstraße;6;06/09/2010;800;smb;none",
    "Fix 3;;;07/09/2010;;Konzern;info@fix3.example",
  ];
  const path = `${folder}/fix.csv`;
  const wrong = `${folder}/wrong`;
  writeFileSync(`${wrong}1.csv`, Buffer.from("PK\u0003\u0004\u0014\u0000", "latin1"));
  await openImport(page, url, "Account", `${wrong}1.csv`);
  await page.getByText("This is a spreadsheet. Save it as a CSV file, and choose that file.").waitFor();
  writeFileSync(`${wrong}2.csv`, "name\0");
  await openImport(page, url, "Account", `${wrong}2.csv`);
  await page.getByText("This isn't a CSV file. Save it as “CSV UTF-8”, or choose another encoding above.").waitFor();
  // The browser reports a file again only if it was removed from the input before.
  const chooser = page.waitForEvent("filechooser");
  await page.getByText("Choose a file", { exact: true }).click();
  assert.equal(await page.getByLabel("Choose a file").inputValue(), "");
  writeFileSync(`${wrong}2.csv`, "name\nEdited\n");
  await (await chooser).setFiles(`${wrong}2.csv`);
  await page.getByText("1 row", { exact: true }).first().waitFor();
  writeFileSync(path, Buffer.from(lines.join("\r\n"), "latin1"));
  await openImport(page, url, "Account", path);

  await page.getByText("Numbers such as 1.200 have two meanings. Choose how to read them.").waitFor();
  assert.ok(await page.getByRole("button", { name: "Import", exact: true }).isDisabled());
  await press(page, "Read numbers with a decimal comma");

  await checked(page, 0, 3);
  await page.getByText("3 rows: Customer since isn't a date that exists in this format.").waitFor();
  await page.getByText("“05/09/2010”, “06/09/2010”, “07/09/2010”").waitFor();
  await page.getByRole("button", { name: "Read dates as MM/DD/YYYY" }).waitFor();
  await press(page, "Read dates as DD/MM/YYYY");
  await checked(page, 0, 3);
  await page.getByLabel("Replace “Konzern” with").selectOption("Enterprise");
  await checked(page, 2, 1);
  await press(page, "Skip this cell");
  await checked(page, 3, 0);
  await imported(page, 3, 0);

  const accounts = await send<readonly Account[]>("GET", "/v1/accounts?q=Fix&order=name");
  const first = { segment: "Enterprise", creditLimit: 1200, customerSince: "2010-09-05" };
  assert.deepEqual(
    accounts.map(({ name, address, customFields }) => [name, address?.street, customFields]),
    [
      ["Fix 1", "Hafenstraße 5", first],
      ["Fix 2", "Hafenstraße 6", { segment: "SMB", creditLimit: 800, customerSince: "2010-09-06" }],
      ["Fix 3", undefined, { segment: "Enterprise", customerSince: "2010-09-07" }],
    ],
  );

  // The next import finds the accounts.
  writeFileSync(path, "Firma;Segment\nFix 1;smb\nFix 2;smb\n");
  await page.reload();
  await openImport(page, url, "Account", path);
  await page.getByText("2 rows: Another record or row has the same Name.").waitFor();
  await press(page, "Update the existing records with the same Name");
  assert.equal(await page.getByLabel("Update the record with the same").inputValue(), "name");
});

consoleTest("columns of a first and a last name are joined as the user likes", async ({ page, url, send, folder }) => {
  const path = `${folder}/people.csv`;
  writeFileSync(path, "Nachname;Vorname;Mail\nJoinmann;Uta;uta@join.example\n");
  await openImport(page, url, "Contact", path);
  const join = page.getByLabel("Joined as");
  assert.equal(await join.inputValue(), "{Vorname} {Nachname}");
  await join.fill("{Nachname}, {Vorame}");
  await page.getByText("The text that joins the columns of Name must have columns of the file in braces").waitFor();
  await join.fill("{Nachname}, {Vorname}");
  await checked(page, 1, 0);
  await imported(page, 1, 0);
  const [contact] = await send<readonly Account[]>("GET", "/v1/contacts?email=uta@join.example");
  assert.equal(contact?.name, "Joinmann, Uta");
});

consoleTest("an import asks before it is left, and can be undone", async ({ page, url, send, folder, context }) => {
  const path = `${folder}/undo.csv`;
  const rows = Array.from({ length: 250 }, (_, row) => `Undo ${row},smb`);
  writeFileSync(path, `name,segment\n${rows.join("\n")}\n`);
  await openImport(page, url, "Account", path);
  await checked(page, 250, 0);

  // The second batch waits until the test has tried to leave.
  const gate = Promise.withResolvers<void>();
  let batches = 0;
  await context.route("**/accounts/batch", async (route) => {
    batches += 1;
    if (batches === 2) await gate.promise;
    await route.continue();
  });
  const dialogs: string[] = [];
  page.on("dialog", (dialog) => {
    dialogs.push(dialog.message());
    void (dialogs.length === 1 ? dialog.dismiss() : dialog.accept());
  });
  await press(page, "Import");
  await page.getByText(/100 of 250 rows · About \d+ s left/).waitFor();
  const left = page.waitForEvent("dialog");
  await page.getByRole("link", { name: "Tasks", exact: true }).click();
  await left;
  gate.resolve();
  await page.getByText("250 created, 0 updated, 0 unchanged, 0 rejected.", { exact: true }).waitFor();

  const names = (): Promise<readonly Account[]> => send("GET", "/v1/accounts?q=Undo&limit=200");
  assert.equal((await names()).length, 200);
  await page.reload();
  await page.getByText("Accounts created: 250").waitFor();
  const storageName = await page.evaluate(() => Object.keys(localStorage).find((name) => name.includes("imports")));
  await press(page, "Undo the import of undo.csv");
  await page.getByText("Records archived: 250.").waitFor();
  assert.deepEqual(await names(), []);
  assert.deepEqual(dialogs, ["The import is running. Leave and stop it?", "Archive the 250 records of this import?"]);
  assert.equal(await page.getByText("Accounts created").count(), 0);

  // A damaged entry is ignored.
  await page.evaluate((name) => localStorage.setItem(String(name), "{"), storageName);
  await page.reload();
  await page.getByRole("heading", { name: "Import", exact: true }).waitFor();

  // A full storage of the browser.
  await page.evaluate("Storage.prototype.setItem = () => { throw new DOMException('', 'QuotaExceededError'); }");
  const full = `${folder}/full.csv`;
  writeFileSync(full, "name,segment\nUndo none,smb\n");
  await openImport(page, url, "Account", full);
  await checked(page, 1, 0);
  await press(page, "Import");
  await page.getByText("This import can't be undone here: the browser can't store so many IDs.").waitFor();
  assert.equal(await page.getByText("Accounts created").count(), 0);
});

consoleTest("a field is created for a column, with a guessed type", async ({ page, url, send, folder }) => {
  const path = `${folder}/new-field.csv`;
  // The API treats the three forms of "Café" as one option.
  const cafe = ["Cafe\u0301", "CAFÉ", "Café", "Café"];
  const rows = Array.from({ length: 8 }, (_, row) => `New field ${row},smb,${row % 2 ? "Röster" : cafe[row / 2]}`);
  const csv = `\ufeffname,segment,Betriebsart (2)\n${rows.join("\n")}\n`;
  writeFileSync(path, Buffer.from(csv, "utf16le"));
  await openImport(page, url, "Account", path);
  await checked(page, 8, 0);
  const field = page.getByLabel("Field: Betriebsart (2)", { exact: true });
  assert.equal(await field.inputValue(), "");
  await field.selectOption({ label: "New field…" });
  const dialog = page.getByRole("dialog", { name: "New field" });
  assert.equal(await dialog.getByLabel("Type").inputValue(), "list");
  await dialog.getByText("The 2 values of the column become its options.").waitFor();
  await press(dialog, "Create");
  await dialog.waitFor({ state: "detached" });
  await checked(page, 8, 0);
  assert.equal(await field.inputValue(), "customFields.betriebsart2");
  await imported(page, 8, 0);
  const accounts = await send<readonly Account[]>("GET", "/v1/accounts?q=New+field+1");
  assert.equal(accounts[0]?.customFields.betriebsart2, "Röster");
});
