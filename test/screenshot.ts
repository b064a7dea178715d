import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium, type Page } from "playwright-core";
import { serveDemo } from "./support/serve-demo.ts";

/** `npm run screenshot`: writes the pictures of the API reference and of the console's screens. */

/** A file to import, with a segment that doesn't exist and an email address that is wrong. */
const csv = `Company,E-mail,Town,Segment,Customer since,Sites
Harbour Roasters Ltd,hello@harbour.example,Bristol,SMB,2019-04-01,3
Kaffeerösterei Nord GmbH,info@kaffee-nord.example,Kiel,Mid-Market,2021-11-15,12
Bar Centrale S.r.l.,bar(at)centrale.example,Torino,SMB,2023-02-28,1
Atelier du Grain SARL,contact@grain.example,Lyon,Boutique,2020-06-30,2
`;

/** The steps after which a screen has something to show. */
const steps: Readonly<Record<string, (page: Page) => Promise<unknown>>> = {
  async import(page) {
    const file = { name: "accounts.csv", mimeType: "text/csv", buffer: Buffer.from(csv) };
    await page.getByLabel("Choose a file").setInputFiles(file);
    await page.getByText("Result of an import").waitFor();
    await page.getByRole("heading", { name: "Columns" }).evaluate((heading) => heading.scrollIntoView());
  },
  requests: (page) => page.locator("summary").filter({ hasText: "422" }).click(),
};

const executablePath = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find(existsSync);
if (executablePath === undefined) throw new Error("Chromium isn't installed (Debian: apt-get install chromium).");
if (execFileSync("fc-list", [":lang=ja"], { encoding: "utf8" }) === "")
  throw new Error("No font has the Japanese names of the demo tenant (Debian: apt-get install fonts-vlgothic).");
const folder = mkdtempSync(join(tmpdir(), "crm-screenshot-"));
const demo = await serveDemo(join(folder, "data"));
const browser = await chromium.launch({ executablePath });
try {
  await showReference(await browser.newPage({ viewport: { width: 1000, height: 620 } }));
  await showConsole(await browser.newPage({ viewport: { width: 1440, height: 900 } }));
} finally {
  await browser.close();
  await demo.stop();
  rmSync(folder, { recursive: true });
}

async function showReference(page: Page): Promise<void> {
  await page.goto(`${demo.baseUrl}/docs`);
  const accounts = page.locator("#operations-tag-Accounts");
  await accounts.waitFor();
  await accounts.evaluate((heading) => heading.scrollIntoView());
  await page.screenshot({ path: "docs/images/reference.png" });
}

/** Lets integrations send requests, of which three fail, and creates webhooks. */
async function useDemo(page: Page): Promise<void> {
  const send = async (integration: string, path: string, body: object): Promise<void> => {
    const { key } = demo.keys.find((each) => each.integration === integration) ?? {};
    const headers = { "x-api-key": key ?? "", "content-type": "application/json" };
    await fetch(`${demo.baseUrl}/${path}`, { method: "POST", headers, body: JSON.stringify(body) });
  };
  await send("ERP sync", "contacts", { name: "Nora Lund", email: "nora.lund@example.com" });
  await send("ERP sync", "contacts", { name: "Nora Lund", email: "nora.lund" });
  await send("Wallboard", "tasks", { title: "Call Nora Lund" });
  await send("ERP sync", "accounts", { name: "Harbour Roasters Ltd", customFields: { segment: "Boutique" } });
  const webhooks = [
    { url: "https://shop.example/webhooks/crm", types: ["account.*", "contact.*"] },
    { url: "https://erp.example/crm-events", types: ["opportunity.won"], active: false },
  ];
  await page.evaluate(`Promise.all(${JSON.stringify(webhooks)}.map((webhook) => fetch("api/admin/webhooks", {
    method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(webhook),
  })))`);
}

/** Visits every screen of the menu, a record, and the search. */
async function showConsole(page: Page): Promise<void> {
  await page.goto(demo.signInLink);
  const signIn = page.getByRole("button", { name: "Sign in" });
  await signIn.waitFor();
  await page.screenshot({ path: "docs/images/console-sign-in.png" });
  await signIn.click();
  await page.getByRole("link", { name: "Accounts" }).first().click();
  await page.getByRole("heading", { name: "Accounts", level: 1 }).waitFor();
  await useDemo(page);
  const links = '[...document.querySelectorAll("nav a")].map((link) => link.getAttribute("href"))';
  const record = await page.getByRole("link", { name: "Café Lindqvist AB" }).getAttribute("href");
  const screens = Object.fromEntries(
    (await page.evaluate<string[]>(links)).map((link) => [link.slice("#/".length), link]),
  );
  for (const [name, link] of Object.entries({
    ...screens,
    account: record,
    board: "#/board",
    search: "#/search?q=lindqvist",
  })) {
    await page.goto("about:blank");
    await page.goto(`${demo.url}/console/${link}`, { waitUntil: "networkidle" });
    await steps[name]?.(page);
    await page.screenshot({ path: `docs/images/console-${name}.png` });
  }
}
