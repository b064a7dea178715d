import * as v from "valibot";
import { jsonSchema, refine } from "./scalars.ts";
import { didYouMean } from "./suggest.ts";

/** The ISO 4217 codes that the runtime has money for; a few funds and some withdrawn currencies stand out of line. */
const codes: ReadonlySet<string> = new Set(Intl.supportedValuesOf("currency"));

export function isCurrency(code: string): boolean {
  return codes.has(code);
}

/** Where a code is a slip away from several, the currency that is traded more was meant. */
const commonCurrencies = (
  "USD EUR JPY GBP CNY AUD CAD CHF HKD SGD SEK KRW NOK NZD INR MXN TWD ZAR BRL DKK PLN THB ILS IDR CZK AED TRY HUF " +
  "CLP SAR PHP MYR COP RON ARS PEN UAH VND EGP NGN BGN MAD KES PKR BDT QAR KWD UYU"
).split(" ");

/** ` Did you mean "EUR"?` with its leading blank, or nothing. */
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
