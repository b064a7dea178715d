import { DuckDBInstance } from "@duckdb/node-api";
import { startTestCrm } from "crm-integrations/testing";
import { syncToDuckDb } from "./sync.ts";

// A CRM and a database in memory. Replace them with createClient({ baseUrl, apiKey }) of crm-integrations/client, and
// with the path of a file.
const { client, close } = await startTestCrm({ fixtures: "demo" });
const duckDb = await DuckDBInstance.create(":memory:");
const database = await duckDb.connect();

async function sync(title: string): Promise<void> {
  const counts = Object.entries(await syncToDuckDb(client, database));
  process.stdout.write(`${title}: ${counts.map(([name, count]) => `${count} ${name}`).join(", ")}\n`);
}

await sync("First sync");
await client.tasks.create({ title: "Call Ana" });
await sync("After a new task");

const pipeline = await database.runAndReadAll(`
  select record->>'currency' as currency, count(*) as deals, sum((record->>'amount')::decimal(18, 2)) as amount
  from opportunities
  where record->>'status' = 'open' and archived_at is null
  group by all
  order by deals desc, currency`);
process.stdout.write("Open opportunities:\n");
for (const [currency, deals, amount] of pipeline.getRows())
  process.stdout.write(`  ${currency ?? "no amount"}: ${deals}${amount === null ? "" : `, ${amount}`}\n`);

database.closeSync();
duckDb.closeSync();
await close();
