import * as v from "valibot";
import { ApiError, problemsError } from "../errors.js";
import { parseBody } from "../http/body.js";
import { parseQueryString } from "../http/query-string.js";
import { check } from "../input/check.js";
import { instant } from "../input/scalars.js";
/** The path that the controls stand under, at the root of the server. */
export const controlPath = "/__fixtures/";
const milliseconds = "must be a whole number of milliseconds, 0 or more";
const clockSchema = v.strictObject({
    now: v.optional(instant),
    advanceMs: v.optional(v.pipe(v.number(milliseconds), v.integer(milliseconds), v.minValue(0, milliseconds))),
});
const controls = {
    reset: {
        method: "POST",
        async act(controlled, body) {
            checked(v.strictObject({}), body);
            await controlled.reset();
            return shownClock(controlled);
        },
    },
    clock: {
        method: "POST",
        act(controlled, body) {
            const { now, advanceMs } = checked(clockSchema, body);
            if (now !== undefined)
                controlled.clock.set(now);
            if (advanceMs !== undefined)
                advance(controlled.clock, advanceMs);
            return shownClock(controlled);
        },
    },
    faults: {
        method: "POST",
        act({ faults }, body) {
            faults.add(body);
            return faults.pending;
        },
    },
    requests: { method: "GET", act: ({ journal }) => journal.entries },
};
/** Handles a request under `/__fixtures/`. @throws ApiError */
export async function control(controlled, request, readBody) {
    const { method, url, headers } = request;
    const { pathname } = new URL(url);
    const found = Object.entries(controls).find(([name]) => pathname === controlPath + name)?.[1];
    if (found === undefined)
        throw new ApiError("not_found", `There is nothing at this path; there are: ${places}.`);
    if (method !== found.method) {
        const message = `Method ${method.slice(0, 20)} isn't allowed. Allowed: ${found.method}.`;
        throw new ApiError("bad_request", message, { status: 405, headers: { Allow: found.method } });
    }
    assertLocal(request);
    const query = parseQueryString(url);
    const findings = [...query.findings, ...findingsOf(check(v.strictObject({}), query.values, "?"))];
    if (findings.length > 0)
        throw problemsError(findings);
    const bytes = await readBody();
    const data = await found.act(controlled, bytes.length === 0 ? {} : parseBody(bytes, headers));
    return { status: 200, headers: { "content-type": "application/json" }, body: JSON.stringify({ data }) };
}
const places = Object.entries(controls)
    .map(([name, { method }]) => `${method} ${controlPath}${name}`)
    .join(", ");
/** The pages that a browser on this machine shows can reach it too, and are not to change anything or read requests. */
function assertLocal({ url, headers }) {
    const { hostname } = new URL(url);
    const isLocal = /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/.test(hostname);
    if (isLocal && headers.get("origin") === null)
        return;
    throw new ApiError("not_found", "The fixtures are for programs on this machine: send no Origin, and a local Host.");
}
function advance(clock, ms) {
    try {
        clock.advance(ms);
    }
    catch {
        const problem = {
            path: "/advanceMs",
            code: "out_of_range",
            message: "advanceMs leads beyond the year 9999.",
        };
        throw problemsError([{ kind: "shape", problem }]);
    }
}
function shownClock({ clock }) {
    return { now: new Date(clock.now()).toISOString() };
}
function checked(schema, value) {
    const outcome = check(schema, value, "");
    if ("findings" in outcome)
        throw problemsError(outcome.findings);
    return outcome.value;
}
function findingsOf(outcome) {
    return "findings" in outcome ? outcome.findings : [];
}
