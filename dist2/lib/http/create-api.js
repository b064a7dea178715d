import { randomBytes } from "node:crypto";
import { adminVerifier } from "../auth/admin-token.js";
import { endpoints } from "../endpoints/all.js";
import { uuidV7 } from "../ids.js";
import { memoryLimiter, systemClock } from "../limits.js";
import { sweep, touch } from "../upkeep.js";
import { crmApp } from "./app.js";
import { validateHostRules } from "./host-rules.js";
import { createOperations } from "./operations.js";
import { ConcurrencyLimit, PendingWork } from "./pending-work.js";
import { UnsentBytes } from "./unsent-bytes.js";
const authFailuresPerMinute = 60;
const requestsPerMinute = 300;
const minuteMs = 60_000;
const defaultMaxInFlight = 2_000;
/** Creates the API over a storage. It starts one timer, which doesn't keep the process alive. */
export function createApi(options) {
    const { storage, ids, clock = systemClock, random = randomBytes } = options;
    const perMinute = (limit) => memoryLimiter({ limit, windowMs: minuteMs, clock });
    const [requests, background] = [new PendingWork(), new PendingWork()];
    // A logger that throws must not fail the request.
    const log = (fields, message) => callSafely(() => options.logger?.error(fields, message), () => { });
    const report = (err, requestId) => log({ err, requestId }, "request failed");
    const context = {
        storage,
        clock,
        newId: ids === undefined ? () => uuidV7(clock.now(), options.random) : () => ids().toLowerCase(),
        random,
        secret: once(() => storage.secret()),
        rules: validateHostRules(options.rules),
    };
    const runtime = {
        storage,
        context,
        onCommitted: options.onCommitted && notifyCommitted(options.onCommitted, background, log),
        limiter: options.limiter ?? perMinute(requestsPerMinute),
        authFailureLimiter: options.failureLimiter ?? perMinute(authFailuresPerMinute),
        authenticate: options.authenticate,
        verifyAdmin: options.adminAuth && adminVerifier(options.adminAuth),
        report,
        recordKeyUse: keyUseRecorder(storage, clock, background, report),
        requests,
        concurrency: new ConcurrencyLimit(options.inFlightMax ?? defaultMaxInFlight),
        unsent: new UnsentBytes(),
        onResponse: options.onRequest && notifyRequest(options.onRequest, log),
        now: () => clock.monotonic(),
    };
    const sweeper = setInterval(() => void background.run(() => sweep(storage, clock.now())), minuteMs).unref();
    const app = once(() => crmApp({ endpoints, runtime }));
    return {
        endpoints,
        runtime,
        operations: createOperations(runtime),
        fetch: async (request, env) => app().fetch(request, env),
        async close() {
            clearInterval(sweeper);
            await requests.close();
            await background.close();
            await storage.close();
        },
    };
}
/** Returns a function that records the use of an API key in the background, one write per key at a time. */
function keyUseRecorder(storage, clock, background, report) {
    const recording = new Set();
    return (key) => {
        // IDs are unique within a tenant only.
        const name = `${key.tenantId}:${key.id}`;
        // While the database is locked, every request of a key would add one more waiting write.
        if (recording.has(name))
            return;
        recording.add(name);
        void background.run(() => touch(storage, key, clock.now())
            .catch((error) => report(error, key.id))
            .finally(() => recording.delete(name)));
    };
}
/** Returns a function that calls the host's hook without waiting for it. Errors of the hook are logged. */
function notifyCommitted(hook, background, log) {
    return (writes, caller) => {
        const call = async () => {
            try {
                await hook(writes, caller);
            }
            catch (err) {
                log({ err, tenantId: caller.tenantId }, "onCommitted failed");
            }
        };
        void background.run(call);
    };
}
/** Returns a function that calls the host's hook. Errors of the hook are logged. */
function notifyRequest(hook, log) {
    return (summary) => callSafely(() => hook(summary), (err) => log({ err, requestId: summary.requestId }, "onRequest failed"));
}
/** Calls a function of the host, which may throw or return a promise that rejects. */
function callSafely(call, onError) {
    try {
        const returned = call();
        if (returned instanceof Promise)
            returned.catch(onError);
    }
    catch (error) {
        onError(error);
    }
}
/** Caches the first result of `make`. A rejected promise is not cached. */
function once(make) {
    let made;
    return () => {
        made ??= make();
        if (made instanceof Promise)
            made.catch(() => {
                made = undefined;
            });
        return made;
    };
}
