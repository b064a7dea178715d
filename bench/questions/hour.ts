import { setTimeout as pause } from "node:timers/promises";
import type { Question } from "../bench.ts";
import { type LoadResult, load, median, requestFile } from "../load.ts";
import { startProgram } from "../processes.ts";
import { creates, randomAccounts, randomPages } from "../requests.ts";
import type { Row } from "../results.ts";

const question = "An hour of load";
/** More creates than two clients send in a second while the others run. */
const createsPerSecond = 1_500;

/** Sends pages, records and creates at once, as fast as the server responds, for an hour. Runs only by its name. */
export const hour: Question = async ({ crm, folder, isQuick }) => {
  const [rounds, seconds] = isQuick ? [4, 2] : [60, 60];
  const server = await startProgram(crm.folder);
  try {
    const fresh = server.memoryMiB();
    const pages = requestFile(folder, "hour-pages", await randomPages(crm, server.url, 400));
    const records = requestFile(folder, "hour-records", randomAccounts(crm, 400));
    const seen: (readonly LoadResult[])[] = [];
    const memory: number[] = [];
    for (let round = 0; round < rounds; round++) {
      const made = requestFile(folder, "hour-creates", creates(crm, seconds * createsPerSecond));
      const sides = [
        { requests: pages, connections: 8 },
        { requests: records, connections: 8 },
        { requests: made, connections: 2 },
      ];
      seen.push(
        await Promise.all(
          sides.map(({ requests, connections }) => load({ server, requests }, { connections, seconds })),
        ),
      );
      memory.push(server.memoryMiB());
    }
    await pause(seconds * 1_000);
    return rowsOf(seen, memory, fresh, server.memoryMiB());
  } finally {
    await server.stop();
  }
};

function rowsOf(
  seen: readonly (readonly LoadResult[])[],
  memory: readonly number[],
  fresh: number,
  rested: number,
): Row[] {
  const all = seen.flat();
  const requests = all.reduce((sum, one) => sum + one.requests, 0);
  const [early = Number.NaN, late = Number.NaN] = [memory[1], memory.at(-1)];
  const mib = (value: number): string => `${Math.round(value)} MiB`;
  const sixth = Math.ceil(seen.length / 6);
  const speeds = (kind: number): number[] => seen.map((round) => round[kind]?.perSecond ?? Number.NaN);
  const row = (name: string, reached: number, unit: string, more: Partial<Row>): Row => {
    return { question, name, reached, unit, ...more };
  };
  return [
    row(
      "Requests that failed",
      all.reduce((sum, one) => sum + one.failed, 0),
      "",
      {
        goal: { atMost: 0 },
        note: `of ${requests.toLocaleString("en")}`,
      },
    ),
    row("Memory at the end, of that after two minutes", late / early, "×", {
      goal: { atMost: 1.2 },
      note: `${mib(early)} and ${mib(late)}; at most ${mib(Math.max(...memory))}; ${mib(fresh)} before the first request`,
    }),
    row("Memory a minute after the load, of that under it", rested / late, "×", { note: mib(rested) }),
    ...["Pages", "Records", "Creates"].map((name, kind) => {
      const [first, last] = [median(speeds(kind).slice(0, sixth)), median(speeds(kind).slice(-sixth))];
      const note = `${Math.round(first)} and ${Math.round(last)} a second`;
      return row(`${name} in the last sixth of the time, of those in the first`, last / first, "×", { note });
    }),
  ];
}
