import { existsSync, globSync, readFileSync } from "node:fs";
import { dirname, join, normalize, relative } from "node:path/posix";
import { type ApiDescription, referencePages, type SitePage } from "./reference-pages.ts";

/** A group of the sidebar. */
export type SidebarGroup = {
  readonly text: string;
  readonly collapsed: boolean;
  readonly items: readonly (SidebarGroup | { readonly text: string; readonly link: string })[];
};

/** Everything that VitePress needs. */
export type StagedSite = {
  readonly pages: readonly SitePage[];
  /** Files that the pages link to: the source and the path below the site. */
  readonly files: ReadonlyMap<string, string>;
  readonly sidebar: readonly SidebarGroup[];
};

/** The folders of docs/ in the order of the sidebar, with their titles. */
const folders: readonly (readonly [folder: string, title: string])[] = [
  ["start", "Start"],
  ["concepts", "Concepts"],
  ["guides", "Guides"],
  ["recipes", "Recipes"],
  ["reference", "Reference"],
  ["operate", "Operate"],
  ["project", "Project"],
];

/** Pages outside of docs/, and their paths in the site. */
const otherPages: Readonly<Record<string, string>> = {
  "CHANGELOG.md": "changelog.md",
  "CONTRIBUTING.md": "project/contributing.md",
};

const descriptionFile = "docs/openapi.json";

/** Returns the pages of the site, from the Markdown of the repository and the API description. */
export function stageSite(): StagedSite {
  const sources = [...globSync("docs/**/*.md").sort(), ...Object.keys(otherPages)];
  const files = new Map([[descriptionFile, "public/openapi.json"]]);
  const written = sources.map((source) => {
    const text = rewriteLinks(source, readFileSync(source, "utf8"), files);
    return { path: sitePath(source), text: withLanguageTabs(text.replaceAll(/<!--[\s\S]*?-->/g, "")) };
  });
  const description = JSON.parse(readFileSync(descriptionFile, "utf8")) as ApiDescription;
  const operations = referencePages(description);
  return { pages: [...written, ...operations], files, sidebar: sidebarOf(written, operations) };
}

/** Returns the title of a page: its first heading. */
export function titleOf({ path, text }: SitePage): string {
  return /^# (.*)$/m.exec(text)?.[1]?.replaceAll("`", "") ?? path;
}

function sitePath(source: string): string {
  return otherPages[source] ?? source.replace(/^docs\//, "").replace(/(^|\/)README\.md$/, "$1index.md");
}

/** Returns the page with links that lead to pages and files of the site. A link to another file becomes its text. */
function rewriteLinks(source: string, text: string, files: Map<string, string>): string {
  const from = dirname(sitePath(source));
  return outsideCode(text, (prose) =>
    prose.replaceAll(
      /(!?)\[([^\]]*)\]\((?!https?:|mailto:|#)([^)\s]+)\)/g,
      (link, image: string, label: string, to: string) => {
        const [path = "", fragment] = to.split("#");
        const target = normalize(join(dirname(source), path));
        if (target.endsWith(".md") && (target.startsWith("docs/") || Object.hasOwn(otherPages, target))) {
          const page = relative(from, sitePath(target));
          return `[${label}](${page.startsWith(".") ? page : `./${page}`}${fragment === undefined ? "" : `#${fragment}`})`;
        }
        if (!target.startsWith("docs/") || !existsSync(target)) return label;
        const name = target.replace(/^docs\//, "");
        if (image === "!") {
          files.set(target, name);
          return link;
        }
        files.set(target, `public/${name}`);
        return `[${label}](/${name})`;
      },
    ),
  );
}

/** Applies a function to everything but code blocks and code spans. */
function outsideCode(text: string, change: (prose: string) => string): string {
  const parts = text.split(/(^```[\s\S]*?^```$|`[^`\n]+`)/m);
  return parts.map((part, index) => (index % 2 === 1 ? part : change(part))).join("");
}

const languages = ["curl", "TypeScript", "Python"];

/** Turns sections that follow each other and are named after languages into tabs. */
export function withLanguageTabs(text: string): string {
  const sections = splitSections(text);
  const result: string[] = [];
  for (let index = 0, group = 0; index < sections.length; ) {
    const tabs = languageRun(sections, index);
    if (tabs.length > 1) result.push(tabsMarkdown(tabs, group++));
    else result.push(sections[index]?.text ?? "");
    index += Math.max(tabs.length, 1);
  }
  return result.join("");
}

type Section = { readonly level: number; readonly title: string; readonly text: string };

/** Splits a page before each heading outside of code blocks. */
function splitSections(text: string): readonly Section[] {
  const parts: string[] = [""];
  let isCode = false;
  for (const line of text.split(/(?<=\n)/)) {
    if (line.startsWith("```")) isCode = !isCode;
    if (!isCode && /^#+ /.test(line)) parts.push("");
    parts[parts.length - 1] += line;
  }
  return parts.map((part) => {
    const [, marks = "", title = ""] = /^(#+) (.*)\n/.exec(part) ?? [];
    return { level: marks.length, title, text: part };
  });
}

function languageRun(sections: readonly Section[], start: number): readonly Section[] {
  const level = sections[start]?.level;
  const isOther = ({ title, level: each }: Section): boolean => !languages.includes(title) || each !== level;
  const rest = sections.slice(start);
  const end = rest.findIndex(isOther);
  return end === -1 ? rest : rest.slice(0, end);
}

/** Returns the markup of code groups, whose script of VitePress shows the block of the chosen tab. */
function tabsMarkdown(sections: readonly Section[], group: number): string {
  const tabs = sections.map(({ title }, index) => {
    const id = `language-${group}-${index}`;
    const input = `<input type="radio" name="language-${group}" id="${id}"${index === 0 ? " checked" : ""}>`;
    return `${input}<label data-title="${title}" for="${id}">${title}</label>`;
  });
  const blocks = sections.map(({ text }, index) => {
    const body = text.slice(text.indexOf("\n") + 1).trim();
    return `<div class="tab-section${index === 0 ? " active" : ""}">\n\n${body}\n\n</div>`;
  });
  return `<div class="vp-code-group section-tabs"><div class="tabs">${tabs.join("")}</div><div class="blocks">
${blocks.join("\n")}
</div></div>\n\n`;
}

/** Returns one group per folder. The pages have the order of the links in docs/README.md. */
function sidebarOf(pages: readonly SitePage[], operations: readonly SitePage[]): readonly SidebarGroup[] {
  const index = pages.find(({ path }) => path === "index.md")?.text ?? "";
  const position = ({ path }: SitePage): number => {
    const found = index.indexOf(`](./${path}`);
    return found === -1 ? Number.POSITIVE_INFINITY : found;
  };
  const toItem = (page: SitePage) => ({ text: titleOf(page), link: `/${page.path.replace(/(?:index)?\.md$/, "")}` });
  return folders.map(([folder, text], at) => {
    const own = pages.filter(({ path }) => path.startsWith(`${folder}/`)).sort((a, b) => position(a) - position(b));
    const items: SidebarGroup["items"] = own.map(toItem);
    const more = { text: "Operations", collapsed: true, items: operations.map(toItem) };
    return { text, collapsed: at > 1, items: folder === "reference" ? [more, ...items] : items };
  });
}
