import { Columns3 } from "lucide";
import { useState } from "preact/hooks";
import { read } from "../api.ts";
import { readStoredList, store, userStorageName } from "../browser-storage.ts";
import { entityLists } from "../entities.ts";
import type { Entity } from "../names.ts";
import { fieldLabel, texts } from "../texts.ts";
import { Checkbox } from "../ui/choices.tsx";
import { DropDown } from "../ui/drop-down.tsx";
import type { FieldSpec } from "../ui/field-spec.ts";
import { useLoad } from "../ui/load.ts";
import { type FieldSchema, schemaFields } from "./schema-fields.ts";

const text = texts.columns;

/** A field that a list can show. */
export type ListField = {
  /** `email`, `address/city` or `customFields/segment`. */
  readonly name: string;
  readonly label: string;
  /** Undefined for fields that the API sets, and until the fields are loaded. */
  readonly spec?: FieldSpec;
};

export type ListColumns = {
  /** The fields that the list shows after the name. */
  readonly shown: readonly ListField[];
  /** All fields. Custom fields are missing until the menu is opened. */
  readonly all: readonly ListField[];
  /** Loads the fields for the menu. */
  open(): void;
  /** Shows these fields from now on. Undefined means the default ones. */
  choose(names: readonly string[] | undefined): void;
};

/** Inputs whose values a cell can't show. */
const withoutCell = ["references", "related-to", "rows"];

/** Returns the columns that the user has chosen for a list. The browser stores them. */
export function useListColumns(entity: Entity): ListColumns {
  const storageName = userStorageName(`columns-${entity}`);
  const [chosen, setChosen] = useState<readonly string[] | undefined>(() =>
    readStoredList(storageName)?.filter((name) => typeof name === "string"),
  );
  const [isOpen, setOpen] = useState(false);
  // The default columns need no schema.
  const needsFields = isOpen || chosen !== undefined;
  const schema = useLoad(
    async (signal) =>
      needsFields
        ? schemaFields(await read<FieldSchema>(`api/v1/schema/${entity}`, { query: { for: "update" }, signal }))
        : [],
    String(needsFields),
  );
  const defaults = entityLists[entity].columns.map(fieldNamed);
  const fields = schema.value?.filter(canShow).map(toListField) ?? [];
  const times = ["createdAt", "updatedAt"].map(fieldNamed);
  const all = [...new Map([...defaults, ...fields, ...times].map((field) => [field.name, field])).values()];
  // Leaves out fields that were archived after the user chose them.
  const shown = (chosen ?? entityLists[entity].columns).flatMap(
    (name) => all.find((field) => field.name === name) ?? [],
  );
  return {
    shown,
    all,
    open: () => setOpen(true),
    choose(names) {
      store(storageName, names === undefined ? null : JSON.stringify(names));
      setChosen(names);
    },
  };
}

function canShow({ path, input }: FieldSpec): boolean {
  return !withoutCell.includes(input) && !["/name", "/title", "/body"].includes(path);
}

function toListField(spec: FieldSpec): ListField {
  return { name: spec.path.slice(1), label: spec.label, spec };
}

function fieldNamed(name: string): ListField {
  return { name, label: fieldLabel(name) };
}

/** A menu with a checkbox for each field. */
export function ColumnMenu({ columns: { shown, all, open, choose } }: { readonly columns: ListColumns }) {
  const names = shown.map(({ name }) => name);
  return (
    <DropDown icon={Columns3} title={text.title} onToggle={open}>
      <fieldset class="filters">
        <legend class="visually-hidden">{text.title}</legend>
        {all.map(({ name, label }) => (
          <Checkbox
            key={name}
            label={<bdi>{label}</bdi>}
            checked={names.includes(name)}
            onChange={(checked) => choose(checked ? [...names, name] : names.filter((each) => each !== name))}
          />
        ))}
        <button type="button" onClick={() => choose(undefined)}>
          {text.reset}
        </button>
      </fieldset>
    </DropDown>
  );
}
