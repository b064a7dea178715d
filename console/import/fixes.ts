import type { FieldError } from "crm-integrations/client";
import {
  guessDateFormats,
  guessDecimals,
  type LocaleFormat,
  type ProblemGroup,
  type RowError,
  type RowProblem,
  upsertFields,
  wrongValues,
} from "crm-integrations/transfer";
import type { RowErrorParts } from "../texts/en.ts";
import { texts } from "../texts.ts";
import { describeError, describeFieldError } from "../ui/error-text.ts";
import type { InputType } from "../ui/field-spec.ts";
import type { ImportChanges } from "./import-plan.ts";
import type { RunInput } from "./run.ts";
import type { LabeledTarget } from "./targets.ts";

const { files } = texts;

/** A change of the options that makes rows valid. */
export type Fix = { readonly label: string; readonly change: ImportChanges };

/** Returns the changes that can make the rows of a group valid. */
export function fixesOf(group: ProblemGroup, { entity, targets, options }: RunInput): readonly Fix[] {
  const target = targets.find(({ name }) => name === group.target);
  if (target === undefined) return [];
  const { name, isDate, valueType, isMandatory } = target;
  const { locale, upsertBy, dropInvalid } = options;
  const values = group.values.map(({ text }) => text);
  const fixes: Fix[] = [];
  if (isDate)
    for (const dateFormat of guessDateFormats(values))
      if (dateFormat !== locale.dateFormat)
        fixes.push(localeFix(files.readDates(files.nameFormat(dateFormat)), { dateFormat }));
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

/** The fields whose values have a form that `describeFieldError` explains. */
const inputs: Readonly<Record<string, InputType>> = { email: "email", website: "url" };

/**
 * Explains the cause of an error in the language of the page, with the label of the field. An error of several values
 * has no `forValue`.
 */
export function describeProblem(
  { code, target: name, message, details = {} }: RowError,
  targets: readonly LabeledTarget[],
  values: readonly string[],
  forValue: Pick<FieldError, "allowed" | "suggestion"> = {},
): string {
  const rowErrors: Readonly<Record<string, (parts: RowErrorParts) => string>> = files.rowErrors;
  if (Object.hasOwn(rowErrors, code)) return rowErrors[code]?.(details) ?? message;
  if (name === undefined) {
    const error = describeError({ code, message, details });
    return error.message === undefined ? error.text : `${error.text} ${error.message}`;
  }
  const target = targets.find((each) => each.name === name);
  const label = target?.label ?? name;
  const causes: Readonly<Record<string, (field: string) => string>> = files.causes;
  if (Object.hasOwn(causes, code)) return causes[code]?.(label) ?? message;
  if (values.length > 0 && code.startsWith("invalid_")) {
    if (target?.valueType === "number" || target?.valueType === "currency") return files.notNumber(label);
    if (target?.isDate) return target.hasTime ? files.notTime(label) : files.notDate(label);
  }
  const path = `/${name.replaceAll(".", "/")}`;
  const limits = details.limits as FieldError["limits"];
  const error = {
    path,
    code: code as FieldError["code"],
    message,
    ...forValue,
    ...(limits && { limits }),
  };
  return describeFieldError(error, { fields: [{ path, label, input: inputs[name] ?? "text" }] });
}

/** Values of an error that are shown. */
const maxValues = 3;
const maxValueLength = 40;

/** Explains an error of a row, with its wrong values and the records that it names. */
export function describeRowError(error: RowError, problem: RowProblem, targets: readonly LabeledTarget[]): string {
  const values = wrongValues(error, problem);
  const { allowed, suggestion, existingId, name, line, ids } = (error.details ?? {}) as RowErrorDetails;
  const forValue = { ...(allowed && { allowed }), ...(suggestion && { suggestion }) };
  const shown = values.slice(0, maxValues).map((value) => files.valueCount(value.slice(0, maxValueLength), 1));
  const parts = [
    `${shown.join(", ")}${shown.length > 0 ? ": " : ""}${describeProblem(error, targets, values, forValue)}`,
    existingId && files.existingRecord(name === undefined ? existingId : `${name} (${existingId})`),
    line !== undefined && files.sameLine(line),
    ids && files.matching(ids),
  ];
  return parts.filter(Boolean).join(" ");
}

type RowErrorDetails = {
  readonly allowed?: readonly string[];
  readonly suggestion?: string;
  readonly existingId?: string;
  readonly name?: string;
  readonly line?: number;
  readonly ids?: readonly string[];
};
