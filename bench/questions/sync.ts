import { execFile } from "node:child_process";
import { promisify } from "node:util";
import type { Question } from "../bench.ts";
import { median } from "../load.ts";
import { onOtherProcessor, root, startProgram } from "../processes.ts";
import { pageAt } from "../requests.ts";
import { bareServers, recordResponses } from "./yardsticks.ts";

const question = "Sync";
type SyncResult = { readonly records: number; readonly milliseconds: number; readonly firstMs: number };

/** Reads every task of every tenant, 200 at a time, one page after the other. */
export const sync: Question = async (bench) => {
  const ours = await startProgram(bench.crm.folder);
  const { tenants } = bench.crm;
  const first = await pageAt(tenants[0] as (typeof tenants)[number], ours.url, 0);
  const page = { ...first, path: first.path.replace("limit=50", "limit=200") };
  const bare = await bareServers(await recordResponses(bench, ours.url, "sync", [page]));
  try {
    const sync = (url: string, args: readonly string[]) => runSync([url, ...args]);
    const pages = Math.ceil(bench.crm.size.tasks / 200);
    const ourResults: SyncResult[] = [];
    const honoResults: SyncResult[] = [];
    // The first round warms up. A quick run has no other.
    for (let round = bench.isQuick ? 1 : 0; round <= 1; round++) {
      ourResults.push(
        await sync(
          ours.url,
          tenants.map(({ key }) => key),
        ),
      );
      const hono = bare.find(({ name }) => name === "hono");
      honoResults.push(await sync(hono?.url ?? "", ["--page", page.path, String(pages)]));
    }
    const speed = (all: readonly SyncResult[]) => all.slice(-1).map((one) => (one.records / one.milliseconds) * 1000);
    const [ourSpeed, honoSpeed] = [median(speed(ourResults)), median(speed(honoResults))];
    // One of the two goals is enough.
    const [goal, other] = ourSpeed >= 30_000 ? [{ goal: { atLeast: 30_000 } }, {}] : [{}, { goal: { atLeast: 0.45 } }];
    return [
      { question, name: "Records a second over the whole sync", ...goal, reached: ourSpeed, unit: "records/s" },
      {
        ...{ question, name: "The whole sync, of the same pages from bare hono", ...other },
        ...{
          reached: ourSpeed / honoSpeed,
          unit: "×",
          note: "either of these two goals is enough; one client, which waits",
        },
      },
      { question, name: "The first page after the start", reached: ourResults[0]?.firstMs ?? Number.NaN, unit: "ms" },
    ];
  } finally {
    for (const server of [ours, ...bare]) await server.stop();
  }
};

async function runSync(args: readonly string[]): Promise<SyncResult> {
  const script = ["bench/servers/sync.ts", ...args];
  const { stdout } = await promisify(execFile)(...onOtherProcessor(process.execPath, script), { cwd: root });
  return JSON.parse(stdout) as SyncResult;
}
