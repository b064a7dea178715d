import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { cpSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { createApi } from "../../lib/index.ts";
import { sqliteStorage } from "../../lib/storage/sqlite/index.ts";
import { send } from "../support/harness.ts";
import { Crm, filesOf, one } from "./once-crm.ts";
import { callsOf, Disk } from "./once-disk.ts";
import { assertSound, noLimit } from "./once-ending.ts";
import type { Built } from "./once-program.ts";
import { type Fault, strace } from "./once-strace.ts";
import { size } from "./size.ts";

/** What all of them together went through. */
export const counted = { "losses of power": 0, "answers checked": 0 };

/** A data folder, the disk below it, and what was answered there. */
export class Ground {
  readonly #t: TestContext;
  readonly #built: Built;
  readonly #data: string;
  readonly #disk: Disk;
  readonly #keys = new Map<string, string>();
  readonly #answers = new Map<string, string>();
  readonly #roll: () => number;
  #answersBefore: ReadonlyMap<string, string> = new Map();
  #crm: Crm | undefined;
  #log = "";
  #broke = false;

  /** What gets to the disk, and when the power goes, is chosen by `roll`. */
  constructor(t: TestContext, built: Built, made: string, roll: () => number) {
    this.#t = t;
    this.#built = built;
    this.#data = mkdtempSync(join(built.options.cwd, "data-"));
    cpSync(made, this.#data, { recursive: true });
    this.#roll = roll;
    this.#disk = new Disk(filesOf(this.#data), roll);
  }

  /** Starts the program, with a fault perhaps; it may end of that. */
  async start(fault?: Fault): Promise<void> {
    this.#broke = false;
    this.#answersBefore = new Map(this.#answers);
    this.#log = join(this.#data, "..", `${randomUUID()}.strace`);
    const files = filesOf(this.#data).slice(0, 2);
    const under = strace(this.#log, files, 70_000, fault);
    this.#crm = await Crm.start(this.#t, this.#built, this.#data, { under }).catch(() => undefined);
  }

  /** Under the one key that this title has. Answers whether it was done, as far as anyone was told. */
  async post(title: string): Promise<boolean> {
    const key = this.#keys.get(title) ?? randomUUID();
    this.#keys.set(title, key);
    const answer = await this.#crm?.post(key, title);
    if (answer === undefined) this.#broke = true;
    if (answer?.status !== 201) return false;
    assert.equal(answer.text, this.#answers.get(title) ?? answer.text);
    this.#answers.set(title, answer.text);
    return true;
  }

  /**
   * Kills it, and takes the power away: what was answered must be there then; and had the power gone at any moment
   * before, what had been answered when it was started. Answers whether the fault came to pass.
   */
  async end(): Promise<boolean> {
    await this.#crm?.kill();
    const log = readFileSync(this.#log, "utf8");
    rmSync(this.#log);
    const calls = callsOf(log);
    const moments = Array.from({ length: size(1, 5) }, () => Math.floor(this.#roll() * calls.length)).sort(
      (x, y) => x - y,
    );
    let applied = 0;
    for (const moment of moments) {
      this.#disk.apply(calls.slice(applied, moment));
      await this.#losePower(this.#answersBefore);
      applied = moment;
    }
    this.#disk.apply(calls.slice(applied));
    for (let loss = 0; loss < size(1, 3); loss++) await this.#losePower(this.#answers);
    return this.#broke || /INJECTED/.test(log);
  }

  remove(): void {
    rmSync(this.#data, { recursive: true });
  }

  async #losePower(answers: ReadonlyMap<string, string>): Promise<void> {
    counted["losses of power"]++;
    const folder = mkdtempSync(join(this.#built.options.cwd, "after-"));
    this.#disk.losePower(folder);
    const storage = sqliteStorage({ file: join(folder, "crm.db") });
    const api = createApi({ storage, rateLimiter: noLimit });
    for (const [title, text] of answers) {
      counted["answers checked"]++;
      const path = `/tasks/${JSON.parse(text).data.id}`;
      const headers = { "idempotency-key": this.#keys.get(title) ?? "" };
      const again = await send(api, "POST", "/tasks", { key: one.key, headers, body: { title } });
      const read = await send(api, "GET", path, { key: one.key });
      const seen = [again.headers.has("idempotent-replayed"), again.text, read.text];
      assert.deepEqual(seen, [true, text, text]);
    }
    await api.close();
    assertSound(folder);
    rmSync(folder, { recursive: true });
  }
}
