import * as v from "valibot";
import { must } from "../input/scalars.ts";

/** The active ISO 4217 codes, from the runtime's own tables. */
const codes: ReadonlySet<string> = new Set(Intl.supportedValuesOf("currency"));

export function isCurrency(code: string): boolean {
  return codes.has(code);
}

/** An ISO 4217 code in upper case. */
export const currency = v.pipe(
  v.string("must be a currency code"),
  must("invalid_format", isCurrency, "must be an ISO 4217 currency code, such as EUR"),
);
