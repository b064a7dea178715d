import type { SitePage } from "./reference-pages.ts";
import { type SidebarGroup, titleOf } from "./stage-pages.ts";

/** Returns the index for AI assistants: each page as Markdown with its first sentence. See https://llmstxt.org. */
export function llmsText(pages: readonly SitePage[], sidebar: readonly SidebarGroup[]): string {
  const sections = sidebar.map(({ text, items }) => {
    const links = items.flatMap((item) =>
      "link" in item ? [item.link] : item.items.flatMap((each) => ("link" in each ? [each.link] : [])),
    );
    const listed = links.map((link) => {
      const path = `${link.slice(1)}${link.endsWith("/") ? "index" : ""}.md`;
      const page = pages.find((each) => each.path === path);
      if (page === undefined) throw new Error(`The sidebar has an unknown page ${path}.`);
      return `- [${titleOf(page)}](/docs/${path}): ${firstSentence(page)}`;
    });
    return `## ${text}\n\n${listed.join("\n")}`;
  });
  const about = "The public HTTP/JSON API of a CRM, as a TypeScript library that you embed and a server that you run.";
  const description = "The whole API is described in [openapi.json](/docs/openapi.json) (OpenAPI 3.1).";
  return `# crm-integrations\n\n> ${about}\n\n${description}\n\n${sections.join("\n\n")}\n`;
}

/** Returns the first sentence of the first paragraph, without links. */
function firstSentence({ text }: SitePage): string {
  const paragraph = text.split(/\n{2,}/).find((part) => /^[A-Z`*[]/.test(part.trim()) && !part.startsWith("```"));
  const plain = (paragraph ?? "")
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1")
    .replaceAll(/\s+/g, " ")
    .trim();
  return /^.*?[.:](?= |$)/.exec(plain)?.[0] ?? plain;
}
