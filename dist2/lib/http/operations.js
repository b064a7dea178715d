import { runEndpoint } from "../api.js";
import { endpoints } from "../endpoints/all.js";
import { hostOnly } from "../endpoints/host-only.js";
import { assertTenantExists, toCaller } from "./authenticate-request.js";
import { toApiError } from "./http-response.js";
/** Returns the operations by name. */
export function createOperations(runtime) {
    const operation = (endpoint) => async (call) => {
        try {
            const response = await runtime.requests.run(async () => {
                const caller = await assertTenantExists(runtime.storage, toCaller(call.caller));
                return runEndpoint(runtime, endpoint, toRequest(call, caller));
            });
            return { ...response, body: response.body === null ? null : JSON.parse(response.body) };
        }
        catch (error) {
            const requestId = runtime.context.newId();
            const apiError = toApiError(error, requestId, endpoint.method);
            if (apiError.status >= 500)
                runtime.report(error, requestId);
            throw apiError;
        }
    };
    return Object.fromEntries([...endpoints, ...hostOnly].map((endpoint) => [endpoint.name, operation(endpoint)]));
}
/** Converts a call to the request that HTTP would bring. */
function toRequest(call, caller) {
    const { params = {}, query = {} } = call;
    const values = Object.entries(query).filter(([, value]) => value !== undefined);
    return {
        caller,
        params,
        query: Object.fromEntries(values.map(([name, value]) => [name, String(value)])),
        body: (toJson(call.body) ?? undefined),
        idempotencyKey: textOf(call.idempotencyKey),
        ifMatch: textOf(call.ifMatch),
        ifNoneMatch: textOf(call.ifNoneMatch),
    };
}
function textOf(value) {
    return value === undefined ? null : String(value);
}
/** Stands for values that JSON doesn't have. No schema accepts it. */
const notJson = Symbol("not JSON");
/**
 * Returns the value as JSON would bring it. Members that are undefined are omitted, so they clear nothing. A Date, a Map
 * or a bigint is rejected by the schema of its field.
 */
function toJson(value) {
    if (Array.isArray(value))
        return value.map(toJson);
    if (typeof value !== "object" || value === null)
        return isScalar(value) ? value : notJson;
    if (![Object.prototype, null].includes(Object.getPrototypeOf(value)))
        return notJson;
    const members = Object.entries(value).filter(([, member]) => member !== undefined);
    return Object.fromEntries(members.map(([name, member]) => [name, toJson(member)]));
}
function isScalar(value) {
    return value === undefined || value === null || ["string", "number", "boolean"].includes(typeof value);
}
