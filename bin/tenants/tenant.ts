import {
  type Api,
  ApiError,
  createApi,
  type OperationCall,
  type OperationResult,
  type Records,
  type Storage,
  scopes,
  type UntypedOperations,
} from "#lib";
import type { TransferRequest } from "#lib/transfer";
import { Failure } from "../cli/errors.ts";
import { type FieldMessage, type OptionNames, optionMessage } from "../cli/option-message.ts";
import type { ProgramProcess } from "../cli/program-process.ts";
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
  /** Sends a request to a public endpoint with all scopes, without HTTP. Rejects with ApiError. */
  readonly request: TransferRequest;
  /**
   * Calls an operation with all scopes. `flags` names the option of each field that has one.
   * @throws Failure with the messages of the API error
   */
  call(operation: string, options?: Omit<OperationCall, "caller">, flags?: OptionNames): Promise<OperationResult>;
};

/** Opens the database, runs work for the selected tenant and closes the database. */
export async function withTenant<T>(
  { tenant, ...databaseValues }: DatabaseValues & { readonly tenant: string | undefined },
  program: ProgramProcess,
  work: (opened: OpenTenant) => Promise<T>,
  openApi: (storage: Storage) => Api = (storage) => createApi({ storage }),
): Promise<T> {
  const { storage } = await openDatabase(databaseValues, program);
  const api = openApi(storage);
  try {
    const { id: tenantId } = await findTenant(storage, tenant);
    const caller = { tenantId, scopes };
    const call: OpenTenant["call"] = async (operation, options, flags) => {
      try {
        const run = (api.operations as unknown as UntypedOperations)[operation];
        if (run === undefined) throw new TypeError(`Unknown operation ${operation}.`);
        return await run({ caller, ...options });
      } catch (error) {
        throw error instanceof ApiError ? new Failure(describeApiError(error, flags)) : error;
      }
    };
    return await work({ storage, api, tenantId, call, request: inProcessRequest(api, tenantId) });
  } catch (error) {
    throw error instanceof ApiError && error.status < 500 ? new Failure(describeApiError(error)) : error;
  } finally {
    await api.close();
  }
}

/** Returns a function that sends requests to public endpoints of a tenant with all scopes, without HTTP. */
export function inProcessRequest({ endpoints, operations }: Api, tenantId: string): TransferRequest {
  return async (method, path, { query = {}, ...options }) => {
    const endpoint = endpoints.find((each) => each.method === method && each.path === path);
    const run = (operations as unknown as UntypedOperations)[endpoint?.name ?? ""];
    if (run === undefined) throw new TypeError(`Unknown operation ${method} ${path}.`);
    const call = { ...options, query, caller: { tenantId, scopes } } as OperationCall;
    return { body: (await run(call)).body };
  };
}

type Tenant = Records["tenant"];

/** The tenants among which a command looks for one. */
type TenantState = "active" | "archived" | "any";

/**
 * Finds a tenant by ID or name. Without either, finds the only tenant.
 * @throws Failure if there isn't exactly one in that state
 */
export async function findTenant(
  storage: Storage,
  idOrName: string | undefined,
  state: TenantState = "active",
): Promise<Tenant> {
  const tenants = await storage.listTenants();
  const isWanted = ({ id, name }: Tenant) =>
    idOrName === undefined || id === idOrName.toLowerCase() || name === idOrName;
  const isInState = ({ archivedAt }: Tenant) => state === "any" || (state === "archived") === (archivedAt !== null);
  const found = tenants.filter((each) => isWanted(each) && isInState(each));
  const [only, ...more] = found;
  if (only !== undefined && more.length === 0) return only;
  if (tenants.length === 0) throw new Failure("The database has no tenants. Create one with init.");
  const list = tenants.filter(isInState).slice(0, 10);
  if (list.length === 0)
    throw new Failure(
      state === "archived" ? "No tenant is archived." : "All tenants are archived. Restore one with tenant restore.",
    );
  const available = `Available tenants: ${list.map(({ id, name }) => `${id} ${name}`).join("; ")}.`;
  if (idOrName === undefined) throw new Failure(`Select a tenant with --tenant ID. ${available}`);
  const other = tenants.find(isWanted);
  if (found.length === 0 && other !== undefined)
    throw new Failure(
      state === "archived"
        ? `The tenant ${idOrName} isn't archived.`
        : `The tenant ${idOrName} is archived. Restore it with tenant restore ${other.id}.`,
    );
  const count = found.length === 0 ? `No ${state === "archived" ? "archived " : ""}tenant has` : "Several tenants have";
  throw new Failure(`${count} the ID or name ${idOrName}. ${available}`);
}

/** Returns the messages of an API error, one per line. */
function describeApiError({ message, details }: ApiError, flags: OptionNames = {}): string {
  if (details?.reason === "active_key_limit")
    return "The integration already has two active API keys. Revoke one with key revoke, or use key rotate.";
  const errors = (details?.errors ?? []) as readonly FieldMessage[];
  return errors.length === 0 ? message : errors.map((error) => optionMessage(error, flags)).join("\n  ");
}
