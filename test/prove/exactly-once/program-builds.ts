import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { copyFileSync, mkdirSync, readFileSync, symlinkSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, dirname, join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { build, type Plugin } from "esbuild";
import type { Greeting, Started } from "../../support/program.ts";
import type { Edit } from "../power-loss/machine.ts";

/** The command of the built program: the words before its arguments, and its environment. */
export type Built = {
  readonly command: readonly string[];
  readonly options: { readonly cwd: string; readonly env: NodeJS.ProcessEnv };
};

const project = fileURLToPath(new URL("../../..", import.meta.url));

/** Makes every commit run on the commit worker, from the first on. */
export const commitWorkerEdit: Edit = [
  "lib/storage/sqlite/connection-pair.ts",
  "this.#workerOptions = options;",
  "this.#workerOptions = { ...options, commitWorker: true };",
];

/**
 * Builds the program twice into this folder: unchanged, and with all commits on the commit worker. A build starts
 * several times as fast as the sources.
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
  await Promise.all([bundle(entry, programs[0]), bundle(entry, programs[1], commitWorkerEdit)]);
  const options = { cwd: folder, env: { ...process.env, NODE_COMPILE_CACHE: join(folder, "compiled") } };
  const built = (program: string): Built => {
    // A killed process writes no compiled code. This run writes it.
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
    // For packages that are not modules.
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

/** Returns the first line of a server, which has its address. */
export async function greetingOf(started: Started): Promise<Greeting> {
  const [line = ""] = (await started.waitForOutput(/\n/)).split("\n");
  return JSON.parse(line) as Greeting;
}

/** A time to kill a server: some milliseconds after its start, or after a number of responses. */
export type KillTime = { readonly responses?: number; readonly ms: number };

/** A server that is killed and restarted, with another address each time. */
export class RestartedServer {
  readonly #start: () => Started;
  #address = Promise.withResolvers<Greeting>();
  #awaited: { left: number; readonly resolve: () => void } | undefined;
  /** Number of kills before the server was ready. */
  killedEarly = 0;

  constructor(start: () => Started) {
    this.#start = start;
  }

  /** Returns the address, once the server runs. */
  now(): Promise<Greeting> {
    return this.#address.promise;
  }

  /** Must be called for every response. */
  onResponse(): void {
    if (this.#awaited !== undefined && --this.#awaited.left === 0) this.#awaited.resolve();
  }

  /** Runs the server until it is killed. It must print nothing on stderr, and not end before. */
  async live(killTime: KillTime): Promise<void> {
    const started = this.#start();
    const address = this.#address;
    let [isReady, isFinished] = [false, false];
    const greeting = greetingOf(started).then((found) => {
      if (isFinished) return;
      isReady = true;
      address.resolve(found);
    });
    if (killTime.responses !== undefined)
      await Promise.race([greeting.then(() => this.#hear(killTime.responses)), started.ended]);
    await Promise.race([pause(killTime.ms), started.ended]);
    isFinished = true;
    if (isReady) this.#address = Promise.withResolvers();
    else this.killedEarly++;
    started.child.kill("SIGKILL");
    const [{ signal, code, stderr }] = await Promise.all([started.ended, greeting.catch(() => {})]);
    assert.deepEqual({ signal, code, stderr }, { signal: "SIGKILL", code: null, stderr: "" });
  }

  #hear(responses = 0): Promise<void> {
    return new Promise((resolve) => {
      this.#awaited = { left: responses, resolve };
      if (responses === 0) resolve();
    });
  }

  /** Starts the server for the last time. The caller ends it. */
  async last(): Promise<Started> {
    const started = this.#start();
    this.#address.resolve(await greetingOf(started));
    return started;
  }
}

/** Servers on one database, each killed on its own. Requests go to any server that runs. */
export class ServerGroup {
  readonly #all: readonly RestartedServer[];
  readonly #random: () => number;

  constructor(count: number, start: () => Started, random: () => number) {
    this.#all = Array.from({ length: count }, () => new RestartedServer(start));
    this.#random = random;
  }

  get killedEarly(): number {
    return this.#all.reduce((sum, { killedEarly }) => sum + killedEarly, 0);
  }

  now(): Promise<Greeting> {
    const first = Math.floor(this.#random() * this.#all.length);
    return Promise.race([...this.#all.slice(first), ...this.#all.slice(0, first)].map((servers) => servers.now()));
  }

  /** Must be called for every response of any server. */
  onResponse(): void {
    for (const servers of this.#all) servers.onResponse();
  }

  /** Runs the servers until this number of kills. Returns the last ones. */
  async live(kills: number, killTime: () => KillTime, signal: AbortSignal): Promise<readonly Started[]> {
    let left = kills;
    await Promise.all(
      this.#all.map(async (servers) => {
        while (left-- > 0) {
          signal.throwIfAborted();
          await servers.live(killTime());
        }
      }),
    );
    signal.throwIfAborted();
    return Promise.all(this.#all.map((servers) => servers.last()));
  }
}
