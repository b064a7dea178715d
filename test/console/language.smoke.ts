import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import type { Locator } from "playwright-core";
import { type ConsoleTest, checkAccessible, checkWidth, openConsole, settle } from "./browser.ts";
import { assertFieldError, press, screen, value } from "./forms.ts";

const german = openConsole({ locale: "de-DE" });
const austrian = openConsole({ locale: "de-AT" });
const french = openConsole({ locale: "fr-FR" });

const label = "Language / Sprache";

async function open({ page, url }: ConsoleTest, path: string, title: string): Promise<void> {
  await page.goto(`${url}/console/#/${path}`);
  await screen(page, title);
  await settle(page);
}

/** Creates an opportunity. Returns its ID and its row in the list. */
async function sell({ page, send }: ConsoleTest, name: string, values: object = {}) {
  const body = { name, amount: 1200.5, currency: "EUR", expectedCloseDate: "2026-10-08", ...values };
  const { id } = await send("POST", "/v1/opportunities", body);
  const row = page.getByRole("row").filter({ has: page.getByRole("link", { name, exact: true }) });
  return { id, cell: (column: string): Locator => row.locator(`[data-label="${column}"]`) };
}

const language = ({ page }: ConsoleTest): Promise<unknown> => page.evaluate("document.documentElement.lang");

german("a German browser shows German screens, dates and numbers", async (crm) => {
  const { page } = crm;
  const { id, cell } = await sell(crm, "Espressobar");
  await open(crm, "overview", "Übersicht");
  assert.equal(await language(crm), "de");
  assert.equal(await page.title(), "Übersicht – CRM-Konsole");
  const menu = await page.getByRole("navigation", { name: "Hauptmenü" }).getByRole("link").allInnerTexts();
  assert.deepEqual(menu.slice(0, 5), ["Übersicht", "Firmen", "Kontakte", "Verkaufschancen", "Aufgaben"]);
  await checkAccessible(page);
  await checkWidth(page);

  await open(crm, "opportunities", "Verkaufschancen");
  assert.equal(await cell("Erwarteter Abschluss").innerText(), "8. Okt. 2026");
  assert.equal(await cell("Betrag").innerText(), "1.200,50 EUR");
  assert.equal(await cell("Status").innerText(), "Offen");
  await checkAccessible(page);
  await checkWidth(page);

  await open(crm, `opportunities/${id}`, "Espressobar");
  assert.equal(await value(page, "Betrag").innerText(), "1.200,50 EUR");
  await press(page, "Bearbeiten");
  assert.equal(await page.getByLabel("Betrag", { exact: true }).first().inputValue(), "1200,5");
  await page.getByRole("button", { name: "Auf „Verloren“ setzen" }).waitFor();
  await page.getByRole("table", { name: "Verlauf" }).getByText("Angelegt").waitFor();
  await checkAccessible(page);
  await checkWidth(page);

  for (const [path, title] of [
    ["requests", "Anfragen"],
    ["import", "Import"],
    ["system", "System"],
    ["integrations", "Integrationen und Schlüssel"],
  ] as const) {
    await open(crm, path, title);
    await checkAccessible(page);
    await checkWidth(page);
  }
});

german("a German form explains errors in German and names fields by their German labels", async (crm) => {
  const { page, expectErrors } = crm;
  expectErrors("POST /accounts 400", "POST /admin/custom-fields 400");
  await open(crm, "fields/new", "Neues Feld");
  await page.getByLabel("Beschriftung (Pflichtfeld)").fill("Zu lang");
  await page.getByLabel("Name in der API (Pflichtfeld)").fill("tooLong");
  await page.getByLabel("Höchstlänge").fill("99999999");
  page.once("dialog", (dialog) => dialog.accept());
  await press(page, "Anlegen");
  await assertFieldError(page.getByLabel("Höchstlänge"), /^Höchstlänge muss zwischen 1 und 65\.536 liegen\.$/m);
  await open(crm, "accounts/new", "Firma anlegen");
  await page.getByLabel("Name (Pflichtfeld)").fill("Fehlerhaft");
  await page.getByLabel("E-Mail").fill("invalid@nowhere");
  await page.getByLabel("Number of sites").fill("viele");
  await press(page, "Anlegen");
  await assertFieldError(page.getByLabel("E-Mail"), /^E-Mail muss eine E-Mail-Adresse wie name@example\.com sein\.$/);
  await assertFieldError(
    page.getByLabel("Number of sites"),
    /„viele“ ist keine Zahl\. Schreiben Sie zum Beispiel 1\.200,50\./,
  );
  await page.getByText(/^Korrigieren Sie die \d markierten Felder\.$/).waitFor();
  await checkAccessible(page);
});

