import assert from "node:assert/strict";
import { test } from "node:test";
import { errorOf, one, openCrm, unknown } from "../support/crm.ts";

const { call } = await openCrm();

test("a misspelled or wrong tenantId returns a hint", async () => {
  const query = await call("GET", "/tasks?tenantid=x&tenant_id=y");
  const body = await call("POST", "/tasks", { title: "Call", tenant_id: one.id });
  const messages = [query, body].map((rejected) => errorOf(rejected).details?.errors?.map(({ message }) => message));
  assert.deepEqual(messages, [
    [
      'Unknown parameter "tenantid". Did you mean "tenantId"?',
      'Unknown parameter "tenant_id". Did you mean "tenantId"?',
    ],
    ['Unknown field "tenant_id". Did you mean "tenantId"?'],
  ]);
  const invalid = await call("POST", "/contacts/opportunities/active", { tenantId: unknown, emails: [] });
  const message = "tenantId doesn't match the tenant of this API key. Send the ID that GET /me returns.";
  assert.equal(errorOf(invalid).message, message);
});
