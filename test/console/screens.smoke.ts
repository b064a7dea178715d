import { checkAccessible, checkWidth, openConsole, settle } from "./browser.ts";

const consoleTest = openConsole();

/** Screens that no link leads to. */
const unlinked = ["#/search?q=lindqvist", "#/search?q=none", "#/no-such-page"];

consoleTest("every screen is accessible in both color schemes and fits into 320 pixels", async ({ t, page, url }) => {
  await settle(page);
  const queue = [...(await linksOf(page, "nav")), ...unlinked];
  const seen = new Set<string>();
  for (const link of queue) {
    const screen = screenOf(link);
    if (seen.has(screen)) continue;
    seen.add(screen);
    await t.test(screen, async () => {
      // A change of the fragment alone would leave the former screen there for a moment.
      await page.goto("about:blank");
      await page.goto(`${url}/console/${link}`, { waitUntil: "networkidle" });
      await settle(page);
      for (const colorScheme of ["light", "dark"] as const) {
        await page.emulateMedia({ colorScheme });
        await checkAccessible(page, `${link} ${colorScheme}`);
      }
      await checkWidth(page, link);
      queue.push(...(await linksOf(page, "main")));
    });
  }
});

function linksOf(page: Parameters<typeof settle>[0], where: string): Promise<string[]> {
  const links = `[...document.querySelectorAll('${where} a[href^="#/"]')].map((link) => link.getAttribute("href"))`;
  return page.evaluate<string[]>(links);
}

/** Returns the path without IDs and query, since records of a kind have the same screen. */
function screenOf(link: string): string {
  return link.replace(/\?(?!q=).*/, "").replaceAll(/[\da-f]{8}-[\da-f-]{27}/g, "ID");
}
