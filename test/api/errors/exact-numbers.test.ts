import assert from "node:assert/strict";
import { test } from "node:test";
import { dataOf, one, openCrm, verdict } from "../../support/crm.ts";
import { send } from "../../support/harness.ts";

const crm = await openCrm();
const sent = (amount: string) => ({ key: one.key, raw: `{"name":"x","amount":${amount}}` });

const exact = [
  "0",
  "0.1",
  "1.10",
  "1e3",
  "123456789012.345",
  "123456789012345.0e-1",
  "0.30000000000000004",
  "1.000000000000000000",
  "1e20",
];
for (const amount of exact) {
  test(`POST /opportunities accepts the amount ${amount}`, async () => {
    assert.equal(dataOf(await send(crm.api, "POST", "/opportunities", sent(amount)), 201).amount, Number(amount));
  });
}

const rounded = ["99999999999999999999.99", "9007199254740993", "0.12345678901234567890", "1e400", "-1e400", "1e-400"];
for (const amount of rounded) {
  test(`POST /opportunities returns 400 for the amount ${amount}, which a double can't hold`, async () => {
    const rejected = await send(crm.api, "POST", "/opportunities", sent(amount));
    assert.equal(verdict(rejected), "400 validation_error: /amount out_of_range");
    assert.match(rejected.text, /amount must have at most 15 significant digits, and be below 1e308\./);
  });
}

test("a custom field returns 422 for a number that a double can't hold", async () => {
  const raw =
    '{"name":"x","customFields":{"size":0.30000000000000004441,"budget":{"amount":12345678901234567.89,"currency":"EUR"}}}';
  const rejected = await send(crm.api, "POST", "/opportunities", { key: one.key, raw });
  assert.equal(
    verdict(rejected),
    "422 invalid_custom_field: /customFields/size out_of_range, /customFields/budget out_of_range",
  );
});

test("digits in a string aren't a number", async () => {
  const raw = '{"name":"99999999999999999999.99","amount":1}';
  assert.equal(dataOf(await send(crm.api, "POST", "/opportunities", { key: one.key, raw }), 201).amount, 1);
});
