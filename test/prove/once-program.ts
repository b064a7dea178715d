import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { copyFileSync, mkdirSync, readFileSync, symlinkSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, dirname, join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { build, type Plugin } from "esbuild";
import type { Greeting, Started } from "../support/program.ts";
import type { Edit } from "./power-loss-crm.ts";

/** How the built program is run: what stands before its arguments, and what it needs around it. */
export type Built = {
  readonly command: readonly string[];
  readonly options: { readonly cwd: string; readonly env: NodeJS.ProcessEnv };
};

const project = fileURLToPath(new URL("../..", import.meta.url));

/** So that every commit is made on the thread for commits, from the first on. */
export const apart: Edit = [
  "lib/storage/sqlite/connection-pair.ts",
  "this.#workerOptions = options;",
  "this.#workerOptions = { ...options, commitWorker: true };",
];

/**
 * The program as two files in this folder, one that commits as it does and one that does so on a thread from the first
 * commit on: files start several times as fast as the sources do.
 */
export async function builtPrograms(folder: string): Promise<readonly [Built, Built]> {
  const bin = join(folder, "built", "dist", "bin");
  mkdirSync(bin, { recursive: true });
  copyFileSync(join(project, "schema.sql"), join(folder, "schema.sql"));
  copyFileSync(join(project, "lib/storage/postgres/schema.sql"), join(bin, "schema.sql"));
  copyFileSync(join(project, "package.json"), join(folder, "built", "package.json"));
  const sqlite = createRequire(import.meta.url).resolve("better-sqlite3/package.json");
  symlinkSync(dirname(dirname(sqlite)), join(folder, "node_modules"));
  await bundle("lib/storage/sqlite/commit-worker.ts", join(bin, "commit-worker.js"));
  const entry = "bin/crm-integrations.ts";
  const programs = [join(bin, "crm-integrations.mjs"), join(bin, "crm-integrations-apart.mjs")] as const;
  await Promise.all([bundle(entry, programs[0]), bundle(entry, programs[1], apart)]);
  const options = { cwd: folder, env: { ...process.env, NODE_COMPILE_CACHE: join(folder, "compiled") } };
  const built = (program: string): Built => {
    // Who is killed leaves no compiled code behind: this run does.
    execFileSync(process.execPath, [program, "help"], { ...options, stdio: "ignore" });
    return { command: [process.execPath, program], options };
  };
  return [built(programs[0]), built(programs[1])];
}

async function bundle(entry: string, outfile: string, edit?: Edit): Promise<void> {
  await build({
    entryPoints: [join(project, entry)],
    outfile,
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node24",
    external: ["better-sqlite3"],
    plugins: edit === undefined ? [] : [edited(edit)],
    // For packages that are not modules yet.
    banner: {
      js: `import { createRequire as requireOfBuilt } from "node:module"; const require = requireOfBuilt(import.meta.url);`,
    },
  });
}

function edited([name, from, to]: Edit): Plugin {
  const contents = readFileSync(join(project, name), "utf8").split(from);
  assert.equal(contents.length, 2, `${name} does not have this exactly once: ${from}`);
  const setup: Plugin["setup"] = ({ onLoad }) => {
    onLoad({ filter: new RegExp(`/${basename(name)}$`) }, ({ path }) =>
      path === join(project, name) ? { contents: contents.join(to), loader: "ts" } : undefined,
    );
  };
  return { name: "edited", setup };
}

/** The first line of what was started, which says where it serves. */
export async function greetingOf({ said }: Started): Promise<Greeting> {
  const [line = ""] = (await said(/\n/)).split("\n");
  return JSON.parse(line) as Greeting;
}

/** A moment in the life of a program: so long after it was started, or after it has given so many answers. */
export type Moment = { readonly answers?: number; readonly ms: number };

/** A program that is killed and started again, and has another address in each of its lives. */
export class Lives {
  readonly #start: () => Started;
  #address = Promise.withResolvers<Greeting>();
  #awaited: { left: number; readonly over: () => void } | undefined;
  /** How often it was killed before it had said where it serves. */
  killedEarly = 0;

  constructor(start: () => Started) {
    this.#start = start;
  }

  /** Where it serves; waits for the next life where there is none. */
  now(): Promise<Greeting> {
    return this.#address.promise;
  }

  /** To be told of every answer. */
  answered(): void {
    if (this.#awaited !== undefined && --this.#awaited.left === 0) this.#awaited.over();
  }

  /** One life, up to `kill -9` at this moment. It must say nothing on stderr, and not end by itself. */
  async live(moment: Moment): Promise<void> {
    const started = this.#start();
    const address = this.#address;
    let [greeted, over] = [false, false];
    const greeting = greetingOf(started).then((said) => {
      if (over) return;
      greeted = true;
      address.resolve(said);
    });
    if (moment.answers !== undefined)
      await Promise.race([greeting.then(() => this.#hear(moment.answers)), started.ended]);
    await Promise.race([pause(moment.ms), started.ended]);
    over = true;
    if (greeted) this.#address = Promise.withResolvers();
    else this.killedEarly++;
    started.child.kill("SIGKILL");
    const [{ signal, code, stderr }] = await Promise.all([started.ended, greeting.catch(() => {})]);
    assert.deepEqual({ signal, code, stderr }, { signal: "SIGKILL", code: null, stderr: "" });
  }

  #hear(answers = 0): Promise<void> {
    return new Promise((over) => {
      this.#awaited = { left: answers, over };
      if (answers === 0) over();
    });
  }

  /** The last life, which nobody ends but the one who asked for it. */
  async last(): Promise<Started> {
    const started = this.#start();
    this.#address.resolve(await greetingOf(started));
    return started;
  }
}

/** Servers of one place, each with lives of its own: whoever asks is sent to any of those that live just now. */
export class Fleet {
  readonly #all: readonly Lives[];
  readonly #roll: () => number;

  constructor(count: number, start: () => Started, roll: () => number) {
    this.#all = Array.from({ length: count }, () => new Lives(start));
    this.#roll = roll;
  }

  get killedEarly(): number {
    return this.#all.reduce((sum, { killedEarly }) => sum + killedEarly, 0);
  }

  now(): Promise<Greeting> {
    const first = Math.floor(this.#roll() * this.#all.length);
    return Promise.race([...this.#all.slice(first), ...this.#all.slice(0, first)].map((lives) => lives.now()));
  }

  /** To be told of every answer, whosever it was. */
  answered(): void {
    for (const lives of this.#all) lives.answered();
  }

  /** Lives up to so many kills, each server by itself. Answers what stays. */
  async live(kills: number, moment: () => Moment, signal: AbortSignal): Promise<readonly Started[]> {
    let left = kills;
    await Promise.all(
      this.#all.map(async (lives) => {
        while (left-- > 0) {
          signal.throwIfAborted();
          await lives.live(moment());
        }
      }),
    );
    signal.throwIfAborted();
    return Promise.all(this.#all.map((lives) => lives.last()));
  }
}
