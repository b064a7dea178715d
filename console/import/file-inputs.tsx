import { useId, useState } from "preact/hooks";
import { entities } from "../names.ts";
import { texts } from "../texts.ts";
import type { Option } from "../ui/field-spec.ts";

type SelectProps = {
  readonly label: string;
  readonly value: string;
  readonly options: readonly Option[];
  onChange(value: string): void;
};

/** A labeled list of options. */
export function Select({ label, value, options, onChange }: SelectProps) {
  const id = useId();
  return (
    <label for={id}>
      {label}
      <select id={id} value={value} onChange={(event) => onChange(event.currentTarget.value)}>
        {options.map((option) => (
          <option key={option.value} value={option.value}>
            {option.label}
          </option>
        ))}
      </select>
    </label>
  );
}

type CheckboxProps = { readonly label: string; readonly checked: boolean; onChange(checked: boolean): void };

export function Checkbox({ label, checked, onChange }: CheckboxProps) {
  return (
    <label>
      <input type="checkbox" checked={checked} onChange={(event) => onChange(event.currentTarget.checked)} /> {label}
    </label>
  );
}

export const kindOptions: readonly Option[] = entities.map((each) => ({ value: each, label: texts.kinds[each] }));
export const delimiterOptions: readonly Option[] = optionsOf(texts.files.delimiters);

export function optionsOf(labels: Readonly<Record<string, string>>): readonly Option[] {
  return Object.entries(labels).map(([value, label]) => ({ value, label }));
}

/** Selects a file, which can also be dropped here. */
export function FileInput({ onSelect }: { onSelect(file: File): void }) {
  const id = useId();
  const [isDropTarget, setDropTarget] = useState(false);
  const select = (files: FileList | null | undefined): void => {
    const file = files?.[0];
    if (file !== undefined) onSelect(file);
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the input inside works with the keyboard.
    <div
      class={isDropTarget ? "field drop over" : "field drop"}
      onDragOver={(event) => {
        event.preventDefault();
        setDropTarget(true);
      }}
      onDragLeave={() => setDropTarget(false)}
      onDrop={(event) => {
        event.preventDefault();
        setDropTarget(false);
        select(event.dataTransfer?.files);
      }}
    >
      <label for={id}>{texts.files.file}</label>
      <input
        id={id}
        type="file"
        accept=".csv,.tsv,.txt,.ndjson,.jsonl"
        aria-describedby={`${id}-help`}
        onChange={(event) => select(event.currentTarget.files)}
      />
      <p class="help" id={`${id}-help`}>
        {texts.files.fileHelp}
      </p>
    </div>
  );
}
