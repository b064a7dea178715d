import { createHash } from "node:crypto";
import { appendFileSync, existsSync, globSync, readFileSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A fault that was seen, or a test that passes without one. */
type Line = { readonly fault: string; readonly seen: string } | { readonly passes: string };

/** The results of earlier runs with the same files, stored in a temporary file. */
export class MutantResults {
  readonly #file: string;
  readonly #seen = new Map<string, string>();
  readonly #passing = new Set<string>();

  private constructor(file: string) {
    this.#file = file;
    const text = existsSync(file) ? readFileSync(file, "utf8") : "";
    for (const line of text.split("\n").filter((each) => each !== "")) this.#note(JSON.parse(line) as Line);
  }

  /** @param paths files and folders; a change in any of them discards the results */
  static of(paths: readonly string[]): MutantResults {
    const hash = createHash("sha256");
    const files = paths.flatMap((path) => (statSync(path).isFile() ? [path] : globSync(`${path}/**/*`)));
    for (const file of files.filter((each) => statSync(each).isFile()).sort()) {
      hash.update(`${file}\n`).update(readFileSync(file));
    }
    return new MutantResults(join(tmpdir(), `crm-mutants-${hash.digest("hex").slice(0, 16)}.jsonl`));
  }

  seen(fault: string): string | undefined {
    return this.#seen.get(fault);
  }

  passes(test: string): boolean {
    return this.#passing.has(test);
  }

  add(line: Line): void {
    this.#note(line);
    appendFileSync(this.#file, `${JSON.stringify(line)}\n`);
  }

  forget(fault: string): void {
    this.#seen.delete(fault);
  }

  #note(line: Line): void {
    if ("fault" in line) this.#seen.set(line.fault, line.seen);
    else this.#passing.add(line.passes);
  }
}
