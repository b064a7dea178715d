import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import Database from "better-sqlite3";
import { Crm, filesOf, type Posted } from "./data-folder.ts";
import { assertSound } from "./final-state.ts";
import type { Built } from "./program-builds.ts";
import { type Fault, type Watch, watch } from "./strace.ts";

/** SQLite checkpoints the WAL once it has this many frames. */
const maxLogFrames = 4_000;
/** Frames that a POST of a task adds to a small database. The preparation adds 9 at a time. */
const postFrames = 12;

/** The state of the WAL at the POST: the frames at the start of the program, and whether it is full by then. */
export const situations = {
  "that begins a log": { frames: undefined, fills: false },
  "in the middle of a log": { frames: 100, fills: false },
  "that makes the log full": { frames: maxLogFrames - postFrames, fills: false },
  "that restarts the WAL": { frames: maxLogFrames - postFrames, fills: true },
} as const;
export type Situation = keyof typeof situations;

/** The last use of an API key is written again after a minute. */
function isUseRecorded(data: string): boolean {
  const database = new Database(join(data, "crm.db"), { readonly: true });
  const lastUsedAt = database.prepare("SELECT max(last_used_at) FROM api_keys").pluck().get();
  database.close();
  return Date.now() - Number(lastUsedAt) < 60_000;
}

/** Writes the last use of each API key without the program, and leaves no WAL. */
function recordUse(data: string): void {
  const database = new Database(join(data, "crm.db"));
  database.prepare("UPDATE api_keys SET last_used_at = ?").run(Date.now());
  database.close();
}

/** A POST in a new data folder. */
export class Trial {
  readonly #t: TestContext;
  readonly #built: Built;
  readonly #data: string;
  readonly #key = randomUUID();
  readonly situation: Situation;
  crm: Crm;

  private constructor(t: TestContext, built: Built, data: string, situation: Situation, crm: Crm) {
    this.#t = t;
    this.#built = built;
    this.#data = data;
    this.situation = situation;
    this.crm = crm;
  }

  /** Starts on a copy of the folder that was prepared for this situation. */
  static async begin(t: TestContext, built: Built, made: string, situation: Situation): Promise<Trial> {
    const data = mkdtempSync(join(built.options.cwd, "data-"));
    cpSync(made, data, { recursive: true });
    const begins = situation === "that begins a log";
    // The program writes the use of an API key after its first request. That would begin the WAL.
    if (begins) recordUse(data);
    const crm = await Crm.start(t, built, data);
    if (!begins) for (let call = 0; call < 2; call++) assert.deepEqual(await crm.tasks("Call"), []);
    // The commit worker has to start first.
    while (!isUseRecorded(data)) await pause(2);
    if (situations[situation].fills) assert.equal((await crm.post(randomUUID(), "Fill"))?.status, 201);
    return new Trial(t, built, data, situation, crm);
  }

  async watch(fault?: Fault): Promise<Watch> {
    return (await watch(this.#t, this.crm.pid, filesOf(this.#data), fault)) ?? assert.fail("strace has ended");
  }

  post(): Promise<Posted | undefined> {
    return this.crm.post(this.#key, "Call");
  }

  /** Kills the program and starts it again. */
  async again(): Promise<void> {
    await this.crm.kill();
    this.crm = await Crm.start(this.#t, this.#built, this.#data);
  }

  /** Asserts, without a fault, that each retry gets the response of the POST, and that there is one task. */
  async assertDone(before: Posted | undefined): Promise<Posted> {
    const retried = (await this.post()) ?? assert.fail("the program has ended");
    assert.equal(retried.status, 201, retried.text);
    if (before?.status === 201) assert.deepEqual([retried.text, retried.replayed], [before.text, true]);
    const replay = await this.post();
    assert.deepEqual([replay?.status, replay?.text, replay?.replayed], [201, retried.text, true]);
    assert.deepEqual(await this.crm.tasks("Call"), [JSON.parse(retried.text).data.id]);
    return retried;
  }

  async end(): Promise<void> {
    await this.crm.kill();
    assertSound(this.#data);
    rmSync(this.#data, { recursive: true });
  }
}
