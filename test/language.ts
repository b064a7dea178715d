import { globSync, readFileSync } from "node:fs";
import { styleText } from "node:util";

/** Words and phrases that the project's texts don't use, because a plain term exists. */
const words = [
  ..."administrator anew answer answered answers answering anybody asked beside blank catalogue catalogues door doors heed kept".split(
    " ",
  ),
  ..."meanwhile mend nobody refusal refusals refuse refuses refused room rooms said seam seams somebody stand stands standing".split(
    " ",
  ),
  ..."stood strange stranger strangers told underway waist walk walks walked whoever whom".split(" "),
];
const phrases = [
  ..."as it is|by itself|go on|goes on|had better|in vain|is over|letter by letter|of ours|the like|to the letter".split(
    "|",
  ),
  "where nothing is said",
  // Names of helpers that send requests.
  ..."async ask|const ask|function ask".split("|"),
];
const pattern = new RegExp(`\\b(?:${[...phrases, ...words].join("|").replaceAll(" ", "\\s+")})\\b`, "gi");
const openings = /(?:^|[.:!]\s+|\/\*\*\s*|\/\/\s*|["`]\s*)(?:Who|Whose|Whoever|What)\b(?![^.!]*\?)/g;

/** Texts with one of these words that are right, and why. */
const exceptions: readonly (readonly [text: RegExp, reason: string])[] = [
  [/blank lines?/gi, "the term of text formats"],
  [/target=" blank"|about:blank/g, "terms of HTML and of browsers"],
  [/"nobody"/g, "a user of Unix"],
  [/function ask<T>/g, "asks the user for a passkey"],
  [
    /\bno answer\b|Budget postponed, No answe|yard door|Who looks after the account|What the driver has to know/gi,
    "data of the demo tenant",
  ],
];

/** Files that contain the words: this list and its test, and tables with the titles of earlier tests. */
const excluded = ["test/language.ts", "test/unit/language.test.ts"];

const files = [
  "{lib,bin,console,build}/**/*.{ts,tsx}",
  "{test,bench,examples,site}/**/*.{ts,tsx,mjs,js,py,c,lua}",
  "docs/**/*.md",
  "docs/openapi.json",
  ".ci/run",
  "*.{md,ts,jsonc,sql}",
];

/** Returns the banned words in the given files, as `file:line: word: text of the line`. */
export function findBannedWords(globs: readonly string[] = files): string[] {
  return globSync([...globs], { exclude: excluded }).flatMap((file) =>
    readFileSync(file, "utf8")
      .split("\n")
      .flatMap((line, index) => {
        const text = exceptions.reduce((rest, [allowed]) => rest.replace(allowed, ""), splitIdentifiers(line));
        const found = [...(text.match(pattern) ?? []), ...(text.match(openings) ?? [])];
        return found.map(
          (word) => `${file}:${index + 1}: ${styleText("bold", word.trim())}: ${line.trim().slice(0, 120)}`,
        );
      }),
  );
}

function splitIdentifiers(line: string): string {
  return line.replace(/([a-z])([A-Z])/g, "$1 $2").replace(/_/g, " ");
}

if (import.meta.main) {
  const globs = process.argv.slice(2).map((path) => (/\.\w+$/.test(path) ? path : `${path}/**/*.{ts,md,json}`));
  const found = findBannedWords(globs.length > 0 ? globs : files);
  process.stdout.write(`${found.join("\n")}\n${found.length} banned words\n`);
  process.exitCode = found.length > 0 ? 1 : 0;
}
