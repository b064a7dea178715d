import { clockAfter } from "../storage.js";
/** An instant of its own for each of them, after the tenant's last. @throws what a proposal throws */
export function planAfter(last, proposals) {
    const writes = [];
    let [first, reached] = [Number.POSITIVE_INFINITY, last];
    for (const { now, propose } of proposals) {
        const at = Math.max(now, reached + 1);
        const proposed = propose(at);
        // One that writes nothing leaves the clock, and may have had a later instant than the next.
        first = Math.min(first, at);
        if (proposed.length > 0)
            reached = clockAfter(at, proposed);
        writes.push(...proposed);
    }
    return { writes, first, reached };
}
