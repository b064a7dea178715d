import { stateConflict } from "./change.js";
/**
 * The `409 conflict`, with `details.allowed`, of turning one way of being closed into another: that would silently
 * rewrite when and how it ended.
 */
export function transitionConflict(kind, open, before, status) {
    if (before === undefined || before.status === open || status === open || before.status === status)
        return undefined;
    const message = `This ${kind} is ${before.status} and cannot become ${status} at once; set it to ${open} first.`;
    return stateConflict(message, "status_transition", [before.status, open]);
}
/** `closedAt` of a record that has this status from `at` on. */
export function closedAt(open, before, status, at) {
    if (status === open)
        return null;
    return before?.status === status ? before.closedAt : at;
}
