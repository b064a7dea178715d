import assert from "node:assert/strict";
import { test } from "node:test";
import { de } from "../../console/texts/de.ts";
import { describeError, describeFieldError } from "../../console/ui/error-text.ts";
import type { InputType } from "../../console/ui/field-spec.ts";
import type { FieldError } from "../../lib/client/types.ts";

const outOfRange = (path: string, limits: FieldError["limits"], input: InputType = "text"): string =>
  describeFieldError(
    { path, code: "out_of_range", message: "No.", ...(limits && { limits }) },
    { fields: [{ path: "/url", label: "URL", input }] },
  );

test("the limits of a field come from the API", () => {
  const name = { path: "/name", code: "too_long", message: "No." } as const;
  assert.equal(outOfRange("/maxLength", { minimum: 1, maximum: 65_536 }), "Max length must be from 1 to 65,536.");
  assert.equal(outOfRange("/amount", { totalDigits: 15 }), "Amount can have at most 15 digits.");
  assert.equal(outOfRange("/contactIds", { minItems: 1, maxItems: 100 }), "Contacts can have at most 100 entries.");
  assert.match(
    outOfRange("/expiresAt", { notBefore: "2026-03-01T12:00:00Z" }),
    /^Expires at must be Mar 1, 2026.* or later\.$/,
  );
  assert.equal(describeFieldError({ ...name, limits: { maxLength: 255 } }), "Name can have at most 255 characters.");
  assert.equal(describeFieldError(name), "Name is too long.");
  assert.match(outOfRange("/url", undefined, "url"), /^URL must be an https URL/);
  assert.equal(outOfRange("/other", undefined), "Other is outside the limits. No.");
});

test("a search without letters and digits says what is missing", () => {
  const error = { path: "?q", code: "invalid_format", message: "No." } as const;
  assert.equal(describeFieldError(error), "Search for at least one letter or digit.");
});

test("a suggestion comes from the API, and has the label of its option", () => {
  const error = { path: "/status", code: "not_an_option", message: "No.", suggestion: "won" } as const;
  assert.match(describeFieldError(error), / Did you mean won\?$/);
  const status = {
    path: "/status",
    label: "Status",
    input: "select",
    options: [{ value: "won", label: "Won" }],
  } as const;
  assert.match(describeFieldError(error, { fields: [status] }), /^Status .* Did you mean Won\?$/);
});

test("a list with too many matches says what to do", () => {
  const problem = { path: "?order", code: "out_of_range", message: "No.", limits: { maxItems: 5_000 } };
  const error = describeError({ code: "validation_error", message: "No.", details: { errors: [problem] } });
  assert.match(error.text, /^More than 5,000 records match\./);
});

test("an error of the server is explained without its message", () => {
  const failed = { code: "internal_error", message: "Internal error. Retry with the same Idempotency-Key." };
  assert.deepEqual(Object.keys(describeError({ ...failed, status: 500 })), ["text"]);
  assert.match(describeError({ ...failed, status: 503 }).text, /busy/);
  const large = { code: "bad_request", message: "The body is larger than 1 MiB (1048576 bytes).", status: 413 };
  assert.match(describeError(large).text, /too large/);
  assert.equal(describeError(large).message, undefined);
  assert.equal(describeError({ code: "bad_request", message: "The body is empty." }).message, "The body is empty.");
});

test("German has the limits", () => {
  assert.equal(de.errors.limits.between("Wert", "1", "65.536"), "Wert muss zwischen 1 und 65.536 liegen.");
});
