import assert from "node:assert/strict";
import { randomBytes, randomUUID } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { makeApiKey } from "../../../lib/auth/api-key.ts";
import { scopes } from "../../../lib/model/integration.ts";
import { type Kind, models } from "../../../lib/model/kinds.ts";
import { toJsonObject } from "../../../lib/model/model.ts";
import type { Result } from "../../support/harness.ts";
import { type Sent, sendHttp } from "../../support/http-request.ts";
import { quiet, type Started, startCommand } from "../../support/program.ts";
import { testTenant } from "../../support/tenants.ts";
import { builtPrograms, greetingOf } from "../exactly-once/program-builds.ts";
import { createServedStorage, type ServedStorage } from "../served-storage.ts";
import { allEvents, assertEventPerChange } from "./event-follower.ts";
import { tiedTenantFile } from "./fields.ts";
import type { Shown } from "./ledger.ts";

/** One run of a server: its process, and its URL once it accepts requests. */
type Life = { readonly started: Started; readonly baseUrl: Promise<string> };

export const tenant = testTenant(1);

/** Two or more processes on one database with one tenant, which has enough API keys to stay below the rate limits. */
export class Servers {
  requests = 0;
  /** Number of responses 503 and 429. */
  rejected = 0;
  /** Number of killed processes, and of connections that broke before the end of a response. */
  kills = 0;
  broken = 0;
  /** The API keys, two of each integration. */
  readonly keys: readonly string[];
  readonly #storage: ServedStorage;
  readonly #start: () => Life;
  readonly #lives: Life[];

  private constructor(storage: ServedStorage, keys: readonly string[], start: () => Life, lives: Life[]) {
    this.#storage = storage;
    this.keys = keys;
    this.#start = start;
    this.#lives = lives;
  }

  get count(): number {
    return this.#lives.length;
  }

  /** Starts `count` servers with these options in this empty folder. They end with the test. */
  static async start(
    t: TestContext,
    folder: string,
    integrations: number,
    count: number,
    options: readonly string[] = [],
  ): Promise<Servers> {
    const many = Array.from({ length: integrations }, (_, index) => ({
      name: `ERP ${index}`,
      scopes: [...scopes],
      keys: [0, 1].map(() => ({ key: makeApiKey("test", randomBytes) })),
    }));
    const file = join(folder, "tenant.json");
    const base = tiedTenantFile(tenant, "2026-01-06T08:00:00.000Z");
    writeFileSync(file, JSON.stringify({ ...base, integrations: many }));
    const storage = await createServedStorage(folder);
    const built = await builtPrograms(folder);
    let started = 0;
    const start = (...more: string[]): Life => {
      const program = built[started++ % 2] ?? assert.fail();
      const args = ["serve", ...storage.args, "--listen", "127.0.0.1:0", "--json", ...quiet, ...options, ...more];
      const life = startCommand(t, [...program.command, ...args], program.options);
      return { started: life, baseUrl: greetingOf(life).then(({ baseUrl }) => baseUrl) };
    };
    const lives = [start("--fixtures", file)];
    await lives[0]?.baseUrl;
    while (lives.length < count) lives.push(start());
    await Promise.all(lives.map(({ baseUrl }) => baseUrl));
    const keys = many.flatMap((each) => each.keys.map(({ key }) => key));
    return new Servers(storage, keys, start, lives);
  }

  /** Kills a server with SIGKILL and starts another one. Resolves when that one accepts requests. */
  async kill(server: number): Promise<void> {
    const { started } = this.#lives[server] ?? assert.fail();
    started.child.kill("SIGKILL");
    const { signal, stderr } = await started.ended;
    assert.deepEqual({ signal, stderr }, { signal: "SIGKILL", stderr: "" });
    this.kills++;
    this.#lives[server] = this.#start();
    await this.#lives[server].baseUrl;
  }

  /**
   * Sends a request with the API keys in turn. Retries as documented: with the same Idempotency-Key, and after a broken
   * connection with the next server.
   */
  async send(server: number, method: string, path: string, body?: object): Promise<Result> {
    return this.sendAs(this.keys[this.requests++ % this.keys.length] ?? "", server, method, path, body);
  }

  /** Does the same with one API key. */
  async sendAs(key: string, server: number, method: string, path: string, body?: object): Promise<Result> {
    const headers = {
      "x-api-key": key,
      ...(method === "POST" && { "idempotency-key": randomUUID() }),
      ...(body && { "content-type": "application/json" }),
    };
    const init = { method, headers, ...(body && { body: JSON.stringify(body) }) };
    for (let turn = server; ; ) {
      const result = await this.#sendOnce(turn, path, init);
      if (result === undefined) {
        turn = (turn + 1) % this.count;
        continue;
      }
      const wait = result.headers.get("retry-after");
      if (wait === null) return result;
      this.rejected++;
      await pause(Number(wait) * 1_000);
    }
  }

  /** Returns undefined if the connection broke. */
  async #sendOnce(server: number, path: string, init: Sent): Promise<Result | undefined> {
    const url = `${await this.#lives[server]?.baseUrl}${path}`;
    const signal = AbortSignal.timeout(60_000);
    try {
      const { status, headers, text } = await sendHttp(url, { ...init, signal });
      return { status, headers, text, body: text === "" ? undefined : JSON.parse(text) };
    } catch {
      assert.ok(!signal.aborted, "a request got no response");
      this.broken++;
      return undefined;
    }
  }

  /** Stops all servers with SIGTERM. */
  async stop(): Promise<void> {
    for (const { started } of this.#lives) started.child.kill("SIGTERM");
    const ended = await Promise.all(this.#lives.map(({ started }) => started.ended));
    for (const { code, stderr } of ended) assert.equal(code, 0, stderr);
  }

  /** Asserts that the events are the changes of the records. Returns the IDs of all events in their order. */
  async events(): Promise<readonly string[]> {
    const storage = await this.#storage.open();
    await assertEventPerChange(storage, tenant.id);
    const events = await allEvents(storage, tenant.id);
    await storage.close();
    return events.map(({ id }) => id);
  }

  /** Returns all stored records of a kind. */
  async readAll(kind: Kind): Promise<Shown[]> {
    const storage = await this.#storage.open();
    const rows = await storage.list(tenant.id, kind, { includeArchived: true });
    await storage.close();
    return rows.map((row) => toJsonObject(models[kind], row) as Shown);
  }
}
