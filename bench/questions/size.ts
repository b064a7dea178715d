import { rmSync } from "node:fs";
import { sqliteStorage } from "../../lib/storage/sqlite/index.ts";
import type { Question } from "../bench.ts";
import { type Crm, makeCrm } from "../database.ts";
import { median } from "../load.ts";
import { seededRandom } from "../requests.ts";
import type { Row } from "../results.ts";

const question = "Size";
const epoch = Date.parse("2025-01-06T08:00:00.000Z");
type Where = Readonly<Record<string, string>>;

/** Measures a page in a large database and in a small one, with every combination of the filters of tasks. */
export const size: Question = async (bench) => {
  const [small, large] = [await makeCrm({ tenants: 1, tasks: 10_000 }), bench.isQuick ? bench.crm : await makeLarge()];
  try {
    return await comparison(small, large);
  } finally {
    rmSync(small.folder, { recursive: true });
    if (large !== bench.crm) rmSync(large.folder, { recursive: true });
  }
};

const makeLarge = (): Promise<Crm> => makeCrm({ tenants: 100, tasks: 5_000_000 });

async function comparison(small: Crm, large: Crm): Promise<Row[]> {
  const names = ["status", "assignedTo", "relatedToId"];
  const rows: Row[] = [];
  for (let bits = 0; bits < 2 ** names.length; bits++) {
    const chosen = names.filter((_, index) => bits & (1 << index));
    const sides = [small, large].map((crm) => createPageReader(crm, chosen));
    const each = await measureAlternately(sides);
    for (const { close } of sides) await close();
    const ratios = each.map(([before = Number.NaN, after = Number.NaN]) => after / before);
    const middle = (side: number): string => median(each.map((costs) => costs[side] ?? Number.NaN)).toFixed(2);
    rows.push({
      question,
      name: chosen.length === 0 ? "A page without a filter" : `A page by ${chosen.join(" and ")}`,
      goal: { atMost: 1.5 },
      reached: median(ratios),
      spread: [Math.min(...ratios), Math.max(...ratios)],
      unit: "×",
      why: "The records of a page lie scattered over a file that no cache of the processor holds",
      note: `${middle(0)} and ${middle(1)} µs a record, in ${small.size.tasks.toLocaleString("en")} and ${large.size.tasks.toLocaleString("en")} tasks`,
    });
  }
  return rows;
}

type PageReader = { readonly once: () => Promise<number>; readonly close: () => Promise<void> };

/** Measures a record on each side, round by round. The first third of the rounds warms up. */
async function measureAlternately(sides: readonly PageReader[]): Promise<number[][]> {
  const rounds: number[][] = [];
  for (let round = 0; round < 15; round++) {
    const costs: number[] = [];
    for (const { once } of sides) costs.push(await once());
    rounds.push(costs);
  }
  return rounds.slice(5);
}

/**
 * Reads a hundred pages and returns the microseconds per record, because the smaller database has shorter pages of rare
 * values.
 */
function createPageReader(crm: Crm, filters: readonly string[]): PageReader {
  const storage = sqliteStorage({ file: crm.file });
  const random = seededRandom(23);
  const queries = Array.from({ length: 100 }, () => {
    const tenant = crm.tenants[random(crm.tenants.length)] as Crm["tenants"][number];
    const index = random(tenant.tasks) & ~1;
    const values: Where = {
      status: "pending",
      assignedTo: tenant.users[random(tenant.users.length)] ?? "",
      relatedToId: tenant.accounts[(index * 7) % tenant.accounts.length] ?? "",
    };
    const where = Object.fromEntries(filters.map((name) => [name, values[name] ?? ""]));
    return {
      tenant: tenant.id,
      query: { where, limit: 51, updatedSince: epoch + random(Math.ceil(tenant.tasks / 2)) * 1_000 },
    };
  });
  const once = async (): Promise<number> => {
    const before = process.cpuUsage();
    let records = 0;
    for (const { tenant, query } of queries) records += 1 + (await storage.list(tenant, "task", query)).length;
    const { user, system } = process.cpuUsage(before);
    return (user + system) / records;
  };
  return { once, close: () => storage.close() };
}
