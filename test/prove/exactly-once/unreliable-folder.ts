import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { cpSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { createApi } from "../../../lib/index.ts";
import { sqliteStorage } from "../../../lib/storage/sqlite/index.ts";
import { send } from "../../support/harness.ts";
import { size } from "../size.ts";
import { Crm, filesOf, one } from "./data-folder.ts";
import { assertSound, noLimit } from "./final-state.ts";
import type { Built } from "./program-builds.ts";
import { callsOf, Disk } from "./simulated-disk.ts";
import { type Fault, strace } from "./strace.ts";

/** Figures of all trials. */
export const counted = { "power losses": 0, "responses checked": 0 };

/** A data folder, the simulated disk below it, and the responses of the program. */
export class UnreliableFolder {
  readonly #t: TestContext;
  readonly #built: Built;
  readonly #data: string;
  readonly #disk: Disk;
  readonly #keys = new Map<string, string>();
  readonly #responses = new Map<string, string>();
  readonly #random: () => number;
  #responsesBefore: ReadonlyMap<string, string> = new Map();
  #crm: Crm | undefined;
  #log = "";
  #broke = false;

  /** `random` chooses what is durable, and when the power fails. */
  constructor(t: TestContext, built: Built, made: string, random: () => number) {
    this.#t = t;
    this.#built = built;
    this.#data = mkdtempSync(join(built.options.cwd, "data-"));
    cpSync(made, this.#data, { recursive: true });
    this.#random = random;
    this.#disk = new Disk(filesOf(this.#data), random);
  }

  /** Starts the program, with a fault if given, which may end it. */
  async start(fault?: Fault): Promise<void> {
    this.#broke = false;
    this.#responsesBefore = new Map(this.#responses);
    this.#log = join(this.#data, "..", `${randomUUID()}.strace`);
    const files = filesOf(this.#data).slice(0, 2);
    const under = strace(this.#log, files, 70_000, fault);
    this.#crm = await Crm.start(this.#t, this.#built, this.#data, { under }).catch(() => undefined);
  }

  /** Sends a POST with the key of this title. Returns whether a response has confirmed it. */
  async post(title: string): Promise<boolean> {
    const key = this.#keys.get(title) ?? randomUUID();
    this.#keys.set(title, key);
    const response = await this.#crm?.post(key, title);
    if (response === undefined) this.#broke = true;
    if (response?.status !== 201) return false;
    assert.equal(response.text, this.#responses.get(title) ?? response.text);
    this.#responses.set(title, response.text);
    return true;
  }

  /**
   * Kills the program and simulates a power loss: confirmed writes must be there, and after a power loss at an earlier
   * killTime those that were confirmed at the start. Returns whether the fault occurred.
   */
  async end(): Promise<boolean> {
    await this.#crm?.kill();
    const log = readFileSync(this.#log, "utf8");
    rmSync(this.#log);
    const calls = callsOf(log);
    const moments = Array.from({ length: size(1, 5) }, () => Math.floor(this.#random() * calls.length)).sort(
      (x, y) => x - y,
    );
    let applied = 0;
    for (const killTime of moments) {
      this.#disk.apply(calls.slice(applied, killTime));
      await this.#losePower(this.#responsesBefore);
      applied = killTime;
    }
    this.#disk.apply(calls.slice(applied));
    for (let loss = 0; loss < size(1, 3); loss++) await this.#losePower(this.#responses);
    return this.#broke || /INJECTED/.test(log);
  }

  remove(): void {
    rmSync(this.#data, { recursive: true });
  }

  async #losePower(responses: ReadonlyMap<string, string>): Promise<void> {
    counted["power losses"]++;
    const folder = mkdtempSync(join(this.#built.options.cwd, "after-"));
    this.#disk.losePower(folder);
    const storage = sqliteStorage({ file: join(folder, "crm.db") });
    const api = createApi({ storage, rateLimiter: noLimit });
    for (const [title, text] of responses) {
      counted["responses checked"]++;
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
