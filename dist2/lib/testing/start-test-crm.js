import { createClient } from "../client/index.js";
import { serve } from "../http/index.js";
import { basePath } from "../http/paths.js";
import { FixtureApi, fixtureHeaders } from "./fixture-api.js";
import { readTenantFiles } from "./tenant-files.js";
import { TestClock } from "./test-clock.js";
const nowDefault = "2027-01-04T09:00:00.000Z";
const rateLimitDefault = 1_000_000;
/** Starts the real engine over tenant files in memory; ids, keys and times are the same in every run. @throws TenantFileRefused */
export async function startTestCrm(options = {}) {
    const { fixtures = "minimal", now = nowDefault, port = 0, rateLimit = rateLimitDefault } = options;
    const clock = new TestClock(now);
    const files = [fixtures].flat().flatMap(filesOf);
    if (files.length === 0)
        throw new TypeError('fixtures names no tenant file; left out, it is "minimal".');
    const crm = await FixtureApi.open({ files, clock, rateLimit });
    const server = await serve(crm, { host: "127.0.0.1", port, headers: fixtureHeaders, drainMs: 0 });
    if (options.port === undefined) {
        server.server.unref();
        server.server.on("connection", (socket) => socket.unref());
    }
    const { url } = server;
    const baseUrl = url + basePath;
    const fetch = (target, init) => {
        const request = new Request(target instanceof Request ? target : new URL(target, url), init);
        return orAborted(crm.fetch(request), request.signal);
    };
    const keys = crm.loaded.flatMap((tenant) => tenant.keys);
    const apiKey = bestOf(keys)?.key ?? "";
    return {
        url,
        baseUrl,
        fetch,
        keys,
        client: createClient({ baseUrl, apiKey, fetch, wait: async (ms) => letPass(clock, ms) }),
        clock,
        faults: crm.faults,
        get requests() {
            return crm.requests;
        },
        reset: () => crm.reset(),
        snapshot: () => crm.snapshot(),
        restore: (snapshot) => crm.restore(snapshot),
        async close() {
            await Promise.all([server.close(), crm.close()]);
        },
    };
}
function filesOf(source) {
    return typeof source === "string" ? readTenantFiles(source) : [{ name: "fixtures", content: source }];
}
function bestOf(keys) {
    const live = keys.filter(({ revoked }) => !revoked);
    return live.toSorted((a, b) => b.scopes.length - a.scopes.length)[0];
}
/** What the service said, in whole seconds, passes. What the client has diced would make each run another. */
function letPass(clock, ms) {
    if (ms % 1000 === 0)
        clock.advance(ms);
}
/** The server goes on with what it has begun; who asked does not wait for it. */
async function orAborted(answer, signal) {
    const { promise, reject } = Promise.withResolvers();
    const giveUp = () => reject(signal.reason);
    if (signal.aborted)
        giveUp();
    signal.addEventListener("abort", giveUp, { once: true });
    try {
        return await Promise.race([answer, promise]);
    }
    finally {
        signal.removeEventListener("abort", giveUp);
    }
}
