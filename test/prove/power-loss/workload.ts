import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { type Tenant, tenantFile, testTenant } from "../../support/tenants.ts";
import { seed, seededRandom } from "../size.ts";
import { Client, type CompletedWrite, type Observation, type RecordJson } from "./client.ts";
import { diedInCommit, dieInNextCommit, type Machine, printToken, type Server, serve } from "./machine.ts";

/** The completed writes and the observations of all clients. Plain JSON: it can be saved with the event log. */
export type Journal = {
  readonly tenants: readonly Tenant[];
  /** The records of each tenant before the first write. */
  readonly initialRecords: readonly (readonly RecordJson[])[];
  readonly completed: readonly CompletedWrite[];
  readonly observations: readonly Observation[];
};

/** The phases of a run, from one start to the next. */
export type Workload = readonly {
  readonly servers: number;
  /** The number of writes of each client. */
  readonly writes: number;
  readonly end: "stopped" | "killed in a commit";
}[];

/** Runs four clients of two tenants on a new data folder. */
export async function runWorkload(
  t: TestContext,
  machine: Machine,
  folder: string,
  workload: Workload,
): Promise<Journal> {
  const tenants = [testTenant(1), testTenant(2)] as const;
  const fixtures = writeTenantFiles(tenants, folder);
  const keys = tenants.flatMap(({ key, secondKey }, tenant) => [key, secondKey].map((value) => ({ tenant, value })));
  const clients = keys.map(
    ({ tenant, value }, index) => new Client(`c${index}`, tenant, value, seededRandom(seed + index)),
  );
  let initialRecords: RecordJson[][] = [];
  for (const { servers, writes, end } of workload) {
    const running: Server[] = [];
    for (let count = 0; count < servers; count++) running.push(await serve(t, machine, fixtures));
    const urlFor = (index: number): string => (running[index % servers] as Server).greeting.baseUrl;
    const work = () => Promise.all(clients.map((client, index) => client.work(urlFor(index), writes)));
    if (initialRecords.length === 0)
      initialRecords = await Promise.all([0, 2].map((index) => clients[index]?.readAll(urlFor(index)) ?? []));
    assert.ok(!(await work()).includes(false), "a program ended early");
    if (end === "stopped") await printToken(t, machine, tenants[0].id, "ana@tenant.test");
    else {
      dieInNextCommit(machine);
      await work();
      assert.ok(diedInCommit(machine), "no program died in a commit");
    }
    await Promise.all(running.map((server) => server.end()));
  }
  const completed = clients.flatMap((client) => client.completed);
  const observations = clients.flatMap((client) => client.observations);
  return { tenants, initialRecords, completed, observations };
}

/** Writes the tenant files into this folder and returns their paths. */
export function writeTenantFiles(tenants: readonly Tenant[], folder: string): string[] {
  return tenants.map((tenant, index) => {
    const file = join(folder, `tenant-${index}.json`);
    writeFileSync(file, JSON.stringify(tenantFile(tenant)));
    return file;
  });
}
