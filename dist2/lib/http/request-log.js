export function startTrace(requestId, startedAt) {
    return { startedAt, requestId, operation: null, caller: undefined, code: null, replayed: false };
}
export function summarize(trace, status, endedAt) {
    const { startedAt, caller, ...rest } = trace;
    const { tenantId = null, integrationId = null, keyId = null, userId = null } = caller ?? {};
    return { ...rest, status, durationMs: endedAt - startedAt, tenantId, integrationId, keyId, userId };
}
