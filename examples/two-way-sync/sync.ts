import { type Account, type Client, CrmError } from "crm-integrations/client";

/** One of the two CRMs. */
export type Side = {
  readonly name: "left" | "right";
  readonly crm: Client;
  /** Custom fields that this CRM requires of new accounts. */
  readonly newFields?: Record<string, unknown>;
};

/** The memory of the sync between two runs. `pairs` has the IDs of the same account in both CRMs. */
export type SyncState = {
  readonly watermarks: { left?: string; right?: string };
  readonly pairs: { left: string; right: string }[];
};

/** Counts of the accounts that a run created, changed and archived. */
export type SyncResult = { created: number; changed: number; archived: number };

/**
 * Copies the changed accounts of each CRM to the other one. Of two changes to one account, the newer one stays. An error
 * ends the run. The next one repeats the page, so no change is lost.
 * @param save stores the state. It runs after each new pair and after each page
 */
export async function syncBothWays(left: Side, right: Side, state: SyncState, save: () => void): Promise<SyncResult> {
  const result = { created: 0, changed: 0, archived: 0 };
  await copyChanges(left, right, state, save, result);
  await copyChanges(right, left, state, save, result);
  return result;
}

async function copyChanges(
  from: Side,
  to: Side,
  state: SyncState,
  save: () => void,
  result: SyncResult,
): Promise<void> {
  await from.crm.accounts.sync({
    since: state.watermarks[from.name],
    onPage: async (accounts) => {
      for (const account of accounts) {
        const pair = state.pairs.find((each) => each[from.name] === account.id);
        if (pair !== undefined) await copyChange(account, to, pair[to.name], result);
        else if (account.archivedAt === undefined) {
          state.pairs.push({ left: account.id, right: account.id, [to.name]: await create(account, to, result) });
          save();
        }
      }
    },
    // A crash before this line repeats the page, which changes nothing twice.
    onWatermark: (watermark) => {
      state.watermarks[from.name] = watermark;
      save();
    },
  });
}

/** Creates the account in the other CRM, or finds the one with the same name. Returns its ID. */
async function create(
  account: Account,
  { crm, newFields: customFields = {} }: Side,
  result: SyncResult,
): Promise<string> {
  try {
    // The key is the same after a crash, so the account isn't created a second time.
    const body = { ...sharedFields(account), customFields };
    const { id } = await crm.accounts.create(body, { idempotencyKey: `two-way-sync ${account.id}` });
    result.created++;
    return id;
  } catch (error) {
    if (error instanceof CrmError && error.code === "duplicate") return String(error.details?.existingId);
    throw error;
  }
}

async function copyChange(account: Account, { crm }: Side, id: string, result: SyncResult): Promise<void> {
  const target = await crm.accounts.get(id, { includeArchived: true });
  // The other direction copies the newer change.
  if (target.updatedAt > account.updatedAt || target.archivedAt !== undefined) return;
  // Another program may change the account between the read and the write. The next run then reads that change.
  const ifMatch = target.updatedAt;
  try {
    if (account.archivedAt === undefined) {
      const { updatedAt } = await crm.accounts.update(id, sharedFields(account), { ifMatch });
      if (updatedAt !== target.updatedAt) result.changed++;
    } else {
      await crm.accounts.archive(id, { ifMatch });
      result.archived++;
    }
  } catch (error) {
    if (!(error instanceof CrmError && error.status === 412)) throw error;
  }
}

/** The owner and the custom fields differ between the tenants, so they aren't copied. */
function sharedFields({ name, document, website, phone, email, description, address }: Account) {
  return { name, document, website, phone, email, description, address };
}
