import { ApiError } from "../model/errors.ts";
import type { Kind } from "../model/kinds.ts";
import type { Model } from "../model/model.ts";
import { displayName } from "../model/names.ts";
import { toJsonText } from "../model/record-json.ts";
import { isUuid } from "../model/scalars.ts";
import type { EndpointCall, HandlerContext } from "./endpoint.ts";
import type { StoredRecord } from "./resource-definition.ts";

/**
 * Returns the record with the ID in the path.
 * @throws ApiError 404, the same whether the ID is unknown, malformed, archived or of another tenant
 */
export async function requireRecord(
  model: Model<Kind>,
  call: EndpointCall,
  context: HandlerContext,
  includeArchived = false,
): Promise<StoredRecord> {
  const record = await getRecord(model, call, context);
  if (record === undefined || (record.archivedAt !== null && !includeArchived)) throw notFound(model);
  return record;
}

/** Returns the JSON of the record with the ID in the path. @throws ApiError 404 as `requireRecord` */
export async function requireRecordJson(
  model: Model<Kind>,
  call: EndpointCall,
  context: HandlerContext,
  includeArchived = false,
): Promise<string> {
  if (includeArchived) return toJsonText(model, await requireRecord(model, call, context, true));
  const { storage } = context;
  const id = idOf(call);
  const json = id === undefined ? undefined : await storage.getJson(call.caller.tenantId, model.kind, id);
  if (json === undefined) throw notFound(model);
  return json;
}

/** Returns the record with the ID in the path, archived or not. Undefined if there is none. */
export async function getRecord(model: Model<Kind>, call: EndpointCall, { storage }: HandlerContext) {
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
