import { createHash } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { siteFolder } from "./folders.ts";

/**
 * Moves inline scripts and styles of the site to files, because the program serves it with a Content-Security-Policy that
 * allows neither.
 */

/** The class of each pair of colors in code: the style that it replaces. */
const colors = new Map<string, string>();
const scripts = new Map<string, string>();

type Element = { properties: Record<string, unknown> };

/** Gives tokens of code a class in place of a style. */
export const colorClasses = {
  name: "color-classes",
  span: replaceStyle,
  pre: replaceStyle,
};

function replaceStyle({ properties }: Element): void {
  const { style } = properties;
  if (typeof style !== "string") return;
  const name = `c${shortHash(style)}`;
  colors.set(name, style);
  delete properties.style;
  properties.class = [properties.class, name].filter(Boolean).join(" ");
}

type Markdown = { renderer: { rules: Record<string, ((...args: never[]) => string) | undefined> } };

/** Keeps Vue from interpreting code spans such as `{{name}}`. */
export function keepCodeSpans({ renderer }: Markdown): void {
  const render = renderer.rules.code_inline;
  renderer.rules.code_inline = (...args) => render?.(...args).replace("<code", "<code v-pre") ?? "";
}

/** Returns the page with its inline scripts in files and without style attributes, which Vue sets again. */
export function withoutInlineCode(html: string): string {
  return html
    .replaceAll(/<script([^>]*)>([^<]+)<\/script>/g, (_, attributes: string, code: string) => {
      const name = `inline-${shortHash(code)}.js`;
      scripts.set(name, code);
      return `<script${attributes} src="/docs/assets/${name}"></script>`;
    })
    .replaceAll(/(<[a-z][^<>]*?) style="[^"]*"/g, "$1");
}

/** Writes the files that the pages load instead. */
export function writeExternalFiles(): void {
  const rules = [...colors].sort().map(([name, style]) => `.${name}{${style}}`);
  mkdirSync(`${siteFolder}/assets`, { recursive: true });
  writeFileSync(`${siteFolder}/assets/code.css`, `${rules.join("\n")}\n`);
  for (const [name, code] of scripts) writeFileSync(`${siteFolder}/assets/${name}`, code);
}

function shortHash(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 8);
}
