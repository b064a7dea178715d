import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { writeFileSync } from "node:fs";
import { promisify } from "node:util";
import { checkAccessible, openConsole } from "./browser.ts";
import { field, press, screen } from "./forms.ts";
import { openList } from "./set-up-steps.ts";

const consoleTest = openConsole({ tenant: "new", signedIn: false });
const count = 200;

/**
 * A list of contacts as a mail program exports it: names in two columns, semicolons, an old encoding, bad addresses.
 */
function messyContacts(): Buffer {
  const rows = Array.from({ length: count }, (_, index) => {
    const email = index % 50 === 7 ? "unbekannt" : `person${index}@kunde.example`;
    return `Müller ${index}; Jörg ;${email};040/${1000 + index};Köln`;
  });
  return Buffer.from(["Nachname;Vorname;E-Mail-Adresse;Telefon;Ort", ...rows, ""].join("\r\n"), "latin1");
}

consoleTest("a new tenant imports contacts and sees the first request of its program", async (test) => {
  const { page, send, folder, link } = test;
  test.expectErrors("GET /console/session 401");
  await page.goto("about:blank");
  await page.goto(link());
  await press(page, "Sign in");
  await screen(page, "Welcome");
  await field(page, "Name of your company").fill("Kaffeerösterei Nord");
  await press(page, "Next");
  await page.getByRole("link", { name: "Import a file" }).click();

  await screen(page, "Import");
  await page.getByLabel("Kind of records").selectOption({ label: "Contact" });
  const path = `${folder}/contacts.csv`;
  writeFileSync(path, messyContacts());
  await page.getByLabel("Choose a file").setInputFiles(path);
  await page.getByText(`Result of an import: ${count - 4} created, 0 updated, 0 unchanged, 4 rejected.`).waitFor();
  await press(page, "Skip these 4 cells");
  await page.getByText(`Result of an import: ${count} created, 0 updated, 0 unchanged, 0 rejected.`).waitFor();
  await checkAccessible(page);
  await press(page, "Import");
  await page.getByText(`${count} created, 0 updated, 0 unchanged, 0 rejected.`, { exact: true }).waitFor();
  const [contact] = await send<readonly Record<string, unknown>[]>("GET", "/v1/contacts?email=person3@kunde.example");
  assert.equal(contact?.name, "Jörg Müller 3");

  await openList(page, "Integrations and keys");
  await page.getByRole("link", { name: "New integration" }).click();
  await field(page, "Name").fill("Shop");
  await page.getByLabel("contacts:read").check();
  await press(page, "Create");
  await screen(page, "Shop");
  const command = await page.getByRole("textbox", { name: "Command", exact: true }).inputValue();
  await page.getByRole("tab", { name: "API keys" }).click();
  await press(page, "Generate a key");
  const key = await page.getByRole("textbox", { name: "API key" }).inputValue();
  const { stdout } = await promisify(execFile)("sh", ["-c", command.replace("YOUR_API_KEY", key)]);
  assert.equal(JSON.parse(stdout).data.length, 1);
  await press(page, "I have stored the key");

  await openList(page, "Overview");
  const shop = page.getByRole("table", { name: "Integrations" }).getByRole("row", { name: /Shop/ });
  await shop.locator('[data-label="Requests"]').getByText("1", { exact: true }).waitFor();
  assert.notEqual(await shop.locator('[data-label="Last used"]').innerText(), "Never");
  await checkAccessible(page);
});
