import { ApiError } from "../model/errors.ts";
import type { Kind } from "../model/kinds.ts";
import type { Model } from "../model/model.ts";
import { toJsonText } from "../model/record-json.ts";
import { isUuid } from "../model/scalars.ts";
import type { Context, EndpointCall } from "./endpoint.ts";
import type { StoredRecord } from "./prepare-record.ts";

/**
 * Returns the record with the ID in the path.
 * @throws ApiError 404, the same whether the ID is unknown, malformed, archived or of another tenant
 */
export async function findRecord(
  model: Model<Kind>,
  call: EndpointCall,
  context: Context,
  includeArchived = false,
): Promise<StoredRecord> {
  const record = await readRecord(model, call, context);
  if (record === undefined || (record.archivedAt !== null && !includeArchived)) throw notFound(model);
  return record;
}

/** Returns the JSON of the record with the ID in the path, even if it is archived. @throws ApiError 404 */
export async function findAnyJson(model: Model<Kind>, call: EndpointCall, context: Context): Promise<string> {
  return toJsonText(model, await findRecord(model, call, context, true));
}

/** Returns the JSON of the record with the ID in the path. @throws ApiError 404 */
export async function findJson(model: Model<Kind>, call: EndpointCall, context: Context): Promise<string> {
  const { storage } = context;
  const id = idOf(call);
  const json = id === undefined ? undefined : await storage.getJson(call.caller.tenantId, model.kind, id);
  if (json === undefined) throw notFound(model);
  return json;
}

/** Returns the record with the ID in the path, archived or not. */
export async function readRecord(model: Model<Kind>, call: EndpointCall, { storage }: Context) {
  const id = idOf(call);
  const record = id === undefined ? undefined : await storage.get(call.caller.tenantId, model.kind, id);
  return record as unknown as StoredRecord | undefined;
}

/** Returns the ID in the path in lower case. Undefined if it isn't a UUID. */
function idOf({ params: { id = "" } }: EndpointCall): string | undefined {
  return isUuid(id) ? id.toLowerCase() : undefined;
}

function notFound({ kind }: Model<Kind>): ApiError {
  return new ApiError("not_found", `No ${displayName(kind)} with this ID.`);
}

/** Returns the name of a kind in a message. */
export function displayName(kind: string): string {
  return kind === "apiKey" ? "API key" : kind.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
}
