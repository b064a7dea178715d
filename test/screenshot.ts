import { existsSync } from "node:fs";
import { chromium } from "playwright-core";
import { serveDemo } from "./support/serve-demo.ts";

/** `npm run screenshot`: writes the picture of the API reference that the README shows. */

const executablePath = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find(existsSync);
if (executablePath === undefined) throw new Error("Chromium isn't installed (Debian: apt-get install chromium).");
const demo = await serveDemo();
const browser = await chromium.launch({ executablePath });
try {
  const page = await browser.newPage({ viewport: { width: 1000, height: 620 } });
  await page.goto(`${demo.baseUrl}/docs`);
  const accounts = page.locator("#operations-tag-Accounts");
  await accounts.waitFor();
  await accounts.evaluate((heading) => heading.scrollIntoView());
  await page.screenshot({ path: "docs/images/reference.png" });
} finally {
  await browser.close();
  await demo.stop();
}
