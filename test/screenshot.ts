import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium, type Page } from "playwright-core";
import { serveDemo } from "./support/serve-demo.ts";

/** `npm run screenshot`: writes the pictures of the API reference and of the console's screens. */

const executablePath = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find(existsSync);
if (executablePath === undefined) throw new Error("Chromium isn't installed (Debian: apt-get install chromium).");
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

/** Visits every screen of the menu, a record, and the search. */
async function showConsole(page: Page): Promise<void> {
  await page.goto(demo.signInLink);
  const signIn = page.getByRole("button", { name: "Sign in" });
  await signIn.waitFor();
  await page.screenshot({ path: "docs/images/console-sign-in.png" });
  await signIn.click();
  await page.getByRole("link", { name: "Accounts" }).first().click();
  await page.getByRole("heading", { name: "Accounts", level: 1 }).waitFor();
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
    await page.screenshot({ path: `docs/images/console-${name}.png` });
  }
}
