import assert from "node:assert/strict";
import { copyFileSync, existsSync, mkdirSync, statSync } from "node:fs";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { createApi, systemClock } from "../../../lib/index.ts";
import { sqliteStorage } from "../../../lib/storage/sqlite/index.ts";
import { loadTenantFile } from "../../../lib/tenant-file/index.ts";
import { send, sequentialIds } from "../../support/harness.ts";
import { quiet, type Started, startCommand } from "../../support/program.ts";
import { tenantFile, testTenant } from "../../support/tenants.ts";
import { noLimit } from "./final-state.ts";
import { type Built, greetingOf } from "./program-builds.ts";

/** The tenant of the data folders. */
export const one = testTenant(1);

/** The files of a data folder that a POST writes to. */
export function filesOf(data: string): readonly string[] {
  return ["crm.db", "crm.db-wal", "crm.db-shm"].map((name) => join(data, name));
}

/** A page in the WAL: its content, after a header of 24 bytes. */
const frameBytes = 24 + 4096;

/**
 * Creates a data folder as a program leaves it: stopped, without a WAL, or killed when its WAL had at least this many
 * frames.
 */
export async function makeData(data: string, frames?: number): Promise<void> {
  const [making, log] = [join(data, "making"), join(data, "making", "crm.db-wal")];
  mkdirSync(making, { recursive: true, mode: 0o700 });
  const storage = sqliteStorage({ file: join(making, "crm.db") });
  await loadTenantFile(storage, tenantFile(one), { clock: systemClock, newId: sequentialIds() });
  const api = createApi({ storage, rateLimiter: noLimit });
  for (let change = 0; statSync(log).size < (frames ?? 0) * frameBytes; change++) {
    const body = { description: `${change}` };
    const { status, text } = await send(api, "PATCH", `/tasks/${one.task}`, { key: one.key, body });
    assert.equal(status, 200, text);
  }
  if (frames === undefined) await api.close();
  for (const name of ["crm.db", "crm.db-wal"]) {
    if (existsSync(join(making, name))) copyFileSync(join(making, name), join(data, name));
  }
  if (frames !== undefined) await api.close();
}

/** Maximum time for a response. */
const maxResponseMs = 60_000;

/** The response to a POST of a task. */
export type Posted = {
  readonly status: number;
  readonly text: string;
  readonly replayed: boolean;
  readonly retryAfter: string | null;
};

/** The command before the program, and a tenant file that it loads. */
type How = { readonly under?: readonly string[]; readonly fixtures?: string };

/** The program on a data folder. */
export class Crm {
  readonly pid: number;
  readonly #started: Started;
  readonly #url: string;

  private constructor(started: Started, pid: number, url: string) {
    this.#started = started;
    this.pid = pid;
    this.#url = url;
  }

  /** Starts the program, under a command such as strace if given. Rejects if it ends instead of serving. */
  static async start(t: FinalState, { command, options }: Built, data: string, how: How = {}): Promise<Crm> {
    const { under = [], fixtures } = how;
    const load = fixtures === undefined ? [] : ["--fixtures", fixtures];
    const serve = ["serve", "--data", data, "--listen", "127.0.0.1:0", "--json", ...quiet, ...load];
    const started = startGroup(t, [...under, ...command, ...serve], options);
    const { pid, baseUrl } = await greetingOf(started);
    return new Crm(started, pid, baseUrl);
  }

  /** Returns undefined if the connection broke. */
  async post(key: string, title: string): Promise<Posted | undefined> {
    const headers = { "x-api-key": one.key, "content-type": "application/json", "idempotency-key": key };
    const signal = AbortSignal.timeout(maxResponseMs);
    try {
      const body = JSON.stringify({ title });
      const response = await fetch(`${this.#url}/tasks`, { method: "POST", headers, body, signal });
      const [text, { status, headers: got }] = [await response.text(), response];
      return { status, text, replayed: got.has("idempotent-replayed"), retryAfter: got.get("retry-after") };
    } catch (error) {
      if (signal.aborted) throw error;
      return undefined;
    }
  }

  /** Returns the IDs of the tasks with this title. */
  async tasks(title: string): Promise<readonly string[]> {
    const response = await fetch(`${this.#url}/tasks?limit=200`, {
      headers: { "x-api-key": one.key },
      signal: AbortSignal.timeout(maxResponseMs),
    });
    const text = await response.text();
    assert.equal(response.status, 200, text);
    const { data } = JSON.parse(text) as { data: readonly { id: string; title: string }[] };
    return data.filter((task) => task.title === title).map(({ id }) => id);
  }

  /** Sends SIGKILL if the program hasn't ended. */
  async kill(): Promise<void> {
    try {
      if (isRunning(this.#started)) process.kill(this.pid, "SIGKILL");
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
    }
    await this.#started.ended;
  }
}

function isRunning({ child: { exitCode, signalCode } }: Started): boolean {
  return exitCode === null && signalCode === null;
}

type FinalState = Pick<TestContext, "after">;

/** Starts a process group that ends with the test. Killing only strace would leave its program running. */
function startGroup(t: FinalState, command: readonly string[], options: Built["options"]): Started {
  let running: Started | undefined;
  t.after(() => {
    if (running?.child.pid !== undefined && isRunning(running)) process.kill(-running.child.pid, "SIGKILL");
  });
  running = startCommand(t, command, { ...options, detached: true });
  return running;
}
