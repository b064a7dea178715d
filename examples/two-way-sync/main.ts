import { startTestCrm } from "crm-integrations/testing";
import { type SyncState, syncBothWays } from "./sync.ts";

// Two CRMs in memory. Replace them with createClient({ baseUrl, apiKey }) of crm-integrations/client.
const [demo, empty] = await Promise.all([startTestCrm({ fixtures: "demo" }), startTestCrm({ fixtures: "minimal" })]);
const left = { name: "left", crm: demo.client, newFields: { segment: "SMB" } } as const;
const right = { name: "right", crm: empty.client } as const;
// In a real sync, load it from a file or a database, and write it there in save().
const state: SyncState = { watermarks: {}, pairs: [] };
const save = (): void => {};

async function run(title: string): Promise<void> {
  const { created, changed, archived } = await syncBothWays(left, right, state, save);
  process.stdout.write(`${title}: ${created} created, ${changed} changed, ${archived} archived\n`);
}

await run("First run");
const [pair] = state.pairs;
if (pair === undefined) throw new Error("The first run copied no account.");
await left.crm.accounts.update(pair.left, { phone: "+47 77 60 11 22" });
await right.crm.accounts.create({ name: "Nordlys Roasters" });
await run("After a change on the left and a new account on the right");
await run("Without changes");
await Promise.all([demo.close(), empty.close()]);
