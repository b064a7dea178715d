import assert from "node:assert/strict";
import { randomBytes, randomUUID } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { setTimeout } from "node:timers/promises";
import { makeApiKey } from "../../lib/auth/api-key.ts";
import { scopes } from "../../lib/records/integration.ts";
import { type Kind, models } from "../../lib/records/kinds.ts";
import { present } from "../../lib/records/model.ts";
import type { Result } from "../harness.ts";
import { serving } from "../program.ts";
import { testTenant } from "../tenants.ts";
import { tiedTenantFile } from "./never-missed.fields.ts";
import type { Shown } from "./never-missed.ledger.ts";
import { type ServedPlace, servedPlace } from "./served-place.ts";

type Serving = Awaited<ReturnType<typeof serving>>;

export const tenant = testTenant(1);

/** Two processes or more that serve one place to one tenant, which has so many keys that no rate is in the way. */
export class Servers {
  requests = 0;
  /** How often one of them answered 503, or 429. */
  refused = 0;
  readonly #keys: readonly string[];
  readonly #place: ServedPlace;
  readonly #started: readonly Serving[];

  private constructor(place: ServedPlace, keys: readonly string[], started: readonly Serving[]) {
    this.#place = place;
    this.#keys = keys;
    this.#started = started;
  }

  get count(): number {
    return this.#started.length;
  }

  /** Starts so many, with what they need in this empty folder; they do not outlive the test. */
  static async start(t: TestContext, folder: string, integrations: number, count: number): Promise<Servers> {
    const many = Array.from({ length: integrations }, (_, index) => ({
      name: `ERP ${index}`,
      scopes: [...scopes],
      keys: [0, 1].map(() => ({ key: makeApiKey("test", randomBytes) })),
    }));
    const file = join(folder, "tenant.json");
    const base = tiedTenantFile(tenant, "2026-01-06T08:00:00.000Z");
    writeFileSync(file, JSON.stringify({ ...base, integrations: many }));
    const place = await servedPlace(folder);
    const started = [await serving(t, ...place.args, "--fixtures", file)];
    while (started.length < count) started.push(await serving(t, ...place.args));
    const keys = many.flatMap((each) => each.keys.map(({ key }) => key));
    return new Servers(place, keys, started);
  }

  /** Asks server 0, 1, …, with the keys in turn, and again, as the documentation says, where it could not answer. */
  async ask(server: number, method: string, path: string, body?: object): Promise<Result> {
    const key = this.#keys[this.requests++ % this.#keys.length] ?? "";
    const headers = {
      "x-api-key": key,
      ...(method === "POST" && { "idempotency-key": randomUUID() }),
      ...(body && { "content-type": "application/json" }),
    };
    const url = `${this.#started[server]?.greeting.baseUrl}${path}`;
    for (;;) {
      const response = await fetch(url, { method, headers, ...(body && { body: JSON.stringify(body) }) });
      const text = await response.text();
      const { status, headers: received } = response;
      const wait = received.get("retry-after");
      if (wait === null) return { status, headers: received, text, body: text === "" ? undefined : JSON.parse(text) };
      this.refused++;
      await setTimeout(Number(wait) * 1_000);
    }
  }

  /** Ends them all, as they are asked to. */
  async stop(): Promise<void> {
    for (const { child } of this.#started) child.kill("SIGTERM");
    const ended = await Promise.all(this.#started.map((each) => each.ended));
    for (const { code, stderr } of ended) assert.equal(code, 0, stderr);
  }

  /** Every record of a kind that they left, read whole. */
  async left(kind: Kind): Promise<Shown[]> {
    const storage = await this.#place.open();
    const rows = await storage.list(tenant.id, kind, { archived: true });
    await storage.close();
    return rows.map((row) => present(models[kind], row) as Shown);
  }
}
