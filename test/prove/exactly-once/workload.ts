import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { base, type Client } from "./client.ts";

/** The client's tenant, and the records that it has created, for references. */
type Made = {
  readonly tenantId: string;
  readonly accounts: string[];
  readonly contacts: { readonly id: string; readonly email: string }[];
};
type Work = (client: Client, made: Made) => Promise<void>;

/** The custom fields of accounts in the tenant file. */
export const customFields = [
  { entity: "account", key: "segment", label: "Segment", type: "list", options: ["SMB", "Enterprise"], required: true },
  { entity: "account", key: "lines", label: "Lines", type: "multi_list", options: ["Beans", "Filter"] },
  { entity: "account", key: "budget", label: "Budget", type: "currency" },
];

/** Sends requests until `isDone`. The created records contain the idempotency key. */
export async function work(client: Client, tenantId: string, isDone: () => boolean): Promise<void> {
  const made: Made = { tenantId, accounts: [], contacts: [] };
  while (!isDone()) await kinds[client.pick(kinds.length)]?.(client, made);
}

const makeTask: Work = async (client, { contacts }) => {
  const key = randomUUID();
  const contact = contacts.at(-1);
  const relatedTo = contact === undefined ? null : { type: "contact", id: contact.id };
  await client.post(`${base}/tasks`, { title: "Call back", description: key, relatedTo }, key);
};

/** The name is unique, so a second effect of the same request would be reported as a duplicate. */
const makeAccount: Work = async (client, { accounts }) => {
  const key = randomUUID();
  const values = { segment: "smb", lines: ["Filter", "Beans"], budget: { amount: 10.5, currency: "EUR" } };
  const body = { name: `Company ${key}`, externalId: key, customFields: values };
  accounts.push(String((await client.post(`${base}/accounts`, body, key)).id));
};

const makeContact: Work = async (client, { accounts, contacts }) => {
  const key = randomUUID();
  const email = `${key}@company.test`;
  const body = { name: "Carla", email, accountId: accounts.at(-1) ?? null, externalId: key };
  contacts.push({ id: String((await client.post(`${base}/contacts`, body, key)).id), email });
};

/** With up to three links to contacts. Each is a row. */
const makeOpportunity: Work = async (client, { accounts, contacts }) => {
  const key = randomUUID();
  const contactIds = contacts.slice(-3).map(({ id }) => id);
  const body = { name: "Order", accountId: accounts.at(-1) ?? null, contactIds, amount: 100.25, externalId: key };
  const { contactIds: stored } = await client.post(`${base}/opportunities`, body, key);
  assert.deepEqual(stored, contactIds);
};

/** A POST that only reads. Its response is stored too. */
const listActive: Work = async (client, { tenantId, contacts }) => {
  const emails = [...contacts.slice(-2).map(({ email }) => email), "unknown@company.test"];
  await client.post(`${base}/contacts/opportunities/active`, { tenantId, emails });
};

/** DELETE has no idempotency key. After a lost response, a retry gets 404. */
const restoreAccount: Work = async (client, { tenantId }) => {
  const gone: Made = { tenantId, accounts: [], contacts: [] };
  await makeAccount(client, gone);
  const path = `${base}/accounts/${gone.accounts[0]}`;
  const { status, text } = await client.sendUntilResponse("DELETE", path);
  assert.ok(status === 204 || status === 404, `${status} ${text}`);
  await client.post(`${path}/restore`, {});
};

const kinds: readonly Work[] = [makeTask, makeAccount, makeContact, makeOpportunity, listActive, restoreAccount];
