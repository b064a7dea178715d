import type { CrmRecord } from "../records/record-columns.tsx";
import { fieldLabel, texts } from "../texts.ts";
import { toOptions } from "../ui/choices.tsx";
import type { FieldSpec, InputType } from "../ui/field-spec.ts";
import { byText, type Resource, textFor } from "./resource.ts";
import { flagColumn, textColumn } from "./simple-resources.tsx";

const { labels, help, fieldTypes } = texts.setUp;

const previewInputs: Readonly<Record<string, InputType>> = {
  number: "number",
  currency: "currency",
  date: "date",
  list: "select",
  multi_list: "multi-select",
};

type FieldOption = { readonly value?: string; readonly label?: string };

const listTypes = ["list", "multi_list"];
const { account, contact, opportunity } = texts.kinds;
/** The kinds of records that can have custom fields. */
export const customFieldEntities = { account, contact, opportunity };

export const customFields: Resource = {
  name: "custom-fields",
  route: ["fields"],
  nameOf: ({ label }) => String(label),
  compare: byText("entity", "position", "key"),
  columns: () => [
    textColumn("key", labels.key),
    { label: labels.type, render: ({ type }) => textFor(fieldTypes, type) },
    flagColumn("required", labels.required),
  ],
  fields: (value) => formFields(String(value("/type") ?? "")),
  initial: (query) => ({ entity: query.get("entity") ?? "account", type: "text", position: 0 }),
  preview(value) {
    const type = String(value("/type"));
    const rows = (value("/options") ?? []) as readonly FieldOption[];
    return {
      path: "/preview",
      label: String(value("/label") || value("/key") || "…"),
      help: String(value("/description") ?? "") || undefined,
      input: previewInputs[type] ?? "text",
      required: value("/required") === true,
      options: rows.flatMap(({ value: option, label }) => (option ? [{ value: option, label: label || option }] : [])),
    };
  },
  toForm: (record) => ({ ...record, options: toRows(record) }),
  toBody({ options, ...body }) {
    if (options === undefined) return body;
    const rows = options as readonly FieldOption[];
    const optionLabels = Object.fromEntries(
      rows.flatMap(({ value, label }) => (value === undefined || label === undefined ? [] : [[value, label]])),
    );
    return { ...body, options: rows.map(({ value = "" }) => value), optionLabels };
  },
  impactQuery: ({ required }, record) =>
    required === true && record !== undefined
      ? { entity: String(record.entity), field: `customFields.${record.key}` }
      : undefined,
};

function toRows({ options, optionLabels }: CrmRecord): readonly FieldOption[] {
  const byOption = (optionLabels ?? {}) as Readonly<Record<string, string>>;
  return ((options ?? []) as readonly string[]).map((value) =>
    Object.hasOwn(byOption, value) ? { value, label: byOption[value] ?? "" } : { value },
  );
}

function formFields(type: string): readonly FieldSpec[] {
  const fixed = { required: true, createOnly: true } as const;
  return [
    {
      path: "/entity",
      label: labels.entity,
      help: help.fixed,
      input: "select",
      options: toOptions(customFieldEntities),
      ...fixed,
    },
    { path: "/label", label: labels.label, help: help.label, input: "text", required: true },
    { path: "/key", label: labels.key, help: help.key, input: "text", ...fixed },
    { path: "/type", label: labels.type, help: help.fixed, input: "select", options: toOptions(fieldTypes), ...fixed },
    ...(listTypes.includes(type) ? [optionsField] : []),
    ...(type === "text"
      ? [
          {
            path: "/maxLength",
            label: labels.maxLength,
            help: help.maxLength,
            input: "number",
            nullable: true,
          } as const,
        ]
      : []),
    { path: "/required", label: labels.required, help: help.required, input: "checkbox" },
    {
      path: "/description",
      label: fieldLabel("description"),
      help: help.description,
      input: "textarea",
      nullable: true,
    },
    { path: "/position", label: labels.position, help: help.position, input: "number" },
  ];
}

const optionsField: FieldSpec = {
  path: "/options",
  label: labels.options,
  help: help.options,
  input: "rows",
  required: true,
  columns: [
    { name: "value", label: labels.optionValue },
    { name: "label", label: labels.optionLabel },
  ],
};
