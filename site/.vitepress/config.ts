import { readFileSync } from "node:fs";
import { defineConfig } from "vitepress";
import { navigationFile, pagesFolder, siteFolder } from "../folders.ts";
import { colorClasses, keepCodeSpans, withoutInlineCode, writeExternalFiles } from "../strict-csp.ts";

const { version, sidebar } = JSON.parse(readFileSync(navigationFile, "utf8"));

// biome-ignore lint/style/noDefaultExport: VitePress reads it.
export default defineConfig({
  lang: "en-US",
  title: "crm-integrations",
  description: "The public HTTP/JSON API of a CRM, as a TypeScript library that you embed and a server that you run.",
  base: "/docs/",
  srcDir: `../${pagesFolder}`,
  outDir: `../${siteFolder}`,
  cacheDir: "../dist/.site-cache",
  // It would need an inline style.
  appearance: { disableTransition: false },
  // Links outside of the pages are already rewritten. A dead one fails the build.
  ignoreDeadLinks: false,
  head: [
    ["link", { rel: "icon", href: "data:," }],
    ["link", { rel: "stylesheet", href: "/docs/assets/code.css" }],
  ],
  markdown: { codeTransformers: [colorClasses], config: keepCodeSpans },
  vite: { build: { chunkSizeWarningLimit: 1000 } },
  transformHtml: (html) => withoutInlineCode(html),
  buildEnd: () => writeExternalFiles(),
  themeConfig: {
    nav: [
      { text: "Start", link: "/start/first-sync" },
      { text: "Reference", link: "/reference/endpoints" },
      { text: version, link: "/changelog" },
    ],
    sidebar,
    outline: { level: [2, 3] },
    search: { provider: "local" },
    externalLinkIcon: true,
  },
});
