import {
  guessDateFormats,
  guessDecimals,
  type LocaleFormat,
  type ProblemGroup,
  upsertFields,
} from "crm-integrations/transfer";
import type { Entity } from "../names.ts";
import { texts } from "../texts.ts";
import { describeFieldError } from "../ui/error-text.ts";
import type { ImportChanges, ImportOptions } from "./import-plan.ts";
import type { LabeledTarget } from "./targets.ts";

const { files } = texts;

/** A change of the options that makes rows valid. */
export type Fix = { readonly label: string; readonly change: ImportChanges };

type Context = {
  readonly entity: Entity;
  readonly targets: readonly LabeledTarget[];
  readonly options: ImportOptions;
};

/** Returns the changes that can make the rows of a group valid. */
export function fixesOf(group: ProblemGroup, { entity, targets, options }: Context): readonly Fix[] {
  const target = targets.find(({ name }) => name === group.target);
  if (target === undefined) return [];
  const { name, isDate, valueType, isMandatory } = target;
  const { locale, upsertBy, dropInvalid } = options;
  const values = group.values.map(({ text }) => text);
  const fixes: Fix[] = [];
  if (isDate)
    for (const dateFormat of guessDateFormats(values))
      if (dateFormat !== locale.dateFormat) fixes.push(localeFix(files.readDates(dateFormat), { dateFormat }));
  if (valueType === "number" || valueType === "currency")
    for (const decimal of guessDecimals(values))
      if (decimal !== locale.decimal) fixes.push(localeFix(files.readNumbers(decimal), { decimal }));
  const identifiesRecords = group.code === "duplicate" && upsertFields[entity].includes(name) && upsertBy !== name;
  if (identifiesRecords) fixes.push({ label: files.updateExisting(target.label), change: { upsertBy: name } });
  const isDroppable = !isMandatory && values.length > 0 && group.code !== "duplicate" && name !== upsertBy;
  if (isDroppable && !dropInvalid.includes(name))
    fixes.push({ label: files.skipCells(group.count), change: { dropInvalid: [...dropInvalid, name] } });
  return fixes;
}

/** Returns the two meanings of numbers as buttons. */
export function decimalFixes(): readonly Fix[] {
  return ([",", "."] as const).map((decimal) => localeFix(files.readNumbers(decimal), { decimal }));
}

function localeFix(label: string, locale: Partial<LocaleFormat>): Fix {
  return { label, change: { locale } };
}

/** Explains a problem in the language of the page, with the label of the field. */
export function describeProblem(
  { code, target: name, message, values }: ProblemGroup,
  targets: readonly LabeledTarget[],
): string {
  const target = targets.find((each) => each.name === name);
  if (target === undefined) return message;
  const { label, valueType, isDate } = target;
  const causes: Readonly<Record<string, (field: string) => string>> = files.causes;
  if (Object.hasOwn(causes, code)) return causes[code]?.(label) ?? message;
  if (values.length > 0 && code.startsWith("invalid_")) {
    if (valueType === "number" || valueType === "currency") return files.notNumber(label);
    if (isDate) return files.notDate(label);
  }
  if (!Object.hasOwn(texts.requests.errors, code)) return message;
  return describeFieldError(
    { path: `/${target.name.replaceAll(".", "/")}`, code: code as keyof typeof texts.requests.errors, message },
    { field: { path: "", label, input: "text" } },
  );
}
