import {
  type Api,
  ApiError,
  createApi,
  type OperationCall,
  type OperationResult,
  type Storage,
  scopes,
  type UntypedOperations,
} from "#lib";
import { Failure } from "../cli/errors.ts";
import { stringSetting } from "../cli/setting.ts";
import { type DatabaseValues, databaseSettings, openDatabase } from "../database/database.ts";

/** Settings of a command for one tenant. */
export const tenantSettings = {
  ...databaseSettings,
  tenant: stringSetting("ID", "ID or name of the tenant; optional if the database has only one"),
} as const;

/** A tenant of an open database. */
export type OpenTenant = {
  readonly storage: Storage;
  readonly api: Api;
  readonly tenantId: string;
  /** Calls an operation with all scopes. @throws Failure with the messages of the API error */
  call(operation: string, options?: Omit<OperationCall, "caller">): Promise<OperationResult>;
};

/** Opens the database, runs work for the selected tenant and closes the database. */
export async function withTenant<T>(
  { tenant, ...databaseValues }: DatabaseValues & { readonly tenant: string | undefined },
  work: (opened: OpenTenant) => Promise<T>,
  openApi: (storage: Storage) => Api = (storage) => createApi({ storage }),
): Promise<T> {
  const { storage } = await openDatabase(databaseValues);
  const api = openApi(storage);
  try {
    const tenantId = await requireTenantId(storage, tenant);
    const caller = { tenantId, scopes };
    const call: OpenTenant["call"] = async (operation, options) => {
      try {
        const run = (api.operations as unknown as UntypedOperations)[operation];
        if (run === undefined) throw new TypeError(`Unknown operation ${operation}.`);
        return await run({ caller, ...options });
      } catch (error) {
        throw error instanceof ApiError ? new Failure(describeApiError(error)) : error;
      }
    };
    return await work({ storage, api, tenantId, call });
  } finally {
    await api.close();
  }
}

/** Finds a tenant by ID or name, or the only tenant, and returns its ID. @throws Failure if there isn't exactly one */
export async function requireTenantId(storage: Storage, idOrName: string | undefined): Promise<string> {
  const tenants = await storage.listTenants();
  const found = tenants.filter(
    ({ id, name }) => idOrName === undefined || id === idOrName.toLowerCase() || name === idOrName,
  );
  const [only, ...more] = found;
  if (only !== undefined && more.length === 0) return only.id;
  const list = tenants.slice(0, 10).map(({ id, name }) => `${id} ${name}`);
  if (list.length === 0) throw new Failure("The database has no tenants. Create one with init.");
  const available = `Available tenants: ${list.join("; ")}.`;
  if (idOrName === undefined) throw new Failure(`Select a tenant with --tenant ID. ${available}`);
  const count = found.length === 0 ? "No tenant has" : "Several tenants have";
  throw new Failure(`${count} the ID or name ${idOrName}. ${available}`);
}

/** Returns the messages of an API error, one per line. */
function describeApiError({ message, details }: ApiError): string {
  if (details?.reason === "active_key_limit")
    return "The integration already has two active API keys. Revoke one with key revoke, or use key rotate.";
  const errors = (details?.errors ?? []) as readonly { message: string }[];
  return errors.length === 0 ? message : errors.map((error) => error.message).join("\n  ");
}
