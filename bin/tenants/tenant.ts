import { type Api, ApiError, createApi, type OperationCall, type OperationResult, type Storage, scopes } from "#lib";
import { stringSetting } from "../cli/setting.ts";
import { Failure } from "../cli/usage.ts";
import { type DatabaseValues, databaseSettings, openStorage } from "../database/database.ts";

/** What every command for one tenant is told. */
export const tenantSettings = {
  ...databaseSettings,
  tenant: stringSetting("ID", "the tenant's id or name; not needed where there is one only"),
} as const;

/** A tenant of a database, for one command. */
export type OpenTenant = {
  readonly storage: Storage;
  readonly api: Api;
  readonly tenantId: string;
  /** Calls an operation with every right. @throws Failure in the words that a caller of the API would read */
  call(operation: string, more?: Omit<OperationCall, "caller">): Promise<OperationResult>;
};

/** Does something for the tenant that is named by id or name, or the only one there is. */
export async function withTenant<T>(
  { tenant, ...place }: DatabaseValues & { readonly tenant: string | undefined },
  work: (opened: OpenTenant) => Promise<T>,
  openApi: (storage: Storage) => Api = (storage) => createApi({ storage }),
): Promise<T> {
  const { storage } = await openStorage(place);
  const api = openApi(storage);
  try {
    const tenantId = await tenantIdOf(storage, tenant);
    const caller = { tenantId, scopes };
    const call: OpenTenant["call"] = async (operation, more) => {
      try {
        const operate = api.operations[operation];
        if (operate === undefined) throw new TypeError(`There is no operation ${operation}.`);
        return await operate({ caller, ...more });
      } catch (error) {
        throw error instanceof ApiError ? new Failure(wordsOf(error)) : error;
      }
    };
    return await work({ storage, api, tenantId, call });
  } finally {
    await api.close();
  }
}

/** The id of the tenant that is named by id or name, or of the only one there is. @throws Failure */
export async function tenantIdOf(storage: Storage, asked: string | undefined): Promise<string> {
  const tenants = await storage.listTenants();
  const found = tenants.filter(({ id, name }) => asked === undefined || id === asked.toLowerCase() || name === asked);
  const [only, ...more] = found;
  if (only !== undefined && more.length === 0) return only.id;
  const list = tenants.slice(0, 10).map(({ id, name }) => `${id} ${name}`);
  const choice = list.length === 0 ? "There is none yet: init makes one." : `There are: ${list.join("; ")}.`;
  if (asked === undefined) throw new Failure(`Which tenant? Name it with --tenant ID. ${choice}`);
  throw new Failure(`${found.length === 0 ? "No" : "More than one"} tenant is called ${asked}. ${choice}`);
}

/** All that is wrong, a line each. */
function wordsOf({ message, details }: ApiError): string {
  if (details?.reason === "active_key_limit")
    return "The integration has two active keys. Revoke one with key revoke, or use key rotate, which revokes the older.";
  const errors = (details?.errors ?? []) as readonly { message: string }[];
  return errors.length === 0 ? message : errors.map((error) => error.message).join("\n  ");
}
