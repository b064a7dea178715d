import assert from "node:assert/strict";
import { test } from "node:test";
import { errorOf, one, openCrm } from "../../support/crm.ts";

const crm = await openCrm();

/** Values of the wrong type and their messages, which contain neither the validator's default words nor the value. */
const cases: Readonly<Record<string, readonly string[]>> = {
  '{"name":5}': ["name must be a string."],
  '{"name":"a","address":"Main Street"}': ["address must be an object."],
  '{"name":"a","address":{"city":7}}': ["address.city must be a string."],
  '{"name":"a","customFields":"none"}': ["customFields must be an object of custom field values."],
  '{"name":"a","customFields":null}': ["customFields must be an object of custom field values, not null."],
  '{"name":"a","ownerId":true}': ["ownerId must be a UUID."],
  '{"name":null,"address":5}': ["name must be a string, not null.", "address must be an object."],
};

for (const [raw, messages] of Object.entries(cases)) {
  test(`${raw} returns a message of the API`, async () => {
    const rejected = await crm.send("POST", "/accounts", { key: one.key, raw });
    const found = errorOf(rejected).details?.errors?.map(({ message }) => message);
    assert.deepEqual([rejected.status, found], [400, messages]);
  });
}
