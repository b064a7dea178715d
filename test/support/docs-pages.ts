import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { freePort } from "./free-port.ts";
import { run } from "./serve-demo.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** Pages whose every code block is executed, in order, in one bash session. */
export const executedPages = [
  "README.md",
  "docs/start/first-sync.md",
  "docs/start/erp-sync.md",
  "docs/start/import-a-messy-file.md",
  "docs/start/embed-in-express.md",
  "docs/guides/search.md",
] as const;

/** Commands that a page names and the tests run elsewhere. */
export const preparedCommands: Readonly<Record<string, string>> = {
  "npm ci && npm start": "test/docs/readme.test.ts runs the command of npm start",
  "npm ci && npm test": "runs this test",
  "npm ci && npm pack --pack-destination ..": "test/package/package.smoke.ts",
  "npm init -y\nnpm pkg set type=module\nnpm install express ../crm-integrations-1.0.0-rc.1.tgz":
    "test/package/package.smoke.ts",
  "crm-integrations serve --data crm-data": "test/cli/program-first-run.test.ts",
};

export const neededTools = ["bash", "curl", "jq", "python3"];

/** Returns the tools that the pages need and this machine doesn't have. */
export function missingTools(): string[] {
  return neededTools.filter((tool) => spawnSync(tool, ["--version"]).error !== undefined);
}

/** A code block that is executed, and the block directly after it that shows its output. */
export type Step = { readonly language: string; readonly code: string; readonly output: string | undefined };

/** A code block. `isDirect`: there is only white space between it and the block before. */
type Block = {
  readonly language: string;
  readonly code: string;
  readonly start: number;
  readonly end: number;
  readonly isDirect: boolean;
};

/** Returns the executed blocks of a page. */
export function stepsOf(page: string): Step[] {
  return pairsOf(page).map(({ step: { language, code }, output }) => ({ language, code, output: output?.code }));
}

/**
 * Returns the page with the output blocks replaced, in order.
 * @throws if an output is empty
 */
export function withOutputs(page: string, outputs: readonly string[]): string {
  let [result, end] = ["", 0];
  const shown = pairsOf(page).flatMap(({ step, output }) => (output === undefined ? [] : [{ step, output }]));
  for (const [index, { step, output }] of shown.entries()) {
    const text = outputs[index]?.trimEnd() ?? "";
    if (text === "") throw new Error(`"${step.code.trim()}" printed nothing. Remove the block after it.`);
    result += `${page.slice(end, output.start)}\`\`\`${output.language}\n${text}\n\`\`\``;
    end = output.end;
  }
  return result + page.slice(end);
}

/** Returns each executed block of a page with the block of its output, if it has one. */
function pairsOf(page: string): { readonly step: Block; readonly output: Block | undefined }[] {
  const blocks = blocksOf(page);
  return blocks.flatMap((step, index) => {
    if (isOutput(step.language)) return [];
    const next = blocks[index + 1];
    const hasOutput = next?.isDirect === true && isOutput(next.language) && !isPrepared(step.code);
    return [{ step, output: hasOutput ? next : undefined }];
  });
}

function blocksOf(page: string): Block[] {
  let end = 0;
  return [...page.matchAll(/^```(\w*)\n([\s\S]*?)^```$/gm)].map(
    ({ 0: text, 1: language = "", 2: code = "", index }) => {
      const isDirect = page.slice(end, index).trim() === "";
      end = index + text.length;
      return { language, code, start: index, end, isDirect };
    },
  );
}

function isOutput(language: string): boolean {
  return language === "text" || language === "json";
}

/** Whether a block is a command that the tests run elsewhere. */
function isPrepared(code: string): boolean {
  return Object.hasOwn(preparedCommands, code.trim());
}

/** Executes the blocks of a page against a demo server. Returns the output of each block. */
export async function runPage(steps: readonly Step[], demoUrl: string): Promise<string[]> {
  const folder = mkdtempSync(join(tmpdir(), "crm-integrations-page-"));
  const port = await freePort();
  try {
    prepareProject(folder);
    const script = steps.map((step) => `${toBash(step)}\nprintf '\\036'\n`).join("");
    const local = script
      .replaceAll("http://127.0.0.1:8080", demoUrl)
      .replaceAll("http://127.0.0.1:3000", `http://127.0.0.1:${port}`)
      .replaceAll(/\.listen\(\d+/g, `.listen(${port}`)
      .replaceAll("$PORT", String(port));
    const typed = `cd '${folder}'\ntrap 'kill $(jobs -p) 2>/dev/null || true' EXIT\n${prologue}${local}`;
    const { code, stdout, stderr } = await run("bash", ["-euo", "pipefail", "-c", typed]);
    if (code !== 0) throw new Error(`The page's commands failed (exit code ${code}).\n${stdout}\n${stderr}`);
    return stdout.split("\u001e").slice(0, -1);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** The program comes from this checkout, not from an installed package. */
const prologue = `npx() {
  if [ "$1" = crm-integrations ]; then shift; node --import tsx '${join(root, "bin/crm-integrations.ts")}' "$@"
  else command npx "$@"; fi
}
`;

/** Writes a project that resolves the package and its dependencies to this checkout. */
function prepareProject(folder: string): void {
  const { compilerOptions } = JSON.parse(readFileSync(join(root, "tsconfig.json"), "utf8"));
  const paths = Object.entries(compilerOptions.paths as Readonly<Record<string, readonly string[]>>);
  const absolute = Object.fromEntries(paths.map(([name, [file = ""]]) => [name, [join(root, file)]]));
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions: { paths: absolute } }));
  writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
  for (const name of ["node_modules", "bin"]) symlinkSync(join(root, name), join(folder, name));
  mkdirSync(join(folder, "data"));
}

function toBash({ language, code }: Step): string {
  if (language === "sh") return isPrepared(code) ? "" : code;
  const name = /^(?:\/\/|#) (\S+\.(?:ts|py))$/m.exec(code.split("\n", 1)[0] ?? "")?.[1] ?? "embed.ts";
  const file = `cat > ${name} <<'END OF FILE'\n${code}END OF FILE`;
  if (!code.includes(".listen(")) return file;
  return `${file}
node --import tsx ${name} >&2 &
for try in $(seq 200); do curl -s -o /dev/null http://127.0.0.1:$PORT && break; sleep 0.05; done`;
}

/** Returns output as a page shows it: with `…` for IDs, times and durations that differ between runs. */
export function maskOutput(output: string): string {
  const lines = `${output.trimEnd()}\n`
    .replaceAll(/\b01950000-[-0-9a-f]{27}\b/g, "…")
    .replaceAll(/\b\d{4}-\d\d-\d\dT[\d:.]+Z/g, (time) => (Date.now() - Date.parse(time) < dayMs ? "…" : time))
    .replaceAll(/\bin \d+(?:\.\d)? s$/gm, "in … s")
    .split("\n");
  return lines.map((line) => line.trimEnd()).join("\n");
}

const dayMs = 86_400_000;
