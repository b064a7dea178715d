import { existsSync } from "node:fs";
import { chromium } from "playwright-core";

export const chromiumPath = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find(
  existsSync,
);

/** Runs the TypeScript client in a page of this URL. */
export async function runInBrowser(pageUrl: string, baseUrl: string, apiKey: string): Promise<void> {
  const browser = await chromium.launch({ executablePath: chromiumPath as string, args: ["--no-sandbox"] });
  try {
    const page = await browser.newPage();
    await page.goto(pageUrl);
    await page.evaluate(
      `import("/trial.js").then(({ trial }) => trial(${JSON.stringify(baseUrl)}, ${JSON.stringify(apiKey)}))`,
    );
  } finally {
    await browser.close();
  }
}
