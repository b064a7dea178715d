import { rmSync } from "node:fs";
import { type Api, createApi, type Limiter } from "../../lib/index.ts";
import { sqliteStorage } from "../../lib/sqlite/index.ts";
import type { Question } from "../bench.ts";
import { type Crm, makeCrm } from "../database.ts";
import { median } from "../load.ts";
import { filteredAnywhere } from "../requests.ts";
import type { Row } from "../results.ts";

const question = "Size";
const names = ["status", "assignedTo", "relatedToId"];

/** What a page costs in a large database and in a small one, with every combination of the filters of tasks. */
export const size: Question = async (bench) => {
  // An account has as many tasks here as there: a page is as long.
  const small = await makeCrm({ tenants: 1, tasks: 10_000, accounts: 40 });
  const large = bench.isQuick ? bench.crm : await makeCrm({ tenants: 100, tasks: 5_000_000 });
  try {
    const rows: Row[] = [];
    for (let bits = 0; bits < 2 ** names.length; bits++) {
      rows.push(
        await sizeRow(
          small,
          large,
          names.filter((_, index) => bits & (1 << index)),
        ),
      );
    }
    return rows;
  } finally {
    rmSync(small.folder, { recursive: true });
    if (large !== bench.crm) rmSync(large.folder, { recursive: true });
  }
};

async function sizeRow(small: Crm, large: Crm, fields: readonly string[]): Promise<Row> {
  const [before, after] = [new Pages(small, fields), new Pages(large, fields)];
  const rounds: (readonly [small: number, large: number])[] = [];
  for (let round = 0; round < 12; round++) rounds.push([await before.cost(), await after.cost()]);
  await before.close();
  await after.close();
  const warm = rounds.slice(4);
  const figures = [0, 1].map((side) => median(warm.map((costs) => costs[side] as number)).toFixed(0)).join(" and ");
  const ratios = warm.map(([one, other]) => other / one);
  return {
    question,
    name: fields.length === 0 ? "A page without a filter" : `A page by ${fields.join(" and ")}`,
    goal: { atMost: 1.5 },
    reached: median(ratios),
    unit: "×",
    spread: [Math.min(...ratios), Math.max(...ratios)],
    why: "The records of a page lie scattered over a file that no cache of the processor holds",
    note: `${figures} µs, without the socket, in ${small.size.tasks.toLocaleString("en")} and ${large.size.tasks.toLocaleString("en")} tasks`,
  };
}

type Asked = Parameters<Api["answer"]>[0];

/** Lets everything through: the tenant of the small database has one key. */
const noLimit: Limiter = {
  take: async () => ({ accepted: true, limit: 1, remaining: 1, resetMs: 0, retryMs: 0 }),
};

const times = 5;

/** A hundred requests for pages by these fields, asked in this process. */
class Pages {
  readonly #api: Api;
  readonly #asked: readonly Asked[];

  constructor(crm: Crm, fields: readonly string[]) {
    this.#api = createApi({ storage: sqliteStorage({ file: crm.file }), limiter: noLimit });
    this.#asked = filteredAnywhere(crm, fields, 100).map(({ path, headers }) => {
      const { pathname, search } = new URL(path, "http://a");
      return {
        method: "GET",
        body: undefined,
        address: () => ({ pathname, search }),
        header: (name) => headers?.[name] ?? null,
        request: () => new Request(`http://a${path}`),
      };
    });
  }

  /** Microseconds of the processor for a page, to the bytes that a socket would be given. */
  async cost(): Promise<number> {
    const before = process.cpuUsage();
    for (let time = 0; time < times; time++) for (const asked of this.#asked) await this.#take(asked);
    const { user, system } = process.cpuUsage(before);
    return (user + system) / this.#asked.length / times;
  }

  async #take(asked: Asked): Promise<void> {
    const { status, body } = await this.#api.answer(asked);
    if (status !== 200) throw new Error(`${status}: ${body}`);
    Buffer.from(body ?? "");
  }

  close(): Promise<void> {
    return this.#api.close();
  }
}
