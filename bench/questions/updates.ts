import { rmSync } from "node:fs";
import { sqliteStorage } from "../../lib/storage/sqlite/index.ts";
import type { Write } from "../../lib/storage/storage.ts";
import type { Question } from "../bench.ts";
import { type Crm, makeCrm } from "../database.ts";
import { median } from "../load.ts";

/** Updates per round, and number of rounds. The first third of the rounds warms up. */
const [updatesPerRound, rounds] = [200, 15];

/** Compares the processor time of an account update in a tenant with many tasks and in one with few. */
export const updates: Question = async ({ isQuick }) => {
  const sizes = [100, isQuick ? 10_000 : 100_000] as const;
  const sides: { crm: Crm; updater: Updater }[] = [];
  try {
    for (const tasks of sizes) {
      const crm = await makeCrm({ tenants: 1, tasks });
      sides.push({ crm, updater: updaterOf(crm) });
    }
    const costs: number[][] = [];
    for (let round = 0; round < rounds; round++) {
      const each: number[] = [];
      for (const { updater } of sides) each.push(await updater.run());
      costs.push(each);
    }
    const counted = costs.slice(rounds / 3);
    const ratios = counted.map(([few = Number.NaN, many = Number.NaN]) => many / few);
    const [few, many] = sizes.map((_, side) => median(counted.map((each) => each[side] ?? Number.NaN)).toFixed(0));
    const [fewTasks, manyTasks] = sizes.map((tasks) => tasks.toLocaleString("en"));
    return [
      {
        question: "Updates",
        name: `Account update: time with ${manyTasks} tasks ÷ time with ${fewTasks} tasks`,
        goal: { atMost: 1.2 },
        reached: median(ratios),
        spread: [Math.min(...ratios), Math.max(...ratios)],
        unit: "×",
        note: `${many} and ${few} µs of processor time per update, fsync included`,
      },
    ];
  } finally {
    for (const { crm, updater } of sides) {
      await updater.close();
      rmSync(crm.folder, { recursive: true });
    }
  }
};

type Updater = { readonly run: () => Promise<number>; readonly close: () => Promise<void> };

/** Updates accounts one by one. `run` returns microseconds of processor time per update. */
function updaterOf(crm: Crm): Updater {
  const storage = sqliteStorage({ file: crm.file, commitWorker: false });
  const [tenant] = crm.tenants as readonly [Crm["tenants"][number]];
  let count = 0;
  const run = async (): Promise<number> => {
    const before = process.cpuUsage();
    for (let index = 0; index < updatesPerRound; index++) {
      const id = tenant.accounts[count++ % tenant.accounts.length] ?? "";
      const record = await storage.get(tenant.id, "account", id);
      if (record === undefined) throw new Error(`There is no account ${id}.`);
      const changed = (at: number): Write => {
        const next = { ...record, phone: `+49 30 ${count}`, updatedAt: at };
        return { op: "update", kind: "account", record: next, expectedUpdatedAt: record.updatedAt };
      };
      await storage.commit(tenant.id, Date.now(), (at) => [changed(at)]);
    }
    const { user, system } = process.cpuUsage(before);
    return (user + system) / updatesPerRound;
  };
  return { run, close: () => storage.close() };
}
