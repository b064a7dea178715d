import { spawnSync } from "node:child_process";
import { copyFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after } from "node:test";
import { type Greeting, type Started, startCommand } from "../support/program.ts";

/** Runs functions when the tests that use a program have ended. */
type Cleanup = { after(cleanUp: () => void): void };

/** The binary of this machine in an empty folder, which is removed after the tests of a file. */
export class Binary {
  readonly folder = mkdtempSync(join(tmpdir(), "crm-binary-"));
  readonly path = join(this.folder, "crm");

  constructor() {
    copyFileSync(`dist/crm-integrations-${process.platform}-${process.arch}`, this.path);
    after(() => rmSync(this.folder, { recursive: true, force: true }));
  }

  /** A path in its folder. */
  at(...names: readonly string[]): string {
    return join(this.folder, ...names);
  }

  /** Runs a command to its end, with nothing in its environment but this. */
  run(args: readonly string[], env: NodeJS.ProcessEnv = {}, who: { uid?: number; gid?: number } = {}) {
    const { status, stdout, stderr } = spawnSync(this.path, args, {
      cwd: this.folder,
      env,
      ...who,
      encoding: "utf8",
      timeout: 120_000,
    });
    return { code: status, stdout, stderr };
  }

  start(t: Cleanup, args: readonly string[], env: NodeJS.ProcessEnv = {}): Started {
    return startCommand(t, [this.path, ...args], { cwd: this.folder, env });
  }

  /** Starts a server on a free port. Returns after it prints its URL. */
  async serve(t: Cleanup, args: readonly string[], env: NodeJS.ProcessEnv = {}) {
    const started = this.start(t, ["serve", "--listen", "127.0.0.1:0", "--json", ...args], env);
    const [line = ""] = (await started.waitForOutput(/\n/)).split("\n", 1);
    const greeting: Greeting = JSON.parse(line);
    const stop = async (signal: NodeJS.Signals = "SIGTERM") => {
      started.child.kill(signal);
      return started.ended;
    };
    return { ...started, greeting, stop };
  }
}
