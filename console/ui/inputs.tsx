import { relatedKinds } from "../entities.ts";
import { texts } from "../texts.ts";
import { Options } from "./choices.tsx";
import { DateInput } from "./date-input.tsx";
import type { CurrencyDraft, InputProps, RelatedToDraft } from "./field-spec.ts";
import { ReferenceInput, ReferencesInput } from "./reference-input.tsx";
import { RowsInput } from "./rows-input.tsx";

/** A number is text, because `type="number"` hides what it can't read. */
const htmlTypes: Readonly<Record<string, string>> = {
  email: "email",
  url: "url",
  tel: "tel",
};

/** The input of a field, without its label. */
export function Input(props: InputProps) {
  const { id, field, draft, describedBy, isInvalid, onChange } = props;
  const common = {
    id,
    "aria-describedby": describedBy,
    "aria-invalid": isInvalid || undefined,
    "aria-required": field.required || undefined,
  };
  const onInput = (event: { currentTarget: { value: string } }): void => onChange(event.currentTarget.value);
  switch (field.input) {
    case "textarea":
    case "lines":
      return <textarea {...common} rows={4} value={String(draft)} onInput={onInput} />;
    case "checkbox":
      return (
        <input
          {...common}
          type="checkbox"
          checked={draft === true}
          onChange={(e) => onChange(e.currentTarget.checked)}
        />
      );
    case "select":
      return (
        <select {...common} value={String(draft)} onChange={onInput}>
          <Options options={field.options ?? []} none={(!field.required || draft === "") && texts.form.none} />
          {draft !== "" && !field.options?.some(({ value }) => value === draft) && (
            <option value={String(draft)}>{String(draft)}</option>
          )}
        </select>
      );
    case "multi-select":
      return <MultiSelect {...props} />;
    case "date":
    case "date-time":
      return <DateInput {...common} label={field.label} type={field.input} value={String(draft)} onChange={onChange} />;
    case "currency":
      return <CurrencyInput {...props} />;
    case "reference":
      return (
        <ReferenceInput
          {...{ id, describedBy, isInvalid }}
          kind={field.kind ?? ""}
          value={String(draft)}
          onChange={onChange}
        />
      );
    case "references":
      return <ReferencesInput {...props} />;
    case "related-to":
      return <RelatedToInput {...props} />;
    case "rows":
      return <RowsInput {...props} />;
    default:
      return (
        <input
          {...common}
          type={htmlTypes[field.input] as "text"}
          inputMode={field.input === "number" ? "decimal" : undefined}
          maxLength={field.maxLength}
          autoComplete="off"
          value={String(draft)}
          onInput={onInput}
        />
      );
  }
}

function MultiSelect({ id, field, draft, onChange }: InputProps) {
  const chosen = draft as readonly string[];
  const unknown = chosen.filter((value) => !field.options?.some((option) => option.value === value));
  const options = [...(field.options ?? []), ...unknown.map((value) => ({ value, label: value }))];
  return (
    <div class="choices">
      {options.map(({ value, label }, index) => (
        <label key={value} for={`${id}-${index}`}>
          <input
            id={`${id}-${index}`}
            type="checkbox"
            checked={chosen.includes(value)}
            onChange={(event) => {
              const others = chosen.filter((each) => each !== value);
              onChange(event.currentTarget.checked ? [...others, value] : others);
            }}
          />{" "}
          {label}
        </label>
      ))}
    </div>
  );
}

function CurrencyInput({ id, draft, onChange }: InputProps) {
  const { amount, currency } = draft as CurrencyDraft;
  return (
    <div class="row">
      <input
        id={`${id}-amount`}
        aria-label={texts.form.amount}
        inputMode="decimal"
        value={amount}
        onInput={(event) => onChange({ amount: event.currentTarget.value, currency })}
      />
      <input
        id={`${id}-currency`}
        aria-label={texts.form.currency}
        size={5}
        placeholder="EUR"
        value={currency}
        onInput={(event) => onChange({ amount, currency: event.currentTarget.value })}
      />
    </div>
  );
}

const relatedOptions = relatedKinds.map((kind) => ({ value: kind, label: texts.kinds[kind] }));

function RelatedToInput({ id, draft, describedBy, isInvalid, onChange }: InputProps) {
  const { type, id: recordId } = draft as RelatedToDraft;
  return (
    <div class="row">
      <label for={`${id}-type`}>
        {texts.form.relatedType}
        <select
          id={`${id}-type`}
          value={type}
          onChange={(event) => onChange({ type: event.currentTarget.value, id: "" })}
        >
          <Options options={relatedOptions} none={texts.form.none} />
        </select>
      </label>
      {type !== "" && (
        <label for={`${id}-id`}>
          {texts.kinds[type as "account"]}
          <ReferenceInput
            {...{ id: `${id}-id`, describedBy, isInvalid }}
            kind={type}
            value={recordId}
            onChange={(next) => onChange({ type, id: next })}
          />
        </label>
      )}
    </div>
  );
}
