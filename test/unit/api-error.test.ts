import assert from "node:assert/strict";
import { test } from "node:test";
import { ApiError, type ErrorCode } from "../../lib/index.ts";

test("new ApiError throws a TypeError for a code that the API doesn't have", () => {
  for (const code of ["forbidden", "constructor", "", undefined, 404]) {
    assert.throws(
      () => new ApiError(code as ErrorCode, "No access."),
      (error) => error instanceof TypeError && error.message.includes(`"${code}"`) && /not_found/.test(error.message),
    );
  }
  assert.deepEqual(new ApiError("not_found", "Gone.").status, 404);
});
