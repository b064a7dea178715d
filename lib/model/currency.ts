import * as v from "valibot";
import { jsonSchema, refine } from "./scalars.ts";
import { closest } from "./suggest.ts";

/** The active codes of ISO 4217, 2026. */
const activeCodes: ReadonlySet<string> = new Set(
  (
    "AED AFN ALL AMD AOA ARS AUD AWG AZN BAM BBD BDT BHD BIF BMD BND BOB BOV BRL BSD BTN BWP BYN BZD CAD CDF CHE CHF " +
    "CHW CLF CLP CNY COP COU CRC CUP CVE CZK DJF DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GNF GTQ GYD " +
    "HKD HNL HTG HUF IDR ILS INR IQD IRR ISK JMD JOD JPY KES KGS KHR KMF KPW KRW KWD KYD KZT LAK LBP LKR LRD LSL LYD " +
    "MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN MXV MYR MZN NAD NGN NIO NOK NPR NZD OMR PAB PEN PGK PHP PKR PLN " +
    "PYG QAR RON RSD RUB RWF SAR SBD SCR SDG SEK SGD SHP SLE SOS SRD SSP STN SVC SYP SZL THB TJS TMT TND TOP TRY TTD " +
    "TWD TZS UAH UGX USD USN UYI UYU UYW UZS VED VES VND VUV WST XAF XAG XAU XBA XBB XBC XBD XCD XCG XDR XOF XPD XPF " +
    "XPT XSU XTS XUA XXX YER ZAR ZMW ZWG"
  ).split(" "),
);

/** Codes that ISO 4217 withdrew since 2000. Stored values can have one. */
const historicCodes: ReadonlySet<string> = new Set(
  (
    "ANG ATS BEF BGN BYR CUC CYP DEM EEK ESP FIM FRF GHC GRD HRK IEP ITL LTL LUF LVL MRO MTL MZM NLG PTE ROL SDD SIT " +
    "SKK SLL SRG STD TMM TRL VEB VEF YUM ZMK ZWD ZWL ZWN ZWR"
  ).split(" "),
);

/** Returns whether the text is an active ISO 4217 code in upper case. */
export function isCurrency(code: string): boolean {
  return activeCodes.has(code);
}

/** Returns whether the text is a code in upper case that ISO 4217 withdrew. */
export function isHistoricCurrency(code: string): boolean {
  return historicCodes.has(code);
}

/** Currencies to suggest, the most traded first. */
const commonCurrencies = (
  "USD EUR JPY GBP CNY AUD CAD CHF HKD SGD SEK KRW NOK NZD INR MXN TWD ZAR BRL DKK PLN THB ILS IDR CZK AED TRY HUF " +
  "CLP SAR PHP MYR COP RON ARS PEN UAH VND EGP NGN MAD KES PKR BDT QAR KWD UYU"
).split(" ");

/** Returns the currency that is closest to a code that isn't accepted. Undefined if none is close. */
export function suggestCurrency(code: string): string | undefined {
  const plain = code.trim().toUpperCase();
  if (isHistoricCurrency(plain)) return undefined;
  return isCurrency(plain) ? plain : closest(plain, commonCurrencies);
}

/** An ISO 4217 code, active or historic. The stored value is in upper case. */
export const currency = v.pipe(
  v.string("must be a currency code"),
  jsonSchema({ format: "iso-4217", pattern: "^[A-Za-z]{3}$" }),
  refine("invalid_format", (code) => isKnown(code.toUpperCase()), describeCurrencyProblem),
  v.transform((code) => code.toUpperCase()),
);

function isKnown(code: string): boolean {
  return isCurrency(code) || isHistoricCurrency(code);
}

/** Returns the message for a code that isn't accepted. */
export function describeCurrencyProblem(code: string): string {
  if (isHistoricCurrency(code.toUpperCase())) return `must be an active ISO 4217 currency code, not ${code}`;
  return "must be an ISO 4217 currency code, such as EUR";
}
