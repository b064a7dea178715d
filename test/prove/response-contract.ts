import assert from "node:assert/strict";
import { fieldErrorCodes } from "../../lib/model/errors.ts";
import { assertShort } from "../support/described.ts";
import type { Result } from "../support/harness.ts";
import { errorOf } from "../support/responses.ts";

/** The closed list of codes, and the statuses that each may have. */
const statusesOf: Readonly<Record<string, readonly number[]>> = {
  bad_request: [400, 405, 408, 413, 415, 417, 431],
  validation_error: [400, 422],
  invalid_cursor: [400],
  unauthorized: [401],
  insufficient_scope: [403],
  not_found: [404],
  duplicate: [409],
  conflict: [409, 412],
  tenant_without_admin: [409],
  invalid_reference: [422],
  idempotency_key_reused: [422],
  unknown_custom_field: [422],
  invalid_custom_field: [422],
  rate_limited: [429],
};

/** The required and the optional members of `details` per error code. */
const detailsOf: Readonly<Record<string, readonly (readonly string[])[]>> = {
  validation_error: [["errors"], ["errors", "errorCount"]],
  invalid_reference: [["errors"], ["errors", "errorCount"]],
  unknown_custom_field: [["errors"], ["errors", "errorCount"]],
  invalid_custom_field: [["errors"], ["errors", "errorCount"]],
  invalid_cursor: [[], ["parameter"]],
  insufficient_scope: [["required", "granted"], ["required"]],
  duplicate: [["existingId", "field"]],
  idempotency_key_reused: [["method", "path", "usedAt"]],
  conflict: [
    ["reason", "allowed"],
    ["reason", "count"],
    ["reason", "updatedAt"],
  ],
};

/** Checks that a response is documented: headers, envelope, code and status. It isn't a 500. */
export function assertContract(result: Result, sentId?: string, method = "GET"): void {
  const { status, headers, text } = result;
  const { "x-request-id": id, ...rest } = Object.fromEntries(headers);
  assert.ok(status < 500, text);
  assert.deepEqual([rest["cache-control"], rest["x-content-type-options"]], ["no-store", "nosniff"]);
  if (sentId === undefined) assert.match(id ?? "", /^[A-Za-z0-9._:-]{1,128}$/);
  else assert.equal(id, sentId);
  if (method === "OPTIONS" && status === 204) return void assert.ok("allow" in rest);
  if (status !== 204) assert.equal(rest["content-type"], "application/json");
  if (method === "HEAD") return void assert.equal(text, "");
  if (status >= 400) assertError(result);
  else assert.ok(status === 204 ? text === "" : "data" in (result.body as object), text);
  assert.equal("retry-after" in rest, status === 429);
  assert.equal("allow" in rest, status === 405);
  assert.equal("www-authenticate" in rest, status === 401);
  const limits = ["x-ratelimit-limit", "x-ratelimit-remaining", "x-ratelimit-reset"].filter((name) => name in rest);
  // Before the caller is known there is no rate to tell of.
  const unknownCaller = [401, 405, 413, 417, 429, 431].includes(status) || status === 404;
  if (!unknownCaller || limits.length > 0) assert.equal(limits.length, 3, `${status} without rate headers: ${text}`);
}

function assertError(result: Result): void {
  const { status, text, body } = result;
  assertShort(result);
  assert.deepEqual(Object.keys(body as object), ["error"]);
  const { code, message, details, ...more } = errorOf(result);
  assert.deepEqual(more, {});
  assert.ok(statusesOf[code]?.includes(status), `${status} ${code}`);
  assert.ok(message.length > 0 && /[.?)]$/.test(message), message);
  const names = Object.keys(details ?? {}).sort();
  const allowed = (detailsOf[code] ?? [[]]).map((each) => each.toSorted());
  assert.ok(
    allowed.some((each) => each.join() === names.join()),
    `${code} with ${names.join()}`,
  );
  for (const problem of details?.errors ?? []) {
    const { path, code: problemCode, message: problemText, allowed: options = [], ...more } = problem;
    const { suggestion, limits, ...others } = more;
    assert.deepEqual(others, {});
    if (limits !== undefined) assertLimits(problemCode, limits);
    if (suggestion !== undefined) assert.ok(problemText.endsWith(` Did you mean "${suggestion}"?`), problemText);
    assert.ok(fieldErrorCodes.includes(problemCode), problemCode);
    assert.match(path, /^(?:$|\/|\?|[A-Za-z-]+$)/);
    assert.ok(/[.?]$/.test(problemText) && problemText.length <= 703, problemText);
    // Default messages of the validator.
    assert.doesNotMatch(problemText, /\bInvalid (?:type|format|length|key|value)\b|\bExpected\b/);
    assert.ok(Array.isArray(options) && options.every((option) => typeof option === "string"), text);
  }
}

/** Limits are numbers or date-times, and only of a value that exceeds them. */
function assertLimits(code: string, limits: Readonly<Record<string, unknown>>): void {
  assert.match(code, /^(?:too_long|out_of_range)$/);
  assert.ok(Object.keys(limits).length > 0);
  for (const [name, limit] of Object.entries(limits)) {
    if (/^not(?:Before|After)$/.test(name)) assert.match(String(limit), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    else
      assert.ok(
        /^(?:minimum|maximum|maxLength|minItems|maxItems|totalDigits)$/.test(name) && Number.isFinite(limit),
        name,
      );
  }
}
