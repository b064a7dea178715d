import type { BaseRecord, Model } from "./model.ts";
import { formatDateTime } from "./time.ts";

/** A field as it is written: `before` is what stands before its value. */
type JsonField = { readonly name: string; readonly before: string; readonly isTime: boolean };

const known = new WeakMap<Model, readonly JsonField[]>();

/** The JSON of what `present` shows, letter by letter, without the object in between: of that there would be many. */
export function toJsonText(model: Model, record: BaseRecord): string {
  const values = record as unknown as Readonly<Record<string, unknown>>;
  let text = `{"id":${quoteJson(record.id)}`;
  for (const { name, before, isTime } of visibleFields(model)) {
    const value = values[name];
    if (value === null || (isTime && value === undefined)) text += `${before}null`;
    else if (isTime) text += `${before}"${formatDateTime(value)}"`;
    else if (value !== undefined) text += before + quoteJson(value);
  }
  const { createdAt, updatedAt, archivedAt } = record;
  text += `,"createdAt":"${formatDateTime(createdAt)}","updatedAt":"${formatDateTime(updatedAt)}"`;
  return archivedAt === null ? `${text}}` : `${text},"archivedAt":"${formatDateTime(archivedAt)}"}`;
}

/** What stands in JSON otherwise than in a text: control characters, quotes, backslashes and halves of pairs. */
const escaped = /[^ !#-[\]-\ud7ff\ue000-\uffff]/;

/** What `JSON.stringify` writes. To look whether a text is to be escaped takes a third of the time of having it done. */
export function quoteJson(value: unknown): string {
  return typeof value === "string" && !escaped.test(value) ? `"${value}"` : JSON.stringify(value);
}

/** The fields that are shown, in their order. */
export function visibleFields(model: Model): readonly JsonField[] {
  let found = known.get(model);
  if (found === undefined) {
    const shown = Object.entries(model.fields).filter(([, { hidden }]) => hidden !== true);
    found = shown.map(([name, { column }]) => ({
      name,
      before: `,${JSON.stringify(name)}:`,
      isTime: column === "timestamp",
    }));
    known.set(model, found);
  }
  return found;
}

/** A response body that is JSON text already. */
export class RawJson {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** Returns the response body of one record, `{ data }`. */
export function dataJson(model: Model, record: BaseRecord): RawJson {
  return wrapData(toJsonText(model, record));
}

/** Returns `{ data }` for a record that is JSON already. */
export function wrapData(json: string): RawJson {
  return new RawJson(`{"data":${json}}`);
}
