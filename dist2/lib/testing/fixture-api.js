import { setTimeout as wait } from "node:timers/promises";
import { endpoints } from "../endpoints/all.js";
import { alreadySent } from "../http/app.js";
import { readBody } from "../http/body.js";
import { commonHeaders, errorResponse, resolveRequestId } from "../http/http-response.js";
import { operationNames } from "../http/operation-name.js";
import { PendingWork } from "../http/pending-work.js";
import { control, controlPath } from "./control.js";
import { faultAnswer, preferredAnswer } from "./fault-answer.js";
import { Faults } from "./faults.js";
import { Journal } from "./journal.js";
import { preferredError } from "./preference.js";
import { loadTenantFiles, withKey } from "./tenant-files.js";
import { emptyWorld, worldOf } from "./world.js";
/** On every answer of a server whose records are fixtures, so that nobody takes it for a real one. */
export const fixtureHeaders = { "x-crm-fixtures": "in-memory" };
const operationName = operationNames(endpoints);
/** The real API over tenant files in memory, which can be put back, made to fail, and asked what it has received. */
export class FixtureApi {
    clock;
    faults = new Faults();
    loaded;
    #options;
    #journal = new Journal();
    #leaving = new PendingWork();
    #beginning;
    #world;
    /** Loads the files, with a key for each that has none. @throws TenantFileRefused */
    static async open({ files, ...options }) {
        const world = emptyWorld(options);
        const { clock, counting, storage } = { ...options, ...world };
        const named = files.map((file) => withKey(file, counting));
        const loaded = await loadTenantFiles(storage, named, { clock, newId: counting.newId });
        return new FixtureApi(options, world, loaded);
    }
    constructor(options, world, loaded) {
        this.clock = options.clock;
        this.loaded = loaded;
        this.#options = options;
        this.#world = world;
        this.#beginning = this.snapshot();
    }
    get requests() {
        return this.#journal.entries;
    }
    snapshot() {
        return { world: this.#world.image(), putClockBack: this.clock.mark() };
    }
    /** Back to how everything was then; faults and requests are forgotten, and so is how often each key has called. */
    async restore({ world, putClockBack }) {
        const left = this.#world;
        this.#world = worldOf(this.#options, world);
        putClockBack();
        this.faults.clear();
        this.#journal.clear();
        void this.#leaving.run(() => left.close());
    }
    /** Back to the beginning. */
    reset() {
        return this.restore(this.#beginning);
    }
    async close() {
        await this.#world.close();
        await this.#leaving.close();
    }
    newRequestId = () => this.#world.api.runtime.context.newId();
    /** Responds as the API does. Rejects, or destroys the socket, if a fault drops the connection. */
    fetch = async (request, env = {}) => {
        const response = await this.#respond(request, env);
        if (response === undefined)
            return dropConnection(env);
        const { status, body } = response;
        const headers = { ...response.headers, ...fixtureHeaders };
        if (env.transport === undefined)
            return new Response(request.method === "HEAD" ? null : body, { status, headers });
        env.transport.send({ status, headers, body });
        return alreadySent;
    };
    /** Returns undefined if the connection is to be dropped. */
    async #respond(request, env) {
        const requestId = resolveRequestId(request.headers.get("x-request-id"), this.newRequestId);
        const read = env.transport?.readBody ?? (() => readBody(request));
        const { pathname, search } = new URL(request.url);
        if (pathname.startsWith(controlPath))
            return this.#control(request, read, requestId);
        const operation = operationName(request);
        const received = this.#journal.begin(request, pathname + search, operation);
        const recording = async () => received.record(await read());
        const response = await this.#perform(operation, request, { ...env, outgoing: undefined }, recording, requestId);
        received.status = response?.status ?? null;
        return response;
    }
    /** Returns the response that the request prefers, else that of a planned fault, else that of the API. */
    async #perform(operation, request, env, read, requestId) {
        const { api, ending } = this.#world;
        const { response, fault } = operation === null ? {} : this.#planned(operation, request, requestId);
        const isForApi = response === undefined && fault?.drop !== "before-commit";
        // The body is recorded, even if nothing handles it.
        if (!isForApi)
            await read().catch(() => { });
        if (fault?.delayMs !== undefined && !(await passed(fault.delayMs, ending)))
            return undefined;
        if (!isForApi)
            return response;
        const sent = await captureResponse(api, request, env, read);
        return fault?.drop === "after-commit" ? undefined : sent;
    }
    #planned(operation, request, requestId) {
        const standing = {
            limit: this.#options.rateLimit,
            now: this.clock.now(),
            requestId,
            method: request.method,
        };
        try {
            const preferred = preferredError(request.headers.get("prefer"), operation);
            if (preferred !== undefined)
                return { response: preferredAnswer(preferred.error, preferred.applied, standing) };
        }
        catch (error) {
            return { response: errorResponse(error, requestId) };
        }
        const fault = this.faults.take(operation);
        if (fault?.answer === undefined)
            return { fault };
        return { fault, response: faultAnswer(fault.answer, fault.retryAfter ?? 1, standing) };
    }
    async #control(request, read, requestId) {
        try {
            const controlled = { clock: this.clock, faults: this.faults, journal: this.#journal, reset: () => this.reset() };
            const { headers, ...response } = await control(controlled, request, read);
            return { ...response, headers: { ...commonHeaders(requestId), ...headers } };
        }
        catch (error) {
            return errorResponse(error, requestId);
        }
    }
}
/** Returns the API's response instead of sending it. */
async function captureResponse(api, request, env, read) {
    const sent = Promise.withResolvers();
    await api.fetch(request, { ...env, transport: { readBody: read, send: sent.resolve } });
    return sent.promise;
}
/** Waits for this time. Returns false if the world is closed before. */
function passed(ms, ending) {
    return wait(ms, true, { signal: ending }).catch(() => false);
}
/** Ends the connection. Without one, rejects as `fetch` does. */
function dropConnection({ incoming }) {
    if (incoming !== undefined) {
        incoming.socket.destroy();
        return alreadySent;
    }
    const cause = Object.assign(new Error("A planned fault dropped the connection."), { code: "ECONNRESET" });
    throw new TypeError("fetch failed", { cause });
}
