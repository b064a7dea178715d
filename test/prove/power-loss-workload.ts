import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { type Tenant, tenantFile, testTenant } from "../support/tenants.ts";
import { Client, type Done, type Seen, type Shown } from "./power-loss-client.ts";
import { diedInCommit, dieInNextCommit, type Machine, printToken, type Server, serve } from "./power-loss-crm.ts";
import { dice, seed } from "./size.ts";

/** All that the clients know in the end. Plain data: it can be kept beside the log. */
export type Journal = {
  readonly tenants: readonly Tenant[];
  /** What every tenant had to begin with. */
  readonly begun: readonly (readonly Shown[])[];
  readonly done: readonly Done[];
  readonly seen: readonly Seen[];
};

/** What happens on the machine from one start to the next: how many programs serve, how much is written, how it ends. */
export type Course = readonly {
  readonly servers: number;
  /** By each client. */
  readonly writes: number;
  readonly end: "stopped" | "killed in a commit";
}[];

/** Four clients of two tenants work on a new data folder. */
export async function workOn(t: TestContext, machine: Machine, folder: string, course: Course): Promise<Journal> {
  const tenants = [testTenant(1), testTenant(2)] as const;
  const fixtures = fixturesFor(tenants, folder);
  const keys = tenants.flatMap(({ key, secondKey }, tenant) => [key, secondKey].map((value) => ({ tenant, value })));
  const clients = keys.map(({ tenant, value }, index) => new Client(`c${index}`, tenant, value, dice(seed + index)));
  let begun: Shown[][] = [];
  for (const { servers, writes, end } of course) {
    const running: Server[] = [];
    for (let count = 0; count < servers; count++) running.push(await serve(t, machine, fixtures));
    const urlFor = (index: number): string => (running[index % servers] as Server).greeting.baseUrl;
    const work = () => Promise.all(clients.map((client, index) => client.work(urlFor(index), writes)));
    if (begun.length === 0)
      begun = await Promise.all([0, 2].map((index) => clients[index]?.walkAll(urlFor(index)) ?? []));
    assert.ok(!(await work()).includes(false), "a program went before it was told to");
    if (end === "stopped") await printToken(t, machine, tenants[0].id, "ana@tenant.test");
    else {
      dieInNextCommit(machine);
      await work();
      assert.ok(diedInCommit(machine), "no program died in a commit");
    }
    await Promise.all(running.map((server) => server.end()));
  }
  const [done, seen] = [clients.flatMap((client) => client.done), clients.flatMap((client) => client.seen)];
  return { tenants, begun, done, seen };
}

/** The tenants' files, in this folder. */
export function fixturesFor(tenants: readonly Tenant[], folder: string): string[] {
  return tenants.map((tenant, index) => {
    const file = join(folder, `tenant-${index}.json`);
    writeFileSync(file, JSON.stringify(tenantFile(tenant)));
    return file;
  });
}
