import { guessDateFormats, guessDecimals, normalizeCase } from "crm-integrations/transfer";
import { useState } from "preact/hooks";
import { call } from "../api.ts";
import type { Entity } from "../names.ts";
import { texts } from "../texts.ts";
import { Select, toOptions } from "../ui/choices.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { useAction } from "../ui/load.ts";
import { ErrorNotice } from "../ui/notice.tsx";
import type { LabeledTarget } from "./targets.ts";

const { files, form, setUp } = texts;

/** More values than this aren't the options of a list. */
const maxOptions = 20;

type NewFieldProps = {
  readonly entity: Entity;
  /** The name of the column. */
  readonly column: string;
  /** The filled cells of the column. */
  readonly values: readonly string[];
  readonly targets: readonly LabeledTarget[];
  /** Called with the name of the target of the new field. */
  onCreated(name: string): Promise<void>;
  onClose(): void;
};

/** Creates a custom field for a column. Its type is guessed from the values. */
export function NewField({ entity, column, values, targets, onCreated, onClose }: NewFieldProps) {
  const [label, setLabel] = useState(column.trim());
  const [type, setType] = useState(() => guessType(values));
  const action = useAction(async () => {
    const key = keyFor(label, targets);
    const body = { entity, key, label, type, ...(type.endsWith("list") ? { options: distinct(values) } : {}) };
    await call("POST", "api/admin/custom-fields", { body });
    await onCreated(`customFields.${key}`);
  });
  return (
    <Dialog title={files.newField} onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void action.run();
        }}
      >
        <div class="row">
          <label>
            {setUp.labels.label}
            <input required value={label} onInput={(event) => setLabel(event.currentTarget.value)} />
          </label>
          <Select label={setUp.labels.type} value={type} options={toOptions(setUp.fieldTypes)} onChange={setType} />
        </div>
        {type.endsWith("list") && <p class="help">{files.newOptions(distinct(values).length)}</p>}
        {action.error && <ErrorNotice error={action.error} focus />}
        <div class="actions">
          <button type="submit" class="primary" disabled={action.isRunning}>
            {form.create}
          </button>
          <button type="button" onClick={onClose}>
            {form.cancel}
          </button>
        </div>
      </form>
    </Dialog>
  );
}

function distinct(values: readonly string[]): readonly string[] {
  const byKey = new Map(values.map((value) => [normalizeCase(value), value]));
  return [...byKey.values()].sort();
}

function guessType(values: readonly string[]): keyof typeof setUp.fieldTypes {
  if (values.length === 0) return "text";
  const isDate = (value: string): boolean => /^\d{4}-\d\d-\d\d$/.test(value) || guessDateFormats([value]).length > 0;
  if (values.every(isDate)) return "date";
  const hasCurrency = (value: string): boolean => /\d\s*(€|[A-Z]{3})$/.test(value);
  // Postal codes and customer numbers can start with zeros, which numbers would lose.
  const isNumber = (value: string): boolean =>
    !/^0\d/.test(value) && (/^[+-]?\d+$/.test(value) || guessDecimals([value]).length > 0);
  if (values.every(isNumber)) return values.some(hasCurrency) ? "currency" : "number";
  const options = distinct(values);
  return options.length <= maxOptions && options.length * 2 <= values.length ? "list" : "text";
}

/** Returns a key such as `kundeSeit` that no other field of the entity has. */
function keyFor(label: string, targets: readonly LabeledTarget[]): string {
  const words = label
    .replaceAll("ß", "ss")
    .normalize("NFD")
    .replace(/\p{M}/gu, "")
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter(Boolean);
  const [first = "field", ...rest] = words;
  const joined = first + rest.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join("");
  const base = (/^[a-z]/.test(joined) ? joined : `field${joined}`).slice(0, 60);
  const used = new Set(targets.map(({ member = "" }) => member.toLowerCase()));
  let key = base;
  for (let number = 2; used.has(key.toLowerCase()); number++) key = base + number;
  return key;
}
