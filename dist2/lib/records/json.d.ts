import type { Model, Stamps } from "./model.ts";
/** A field as it is written: `before` is what stands before its value. */
type Part = {
    readonly name: string;
    readonly before: string;
    readonly isTime: boolean;
};
/** The JSON of what `present` shows, letter by letter, without the object in between: of that there would be many. */
export declare function presentJson(model: Model, record: Stamps): string;
/** What `JSON.stringify` writes. To look whether a text is to be escaped takes a third of the time of having it done. */
export declare function jsonOf(value: unknown): string;
/** The fields that are shown, in their order. */
export declare function partsOf(model: Model): readonly Part[];
/** JSON that is written already, for an answer to stand in as it is. */
export declare class JsonText {
    readonly text: string;
    constructor(text: string);
}
/** `{ data }` of one record. */
export declare function dataJson(model: Model, record: Stamps): JsonText;
/** The same of a record that is written already. */
export declare function dataOf(json: string): JsonText;
export {};
