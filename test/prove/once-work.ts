import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { base, type Client } from "./once-client.ts";

/** The client's tenant, and what it remembers of what it made there, to refer to it. */
type Made = {
  readonly tenantId: string;
  readonly accounts: string[];
  readonly contacts: { readonly id: string; readonly email: string }[];
};
type Work = (client: Client, made: Made) => Promise<void>;

/** The account's custom fields, as the tenant file has them. */
export const customFields = [
  { entity: "account", key: "segment", label: "Segment", type: "list", options: ["SMB", "Enterprise"], required: true },
  { entity: "account", key: "lines", label: "Lines", type: "multi_list", options: ["Beans", "Filter"] },
  { entity: "account", key: "budget", label: "Budget", type: "currency" },
];

/** Does one thing after the other until it is told to end. What it makes carries the key it was made under. */
export async function work(client: Client, tenantId: string, isOver: () => boolean): Promise<void> {
  const made: Made = { tenantId, accounts: [], contacts: [] };
  while (!isOver()) await kinds[client.pick(kinds.length)]?.(client, made);
}

const makeTask: Work = async (client, { contacts }) => {
  const key = randomUUID();
  const contact = contacts.at(-1);
  const relatedTo = contact === undefined ? null : { type: "contact", id: contact.id };
  await client.post(`${base}/tasks`, { title: "Call back", description: key, relatedTo }, key);
};

/** A name is taken once: a second effect of the same request would be told of as a duplicate. */
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

/** With up to three links to contacts, each a row of its own. */
const makeOpportunity: Work = async (client, { accounts, contacts }) => {
  const key = randomUUID();
  const contactIds = contacts.slice(-3).map(({ id }) => id);
  const body = { name: "Order", accountId: accounts.at(-1) ?? null, contactIds, amount: 100.25, externalId: key };
  const { contactIds: kept } = await client.post(`${base}/opportunities`, body, key);
  assert.deepEqual(kept, contactIds);
};

/** It reads, and its answer is kept all the same. */
const askForActive: Work = async (client, { tenantId, contacts }) => {
  const emails = [...contacts.slice(-2).map(({ email }) => email), "nobody@company.test"];
  await client.post(`${base}/contacts/opportunities/active`, { tenantId, emails });
};

/** To archive has no key: who was not answered asks again, and hears that it is gone. */
const restoreAccount: Work = async (client, { tenantId }) => {
  const gone: Made = { tenantId, accounts: [], contacts: [] };
  await makeAccount(client, gone);
  const path = `${base}/accounts/${gone.accounts[0]}`;
  const { status, text } = await client.insist("DELETE", path);
  assert.ok(status === 204 || status === 404, `${status} ${text}`);
  await client.post(`${path}/restore`, {});
};

const kinds: readonly Work[] = [makeTask, makeAccount, makeContact, makeOpportunity, askForActive, restoreAccount];
