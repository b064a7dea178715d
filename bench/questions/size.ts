import { rmSync } from "node:fs";
import { sqliteStorage } from "../../lib/sqlite/index.ts";
import type { Bench, Question } from "../bench.ts";
import { type Crm, makeCrm } from "../database.ts";
import { inTurns, median, requestFile, type Side } from "../load.ts";
import { type Running, startOurs } from "../processes.ts";
import { type Filtered, filteredAnywhere, filteredAsk } from "../requests.ts";
import { type Row, ratioRow } from "../results.ts";

const question = "Size";
const names = ["status", "assignedTo", "relatedToId"];

/** What a page costs in a large database and in a small one, with every combination of the filters of tasks. */
export const size: Question = async (bench) => {
  const [small, large] = [await makeCrm({ tenants: 1, tasks: 10_000 }), bench.isQuick ? bench.crm : await makeLarge()];
  const servers: Running[] = [];
  try {
    for (const { folder } of [small, large]) servers.push(await startOurs(folder));
    const rows: Row[] = [];
    for (let bits = 0; bits < 2 ** names.length; bits++) {
      const chosen = names.filter((_, index) => bits & (1 << index));
      rows.push(await sizeRow(bench, [small, large], servers, chosen));
    }
    return rows;
  } finally {
    for (const server of servers) await server.stop();
    rmSync(small.folder, { recursive: true });
    if (large !== bench.crm) rmSync(large.folder, { recursive: true });
  }
};

const makeLarge = (): Promise<Crm> => makeCrm({ tenants: 100, tasks: 5_000_000 });

async function sizeRow(
  bench: Bench,
  [small, large]: readonly [Crm, Crm],
  servers: readonly Running[],
  chosen: readonly string[],
): Promise<Row> {
  const asked = [small, large].map((crm) => filteredAnywhere(crm, chosen, 100));
  const sides = asked.map((pages, index): Side => {
    const name = index === 0 ? "small" : "large";
    return {
      name,
      server: servers[index] as Running,
      requests: requestFile(bench.folder, name, pages.map(filteredAsk)),
    };
  });
  const seen = await inTurns(sides, Math.min(bench.rounds, 3), { connections: 8, seconds: 1 });
  const [before = 0, after = 0] = [await perRecord(small, asked[0]), await perRecord(large, asked[1])];
  const head = {
    question,
    name: chosen.length === 0 ? "A page without a filter" : `A page by ${chosen.join(" and ")}`,
    goal: { atMost: 1.5 },
    why: "The records of a page lie scattered over a file that no cache of the processor holds",
    note: `in ${small.size.tasks.toLocaleString("en")} and ${large.size.tasks.toLocaleString("en")} tasks; the storage alone: ${before.toFixed(2)} and ${after.toFixed(2)} µs a record`,
  } as const;
  return ratioRow(head, seen.get("small"), seen.get("large"));
}

/** Microseconds per record that a warm list reads: the smaller database has shorter pages of rare values. */
async function perRecord({ file }: Crm, pages: readonly Filtered[] = []): Promise<number> {
  const storage = sqliteStorage({ file });
  const once = async (): Promise<number> => {
    const before = process.cpuUsage();
    let records = 0;
    for (const { tenant, where, since } of pages) {
      records += 1 + ((await storage.listJson?.(tenant.id, "task", { where, since, limit: 51 })) ?? []).length;
    }
    const { user, system } = process.cpuUsage(before);
    return (user + system) / records;
  };
  const rounds: number[] = [];
  for (let round = 0; round < 12; round++) rounds.push(await once());
  await storage.close();
  return median(rounds.slice(4));
}
