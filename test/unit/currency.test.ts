import assert from "node:assert/strict";
import { test } from "node:test";
import { dataOf, errorOf, one, openCrm } from "../support/crm.ts";
import { sendUnchecked } from "../support/harness.ts";

const { call } = await openCrm();

/** Texts that aren't currency codes, and the code that the message suggests. */
const suggestions: Readonly<Record<string, string | undefined>> = {
  " EUR": "EUR",
  "brl\t": "BRL",
  EURO: "EUR",
  UER: "EUR",
  BLR: "BRL",
  US$: "USD",
  USDD: "USD",
  GPB: "GBP",
  "": undefined,
  "€": undefined,
  QQQ: undefined,
  dollars: undefined,
  "Pound sterling": undefined,
};

for (const [currency, code] of Object.entries(suggestions)) {
  const hint = code === undefined ? "" : ` Did you mean "${code}"?`;
  const suggested = code === undefined ? {} : { suggestion: code };
  test(`POST /opportunities with the currency ${JSON.stringify(currency)} suggests ${code ?? "nothing"}`, async () => {
    const customFields = { budget: { amount: 1, currency } };
    const builtIn = errorOf(await call("POST", "/opportunities", { name: "x", currency }));
    const custom = errorOf(await call("POST", "/opportunities", { name: "x", customFields }));
    assert.deepEqual(
      [builtIn.details?.errors, custom.details?.errors],
      [
        [
          {
            path: "/currency",
            code: "invalid_format",
            message: `currency must be an ISO 4217 currency code, such as EUR.${hint}`,
            ...suggested,
          },
        ],
        [
          {
            path: "/customFields/budget",
            code: "invalid_format",
            message: `customFields.budget must have an ISO 4217 currency such as EUR, not ${JSON.stringify(currency).replace("\\t", "?")}.${hint}`,
            ...suggested,
          },
        ],
      ],
    );
  });
}

test("POST /opportunities accepts a currency in any case and stores upper case", async () => {
  const customFields = { budget: { amount: 1, currency: "nok" } };
  const created = dataOf(await call("POST", "/opportunities", { name: "x", currency: "eur", customFields }), 201);
  assert.deepEqual([created.currency, created.customFields], ["EUR", { budget: { amount: 1, currency: "NOK" } }]);
});

test("a historic currency is valid only if it is already stored", async () => {
  const stored = await openCrm({ "/opportunities/0/currency": "HRK" });
  const message = "currency must be an active ISO 4217 currency code, not HRK.";
  const errors = [{ path: "/currency", code: "invalid_format", message }];
  const sent = { key: one.key, body: { name: "x", currency: "HRK" } };
  // The description admits the code, because a stored one may be sent back.
  const rejected = errorOf(await sendUnchecked(stored.api, "POST", "/opportunities", sent));
  assert.deepEqual([rejected.code, rejected.details], ["validation_error", { errors }]);
  const sentBack = dataOf(
    await stored.call("PATCH", `/opportunities/${one.opportunity}`, { name: "y", currency: "hrk" }),
    200,
  );
  assert.deepEqual([sentBack.name, sentBack.currency], ["y", "HRK"]);
  dataOf(await stored.call("PATCH", `/opportunities/${one.opportunity}`, { currency: "EUR" }), 200);
  const { status } = await sendUnchecked(stored.api, "PATCH", `/opportunities/${one.opportunity}`, sent);
  assert.equal(status, 400);
});
