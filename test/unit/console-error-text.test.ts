import assert from "node:assert/strict";
import { test } from "node:test";
import * as v from "valibot";
import { de } from "../../console/texts/de.ts";
import { describeError, describeFieldError } from "../../console/ui/error-text.ts";
import { inexactNumberMessage, integer } from "../../lib/model/scalars.ts";

const outOfRange = (path: string, message: string): string =>
  describeFieldError({ path, code: "out_of_range", message });

test("the limits of a field come from the message of the API", () => {
  const [issue] = v.safeParse(integer(1, 65_536), 0).issues ?? [];
  const message = `maxLength ${issue?.message}.`;
  assert.equal(outOfRange("/maxLength", message), "Max length must be from 1 to 65,536.");
  assert.equal(outOfRange("/amount", `amount ${inexactNumberMessage}.`), "Amount can have at most 15 digits.");
  assert.equal(
    outOfRange("/contactIds", "contactIds must have at most 100 entries."),
    "Contacts can have at most 100 entries.",
  );
  assert.equal(outOfRange("/expiresAt", "expiresAt must be in the future."), "Expires at must be in the future.");
  assert.equal(outOfRange("/url", "url must be https."), "Url is outside the limits. url must be https.");
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
  const parts = { label: "Wert", min: 1, max: 65_536 };
  assert.match(de.errors.limits.between(parts), /^Wert muss zwischen 1 und /);
});
