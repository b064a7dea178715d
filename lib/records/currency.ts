import * as v from "valibot";
import { means, must } from "../input/scalars.ts";

/** The ISO 4217 codes that the runtime has money for; a few funds and some withdrawn currencies stand out of line. */
const codes: ReadonlySet<string> = new Set(Intl.supportedValuesOf("currency"));

export function isCurrency(code: string): boolean {
  return codes.has(code);
}

/** An ISO 4217 code in upper case. */
export const currency = v.pipe(
  v.string("must be a currency code"),
  means({ format: "iso-4217", pattern: "^[A-Z]{3}$" }),
  must("invalid_format", isCurrency, "must be an ISO 4217 currency code, such as EUR"),
);