german("the switch changes the language, which survives a reload, and asks about unsaved changes", async (crm) => {
  const { page } = crm;
  await open(crm, "accounts/new", "Firma anlegen");
  await page.getByLabel("Name (Pflichtfeld)").fill("Fast verloren");
  const dialogs: string[] = [];
  let accept = false;
  page.on("dialog", (dialog) => {
    dialogs.push(dialog.message());
    void (accept ? dialog.accept() : dialog.dismiss());
  });
  const choice = page.getByLabel(label);
  await choice.selectOption("English");
  assert.equal(await choice.inputValue(), "de");
  assert.equal(await page.getByLabel("Name (Pflichtfeld)").inputValue(), "Fast verloren");
  accept = true;
  await choice.selectOption("English");
  await screen(page, "New account");
  const question = "Seite verlassen, ohne die Änderungen zu speichern?";
  assert.deepEqual(dialogs, [question, question]);
  assert.equal(await language(crm), "en");

  const { cell } = await sell(crm, "Coffee bar");
  await open(crm, "opportunities", "Opportunities");
  await page.reload();
  await screen(page, "Opportunities");
  await settle(page);
  assert.equal(await cell("Amount").innerText(), "1,200.50 EUR");
  assert.equal(await cell("Expected close date").innerText(), "Oct 8, 2026");
  await choice.selectOption("Deutsch");
  await screen(page, "Verkaufschancen");
});

austrian("the formats have the region of the browser", async (crm) => {
  const { cell } = await sell(crm, "Kaffeehaus", { expectedCloseDate: "2026-01-08" });
  await open(crm, "opportunities", "Verkaufschancen");
  assert.equal(await cell("Erwarteter Abschluss").innerText(), "8. Jän. 2026");
});

french("a browser without English and German shows English", async (crm) => {
  await open(crm, "accounts", "Accounts");
  assert.equal(await language(crm), "en");
  assert.equal(await crm.page.getByLabel(label).inputValue(), "en");
});

german("an error without a field has a German sentence, without the message of the API", async (crm) => {
  const { page, expectErrors, send } = crm;
  await send("POST", "/v1/accounts", { name: "Doppelt", customFields: { segment: "SMB" } });
  expectErrors("POST /accounts 409");
  await open(crm, "accounts/new", "Firma anlegen");
  await page.getByLabel("Name (Pflichtfeld)").fill("Doppelt");
  await page.getByLabel("Segment (Pflichtfeld)").selectOption("SMB");
  await press(page, "Anlegen");
  const alert = page.getByRole("alert");
  await alert.getByText("Ein anderer Datensatz hat diesen Wert: Name.").waitFor();
  assert.equal(await alert.locator("[lang=en]").count(), 0);
  await checkAccessible(page);
});

const known =
  "„Café Lindqvist AB“: Ein anderer Datensatz oder eine andere Zeile hat denselben Wert im Feld Name. " +
  "Vorhandener Datensatz: Café Lindqvist AB (01945eff-a5c0-7ce2-b439-160e7d883d6c).";

