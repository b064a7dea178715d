import * as v from "valibot";
import { jsonSchema, refine } from "./scalars.ts";
import { didYouMean } from "./suggest.ts";

/** The ISO 4217 codes that the runtime knows. They include some historic currencies and lack a few funds. */
const codes: ReadonlySet<string> = new Set(Intl.supportedValuesOf("currency"));

/** Returns whether the text is an ISO 4217 code in upper case. */
export function isCurrency(code: string): boolean {
  return codes.has(code);
}

/** Currencies to suggest, the most traded first. */
const commonCurrencies = (
  "USD EUR JPY GBP CNY AUD CAD CHF HKD SGD SEK KRW NOK NZD INR MXN TWD ZAR BRL DKK PLN THB ILS IDR CZK AED TRY HUF " +
  "CLP SAR PHP MYR COP RON ARS PEN UAH VND EGP NGN BGN MAD KES PKR BDT QAR KWD UYU"
).split(" ");

/** Returns ` Did you mean "EUR"?` with a leading space, or an empty string. */
export function suggestCurrency(code: string): string {
  const plain = code.trim().toUpperCase();
  return isCurrency(plain) ? ` Did you mean "${plain}"?` : didYouMean(plain, commonCurrencies);
}

/** An ISO 4217 code in upper case. */
export const currency = v.pipe(
  v.string("must be a currency code"),
  jsonSchema({ format: "iso-4217", pattern: "^[A-Z]{3}$" }),
  refine(
    "invalid_format",
    isCurrency,
    (code) => `must be an ISO 4217 currency code, such as EUR.${suggestCurrency(code)}`,
  ),
);
