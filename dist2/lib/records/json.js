import { timeText } from "./time.js";
const known = new WeakMap();
/** The JSON of what `present` shows, letter by letter, without the object in between: of that there would be many. */
export function presentJson(model, record) {
    const values = record;
    let text = `{"id":${jsonOf(record.id)}`;
    for (const { name, before, isTime } of partsOf(model)) {
        const value = values[name];
        if (value === null || (isTime && value === undefined))
            text += `${before}null`;
        else if (isTime)
            text += `${before}"${timeText(value)}"`;
        else if (value !== undefined)
            text += before + jsonOf(value);
    }
    const { createdAt, updatedAt, archivedAt } = record;
    text += `,"createdAt":"${timeText(createdAt)}","updatedAt":"${timeText(updatedAt)}"`;
    return archivedAt === null ? `${text}}` : `${text},"archivedAt":"${timeText(archivedAt)}"}`;
}
/** What stands in JSON otherwise than in a text: control characters, quotes, backslashes and halves of pairs. */
const escaped = /[^ !#-[\]-\ud7ff\ue000-\uffff]/;
/** What `JSON.stringify` writes. To look whether a text is to be escaped takes a third of the time of having it done. */
export function jsonOf(value) {
    return typeof value === "string" && !escaped.test(value) ? `"${value}"` : JSON.stringify(value);
}
/** The fields that are shown, in their order. */
export function partsOf(model) {
    let found = known.get(model);
    if (found === undefined) {
        const shown = Object.entries(model.fields).filter(([, { hidden }]) => hidden !== true);
        found = shown.map(([name, { column }]) => ({
            name,
            before: `,${JSON.stringify(name)}:`,
            isTime: column === "instant",
        }));
        known.set(model, found);
    }
    return found;
}
/** JSON that is written already, for an answer to stand in as it is. */
export class JsonText {
    text;
    constructor(text) {
        this.text = text;
    }
}
/** `{ data }` of one record. */
export function dataJson(model, record) {
    return dataOf(presentJson(model, record));
}
/** The same of a record that is written already. */
export function dataOf(json) {
    return new JsonText(`{"data":${json}}`);
}
