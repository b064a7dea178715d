import assert from "node:assert/strict";
import { test } from "node:test";
import { errorOf, openCrm } from "../support/crm.ts";

const { call } = await openCrm();

/** Invalid currencies, and the code that the error suggests. */
const meant: Readonly<Record<string, string | undefined>> = {
  eur: "EUR",
  Usd: "USD",
  " EUR": "EUR",
  "brl\t": "BRL",
  EURO: "EUR",
  euro: "EUR",
  UER: "EUR",
  BLR: "BRL",
  US$: "USD",
  USDD: "USD",
  GPB: "GBP",
  isk: "ISK",
  "": undefined,
  "€": undefined,
  QQQ: undefined,
  dollars: undefined,
  "Pound sterling": undefined,
};

for (const [currency, code] of Object.entries(meant)) {
  const hint = code === undefined ? "" : ` Did you mean "${code}"?`;
  test(`an invalid currency ${JSON.stringify(currency)} suggests ${code ?? "nothing"}, in built-in and custom fields`, async () => {
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
          },
        ],
        [
          {
            path: "/customFields/budget",
            code: "invalid_format",
            message: `customFields.budget must have an ISO 4217 currency such as EUR, not ${JSON.stringify(currency).replace("\\t", "?")}.${hint}`,
          },
        ],
      ],
    );
  });
}
