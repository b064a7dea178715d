import type { ComponentChildren } from "preact";
import { useId } from "preact/hooks";
import { entities } from "../names.ts";
import { texts } from "../texts.ts";
import type { Option } from "./field-spec.ts";

type OptionsProps = {
  readonly options: readonly Option[];
  /** The label of an empty value, which comes first. */
  readonly none?: string | false;
};

/** The options of a `select`. */
export function Options({ options, none }: OptionsProps) {
  return (
    <>
      {typeof none === "string" && <option value="">{none}</option>}
      {options.map(({ value, label }) => (
        <option key={value} value={value} dir="auto">
          {label}
        </option>
      ))}
    </>
  );
}

type SelectProps<T extends string> = {
  readonly label: ComponentChildren;
  readonly value: T;
  readonly options: readonly Option<T>[];
  onChange(value: NoInfer<T>): void;
};

/** A labeled list of options. */
export function Select<T extends string>({ label, value, options, onChange }: SelectProps<T>) {
  const id = useId();
  return (
    <label for={id}>
      {label}
      <select id={id} value={value} onChange={(event) => onChange(event.currentTarget.value as T)}>
        <Options options={options} />
      </select>
    </label>
  );
}

type CheckboxProps = { readonly label: ComponentChildren; readonly checked: boolean; onChange(checked: boolean): void };

export function Checkbox({ label, checked, onChange }: CheckboxProps) {
  return (
    <label>
      <input type="checkbox" checked={checked} onChange={(event) => onChange(event.currentTarget.checked)} /> {label}
    </label>
  );
}

export const kindOptions = entities.map((each) => ({ value: each, label: texts.kinds[each] }));

/** Converts texts by value to options. */
export function toOptions<T extends string>(labels: Readonly<Record<T, string>>): readonly Option<T>[] {
  return Object.entries<string>(labels).map(([value, label]) => ({ value: value as T, label }));
}

/** Converts records with names to options. */
export function namedOptions(records: readonly { readonly id: string; readonly name: string }[]): Option[] {
  return records.map(({ id, name }) => ({ value: id, label: name }));
}

/** Converts values to options without other labels. */
export function valueOptions<T extends string>(values: readonly T[]): readonly Option<T>[] {
  return values.map((value) => ({ value, label: value }));
}
