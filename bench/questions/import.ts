import { spawn } from "node:child_process";
import { once } from "node:events";
import { createWriteStream, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { finished } from "node:stream/promises";
import Database from "better-sqlite3";
import type { Question } from "../bench.ts";
import { type Crm, idOf, makeCrm, taskKind } from "../database.ts";
import { onAllProcessors, program, root } from "../processes.ts";
import type { Row } from "../results.ts";

const question = "Import";

/** Tasks from a CSV file, with the checks of the API, compared with inserts of the same rows without checks. */
export const imports: Question = async ({ folder, isQuick }) => {
  const count = isQuick ? 5_000 : 1_000_000;
  const crm = await makeCrm({ tenants: 1, tasks: 1_000 });
  try {
    const file = join(folder, "tasks.csv");
    await writeRows(file, count);
    const bare = bareInsert(crm, count);
    const { milliseconds, memory } = await imported(crm, file);
    const speed = (count / milliseconds) * 1000;
    const early = memory[Math.floor(memory.length / 4)] ?? Number.NaN;
    const rows: Row[] = [
      {
        question,
        name: "Rows a second",
        ...(speed >= 15_000 ? { goal: { atLeast: 15_000 } } : {}),
        reached: speed,
        unit: "rows/s",
      },
      {
        ...{
          question,
          name: "Rows a second, of the bare insert",
          ...(speed >= 15_000 ? {} : { goal: { atLeast: 0.5 } }),
          reached: speed / bare,
          unit: "×",
        },
        why: "The bare insert checks nothing, and commits once",
        note: `${Math.round(bare)} rows a second bare; ${count.toLocaleString("en")} rows; enough is either 15,000 a second or 0.5 ×`,
      },
      {
        ...{ question, name: "Most memory, of that after a quarter", reached: Math.max(...memory) / early, unit: "×" },
        note: `${Math.round(early)} and ${Math.round(Math.max(...memory))} MiB`,
      },
    ];
    return rows;
  } finally {
    rmSync(crm.folder, { recursive: true });
  }
};

async function writeRows(file: string, count: number): Promise<void> {
  const out = createWriteStream(file);
  out.write("title,description,priority,status\n");
  for (let row = 0; row < count; row++) {
    const line = `Call back about the offer ${row},The customer called about it,medium,pending\n`;
    if (!out.write(line)) await once(out, "drain");
  }
  out.end();
  await finished(out);
}

/** All rows in one transaction, into the table with all its indexes. */
function bareInsert({ file, tenants }: Crm, count: number): number {
  const database = new Database(file);
  const insert = database.prepare(
    `INSERT INTO tasks (tenant_id, id, title, description, priority, status, created_at, updated_at, json)
      VALUES (?, ?, ?, 'The customer called about it', 'medium', 'pending', ?, ?, '{}')`,
  );
  const tenant = tenants[0]?.id;
  const start = performance.now();
  database.transaction(() => {
    for (let row = 0; row < count; row++) {
      const id = idOf(9, taskKind, row);
      insert.run(tenant, id, `Call back about the offer ${row}`, 1_700_000_000_000 + row, 1_700_000_000_000 + row);
    }
  })();
  const durationMs = performance.now() - start;
  database.close();
  return (count / durationMs) * 1000;
}

async function imported({ folder }: Crm, file: string): Promise<{ milliseconds: number; memory: number[] }> {
  const args = [program, "import", file, "--entity", "task", "--data", folder, "--json"];
  const start = performance.now();
  const child = spawn(...onAllProcessors(process.execPath, args), { cwd: root, stdio: ["ignore", "ignore", "pipe"] });
  let errors = "";
  child.stderr.on("data", (chunk) => {
    errors += chunk;
  });
  const memory: number[] = [];
  const look = setInterval(() => {
    try {
      const status = readFileSync(`/proc/${child.pid}/status`, "utf8");
      memory.push(Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024);
    } catch {
      // It has ended.
    }
  }, 100);
  await once(child, "close");
  clearInterval(look);
  if (child.exitCode !== 0) throw new Error(`import ended with ${child.exitCode}: ${errors.slice(-500)}`);
  return { milliseconds: performance.now() - start, memory };
}
