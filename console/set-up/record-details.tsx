import type { CrmRecord } from "../records/record-columns.tsx";
import { fieldLabel } from "../texts.ts";
import { formatTime } from "../ui/date-text.ts";
import { type FieldSpec, valueAt } from "../ui/field-spec.ts";

/** The values that only a new record can have set. */
export function FixedValues({ record, fields }: { readonly record: CrmRecord; readonly fields: readonly FieldSpec[] }) {
  const fixed = fields.filter(({ createOnly, input }) => createOnly && input !== "rows");
  if (fixed.length === 0) return null;
  return (
    <dl class="summary">
      {fixed.map(({ path, label, options }) => {
        const value = String(valueAt(record, path));
        return (
          <div key={path}>
            <dt>{label}</dt>
            <dd>{options?.find((option) => option.value === value)?.label ?? value}</dd>
          </div>
        );
      })}
    </dl>
  );
}

/** The times and the ID. */
export function RecordDetails({ record }: { readonly record: CrmRecord }) {
  const times = ["createdAt", "updatedAt", "archivedAt"].filter((name) => record[name]);
  return (
    <dl class="details">
      {times.map((name) => (
        <>
          <dt key={name}>{fieldLabel(name)}</dt>
          <dd>{formatTime(String(record[name]))}</dd>
        </>
      ))}
      <dt>{fieldLabel("id")}</dt>
      <dd>
        <code>{record.id}</code>
      </dd>
    </dl>
  );
}
