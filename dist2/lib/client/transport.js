import { CrmConnectionError, CrmError } from "./error.js";
const retriable = [429, 500, 502, 503, 504];
const backoffFirstMs = 250;
const backoffMaxMs = 8_000;
/** A timer that is set to more goes off at once. */
const timerMaxMs = 2 ** 31 - 1;
/**
 * Sends requests until they are answered, or have been tried often enough. @throws CrmError @throws CrmConnectionError
 * @throws TypeError at once where the key cannot be one
 */
export function transport(options) {
    const { apiKey, retries = 4, timeoutMs = 30_000, wait = pause } = options;
    if (!/^[!-~]+$/.test(apiKey))
        throw new TypeError("apiKey has a sign that no header can carry, or is empty.");
    const send = options.fetch ?? ((url, init) => fetch(url, init));
    const base = options.baseUrl.replace(/\/+$/, "");
    return async (method, path, { query = {}, body, signal, idempotencyKey, ifMatch, readsOnly } = {}) => {
        const url = base + path + textOf(query);
        const headers = { "x-api-key": apiKey, accept: "application/json" };
        if (body !== undefined)
            headers["content-type"] = "application/json";
        const key = idempotencyKey ?? (readsOnly ? undefined : crypto.randomUUID());
        if (method === "POST" && key !== undefined)
            headers["idempotency-key"] = key;
        // The ETag of a record is its `updatedAt` in double quotes.
        if (ifMatch !== undefined)
            headers["if-match"] = `"${ifMatch}"`;
        const text = body === undefined ? null : JSON.stringify(body);
        let mayBeDone = false;
        for (let attempt = 0;; attempt++) {
            signal?.throwIfAborted();
            const timeout = AbortSignal.timeout(timeoutMs);
            const ends = signal ? AbortSignal.any([signal, timeout]) : timeout;
            // What follows a redirect makes a GET of a POST, and takes the key along to wherever it leads.
            const init = { method, headers, body: text, signal: ends, redirect: "manual" };
            const outcome = await once(send, url, init);
            signal?.throwIfAborted();
            if ("body" in outcome)
                return outcome;
            const { error } = outcome;
            // What a try before has archived is not there any more.
            if (method === "DELETE" && mayBeDone && error instanceof CrmError && error.status === 404)
                return { body: undefined, headers: new Headers() };
            mayBeDone ||= !(error instanceof CrmError && error.status === 429);
            const again = error instanceof CrmConnectionError || (error instanceof CrmError && retriable.includes(error.status));
            if (!again || attempt >= retries)
                throw error;
            await until(signal, wait, outcome.retryMs ?? Math.random() * Math.min(backoffMaxMs, backoffFirstMs * 2 ** attempt));
        }
    };
}
function pause(ms, signal) {
    return new Promise((resolve) => {
        const timer = setTimeout(resolve, ms);
        signal?.addEventListener("abort", () => clearTimeout(timer), { once: true });
    });
}
/** Waits, or ends at once where the caller gives up. */
async function until(signal, wait, ms) {
    if (signal === undefined)
        return wait(ms);
    const { promise, resolve } = Promise.withResolvers();
    signal.addEventListener("abort", () => resolve(), { once: true });
    await Promise.race([wait(ms, signal), promise]);
}
async function once(send, url, init) {
    try {
        const response = await send(url, init);
        const text = await response.text();
        const { headers, status } = response;
        const body = jsonOf(text);
        if (status === 204)
            return { body: undefined, headers };
        if (!response.ok) {
            const error = new CrmError(status, body, headers.get("x-request-id"), headers.get("location"));
            return { error, retryMs: retryMsOf(headers.get("retry-after")) };
        }
        if (typeof body === "object" && body !== null)
            return { body, headers };
        throw new SyntaxError(`The answer of status ${status} is not whole, or not the service's.`);
    }
    catch (cause) {
        return { error: new CrmConnectionError(cause), retryMs: undefined };
    }
}
/** A number of seconds, or a date, as proxies write it. */
function retryMsOf(header) {
    const seconds = Number(header ?? Number.NaN);
    const ms = Number.isNaN(seconds) ? Date.parse(header ?? "") - Date.now() : seconds * 1000;
    return ms >= 0 ? Math.min(ms, timerMaxMs) : undefined;
}
function jsonOf(text) {
    try {
        return JSON.parse(text);
    }
    catch {
        return undefined;
    }
}
function textOf(query) {
    const said = Object.entries(query).flatMap(([name, value]) => {
        return value === undefined ? [] : [[name, String(value)]];
    });
    return said.length === 0 ? "" : `?${new URLSearchParams(said)}`;
}
