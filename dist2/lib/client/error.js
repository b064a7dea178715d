/** An answer that is not a success. Decide by `code`; `message` is for people. */
export class CrmError extends Error {
    /** The HTTP status. */
    status;
    /** The service's `error.code`; "unknown" where something else on the way has answered. */
    code;
    details;
    /** Everything that is wrong with the request, each with its place. */
    problems;
    /** What to tell whoever runs the service. */
    requestId;
    constructor(status, body, requestId, location = null) {
        const error = memberOf(body, "error");
        super(textOf(memberOf(error, "message")) ?? messageOf(status, location));
        this.name = "CrmError";
        this.status = status;
        this.code = textOf(memberOf(error, "code")) ?? "unknown";
        this.details = (memberOf(error, "details") ?? {});
        this.problems = (memberOf(this.details, "errors") ?? []);
        this.requestId = requestId;
    }
}
/** No whole answer came, however often it was tried. Whether the request was carried out is unknown. */
export class CrmConnectionError extends Error {
    constructor(cause) {
        super("The service could not be reached, or its answer did not come whole.", { cause });
        this.name = "CrmConnectionError";
    }
}
/** A browser does not tell where a redirect leads: its status is 0 there. */
function messageOf(status, location) {
    if (status > 0 && (status < 300 || status > 399 || location === null))
        return `The service answered with status ${status}.`;
    return `The service is elsewhere${location === null ? "" : `, at ${location}`}: redirects are not followed. Set baseUrl to where it is.`;
}
function memberOf(value, name) {
    return typeof value === "object" && value !== null ? value[name] : undefined;
}
function textOf(value) {
    return typeof value === "string" ? value : undefined;
}
