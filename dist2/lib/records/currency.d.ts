import * as v from "valibot";
export declare function isCurrency(code: string): boolean;
/** ` Did you mean "EUR"?` with its leading blank, or nothing. */
export declare function currencyHint(code: string): string;
/** An ISO 4217 code in upper case. */
export declare const currency: v.SchemaWithPipe<readonly [v.StringSchema<"must be a currency code">, v.MetadataAction<string, {
    readonly format: "iso-4217";
    readonly pattern: "^[A-Z]{3}$";
}>, v.CheckAction<string, v.ErrorMessage<v.CheckIssue<string>>> & {
    type: "check";
}]>;