/** A file, and the reasons for which its rows are rejected, by line. */
const rejections = [
  [
    "fehler.csv",
    [
      "name,email,customFields.sites,customFields.segment,customFields.customerSince,ownerId,website",
      "Café Lindqvist AB,,,SMB,,,",
      "Café Lindqvist AB,,,SMB,,Ingrid Solberg,",
      "Fehler,invalid@nowhere,viele,Riesig,31.02.2026,Niemand,x y",
      ",,,SMB,,,",
      "Zu viele,,,,,,,x",
      `${"n".repeat(300)},,,SMB,,,`,
    ],
    {
      2: [known],
      3: [known],
      4: [
        "„Niemand“: Zuständig nennt keinen vorhandenen Datensatz.",
        "„x y“: Website muss eine URL wie https://example.com sein.",
        "„invalid@nowhere“: E-Mail muss eine E-Mail-Adresse wie name@example.com sein.",
        "„Riesig“: Segment muss einer dieser Werte sein: SMB, Mid-Market, Enterprise.",
        "„viele“: Number of sites ist keine Zahl.",
        "„31.02.2026“: Customer since ist kein Datum, das es in diesem Format gibt.",
      ],
      5: ["Name ist Pflicht."],
      6: ["Die Zeile hat 8 Zellen, die Kopfzeile aber 7."],
      7: [`„${"n".repeat(40)}“: Name kann höchstens 255 Zeichen haben.`],
    },
  ],
  [
    "fehler.ndjson",
    [
      '{"name": "a", "name": "b"}',
      '{"name": kaputt}',
      '{"name": "x", "archivedAt": "2026-01-01T00:00:00Z"}',
      '{"nam": "x"}',
      '{"name": "x", "Name": "y"}',
      '{"name": "Fehler", "_text": "x"}',
    ],
    {
      1: ["Die Zeile hat den Schlüssel „name“ zweimal."],
      2: ["Die Zeile ist kein gültiges JSON-Objekt. Sehen Sie bei Zeichen 10 nach."],
      3: [
        "Archivierte Datensätze können nicht importiert werden. Entfernen Sie die Zeile, oder leeren Sie archivedAt.",
        "Segment ist Pflicht.",
      ],
      4: ["„x“: nam gibt es nicht. Meinten Sie name?", "Name ist Pflicht.", "Segment ist Pflicht."],
      5: ["Mehrere Schlüssel füllen dasselbe Feld: name, Name.", "Segment ist Pflicht."],
      6: [
        "Die ursprüngliche Zeile steht in _text. Übertragen Sie ihre Werte in die anderen Spalten, und leeren Sie _text.",
      ],
    },
  ],
] as const;

german("an import says in German why it can't read a file", async (crm) => {
  const { page, folder } = crm;
  const files = [
    ["faults.xlsx", "PK", "Das ist eine Tabellendatei."],
    ["faults.json", "[]", "geben Sie ihr die Endung .ndjson."],
    ["empty.csv", "\n", "Die Datei ist leer."],
    ["quote.csv", 'name\n"Café\n', "Die Zeile 2 hat ein Anführungszeichen, das nicht geschlossen ist."],
  ] as const;
  for (const [name, text, sentence] of files) {
    writeFileSync(`${folder}/${name}`, text);
    await open(crm, "import", "Import");
    await page.reload();
    await page.getByLabel("Datei auswählen").setInputFiles(`${folder}/${name}`);
    const alert = page.getByRole("alert").filter({ hasText: sentence });
    await alert.waitFor();
    assert.doesNotMatch(await alert.innerText(), /file|line|quote/i);
  }
});

german("an import says in German why it rejects rows", async (crm) => {
  const { page, folder } = crm;
  for (const [name, lines, expected] of rejections) {
    writeFileSync(`${folder}/${name}`, `${lines.join("\n")}\n`);
    await open(crm, "import", "Import");
    await page.reload();
    await page.getByLabel("Datei auswählen").setInputFiles(`${folder}/${name}`);
    await page.getByRole("heading", { name: "Prüfung" }).waitFor();
    const optionsOf = (label: string) => page.getByLabel(label).locator("option").allTextContents();
    assert.deepEqual((await optionsOf("Datumsangaben")).slice(0, 2), ["JJJJ-MM-TT", "TT.MM.JJJJ"]);
    assert.deepEqual((await optionsOf("Datensatz ändern bei gleichem Feld")).slice(1), ["Name", "Externe ID", "ID"]);
    await press(page, "Importieren");
    const rows = page.getByRole("table", { name: "Abgelehnte Zeilen" }).locator("tbody tr");
    await rows.first().waitFor();
    const reasons = await rows.evaluateAll((all) =>
      all.map((row) => [
        row.querySelector("th")?.textContent,
        [...row.querySelectorAll("td div")].map((each) => each.textContent),
      ]),
    );
    await checkAccessible(page);
    assert.deepEqual(Object.fromEntries(reasons), expected);
  }
});

german("an import of tasks names its fields in German, and says that a date has no time", async (crm) => {
  const { page, folder } = crm;
  writeFileSync(`${folder}/tasks.csv`, "Titel;Fällig\nAnruf;07.02.2020\n");
  await open(crm, "import", "Import");
  await page.reload();
  await page.getByLabel("Art der Daten").selectOption("task");
  await page.getByLabel("Datei auswählen").setInputFiles(`${folder}/tasks.csv`);
  await page.getByText("Fällig braucht Datum, Uhrzeit und Zeitzone").first().waitFor();
  const names = await page.locator("td select").first().locator("option").allTextContents();
  for (const name of ["Kontakt: E-Mail", "Gehört zu: Art"]) assert.ok(names.includes(name), names.join(", "));
});
