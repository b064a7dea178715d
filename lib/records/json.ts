import type { Model, Stamps } from "./model.ts";
import { timeText } from "./time.ts";

/** A field as it is written: `before` is what stands before its value. */
type Part = { readonly name: string; readonly before: string; readonly isTime: boolean };

const known = new WeakMap<Model, readonly Part[]>();

/** The JSON of what `present` shows, letter by letter, without the object in between: of that there would be many. */
export function presentJson(model: Model, record: Stamps): string {
  const values = record as unknown as Readonly<Record<string, unknown>>;
  let text = `{"id":${jsonOf(record.id)}`;
  for (const { name, before, isTime } of partsOf(model)) {
    const value = values[name];
    if (value === null || (isTime && value === undefined)) text += `${before}null`;
    else if (isTime) text += `${before}"${timeText(value)}"`;
    else if (value !== undefined) text += before + jsonOf(value);
  }
  const { createdAt, updatedAt, archivedAt } = record;
  text += `,"createdAt":"${timeText(createdAt)}","updatedAt":"${timeText(updatedAt)}"`;
  return archivedAt === null ? `${text}}` : `${text},"archivedAt":"${timeText(archivedAt)}"}`;
}

/** What stands in JSON otherwise than in a text: control characters, quotes, backslashes and halves of pairs. */
const escaped = /[^ !#-[\]-\ud7ff\ue000-\uffff]/;

/** What `JSON.stringify` writes. To look whether a text is to be escaped takes a third of the time of having it done. */
export function jsonOf(value: unknown): string {
  return typeof value === "string" && !escaped.test(value) ? `"${value}"` : JSON.stringify(value);
}

/** The fields that are shown, in their order. */
export function partsOf(model: Model): readonly Part[] {
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
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** `{ data }` of one record. */
export function dataJson(model: Model, record: Stamps): JsonText {
  return dataOf(presentJson(model, record));
}

/** The same of a record that is written already. */
export function dataOf(json: string): JsonText {
  return new JsonText(`{"data":${json}}`);
}
