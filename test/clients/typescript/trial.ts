// Uses the TypeScript client. The server drops the response of the first POST.
import { CrmError, createClient } from "../../../lib/client/index.ts";

export async function trial(baseUrl: string, apiKey: string): Promise<void> {
  let requests = 0;
  const counting: typeof fetch = (...call) => {
    requests++;
    return fetch(...call);
  };
  const crm = createClient({ baseUrl, apiKey, fetch: counting });
  const name = `Nordlys ${crypto.randomUUID()}`;
  const created = await crm.accounts.create({ name, document: "NO 912", customFields: { segment: "SMB" } });
  // A browser can repeat a request on its own if the connection was open before.
  if (requests !== 2 && !("document" in globalThis)) throw new Error(`${requests} requests`);
  const updated = await crm.accounts.update(created.id, { document: null }, { ifMatch: created.updatedAt });

  const names: string[] = [];
  let pages = 0;
  for await (const page of crm.accounts.list({ limit: 2 })) {
    names.push(...page.data.map((account) => account.name));
    pages++;
  }
  const synced: { readonly name: string }[] = [];
  await crm.accounts.sync({ since: updated.updatedAt, onPage: (accounts) => void synced.push(...accounts) });

  const error = await crm.accounts
    .create({ name: "Segment", customFields: { segment: "?" } })
    .catch((problem) => problem);
  const paths = error instanceof CrmError ? error.fieldErrors.map(({ path }) => path) : [String(error)];

  const seen = JSON.stringify([updated.document, names.filter((each) => each === name).length, paths]);
  const expected = JSON.stringify([null, 1, ["/customFields/segment"]]);
  if (seen !== expected || pages < 3 || synced.at(-1)?.name !== name)
    throw new Error(`${seen} ${pages} ${synced.length}`);
}
