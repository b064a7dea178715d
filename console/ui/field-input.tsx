import type { ComponentChildren } from "preact";
import { texts } from "../texts.ts";
import type { InputProps } from "./field-spec.ts";
import { Input } from "./inputs.tsx";

type FieldInputProps = Omit<InputProps, "describedBy" | "isInvalid"> & {
  readonly errors: readonly string[];
  /** A change by another user since the form was opened. */
  readonly changed: ComponentChildren;
  readonly onUseChanged: (() => void) | undefined;
};

/** Inputs with several controls. */
const groups = ["multi-select", "currency", "references", "related-to", "rows"];
/** Inputs that use the whole width of a form. */
const wide = ["textarea", "lines", "multi-select", "references", "related-to", "rows"];

/** A label, an input, its help and its errors. */
export function FieldInput({ errors, changed, onUseChanged, ...props }: FieldInputProps) {
  const { id, field } = props;
  const helpId = field.help === undefined ? undefined : `${id}-help`;
  const errorId = errors.length > 0 ? `${id}-error` : undefined;
  const changedId = changed ? `${id}-changed` : undefined;
  const describedBy = [errorId, changedId, helpId].filter(Boolean).join(" ") || undefined;
  const isWide = wide.includes(field.input);
  const marks = `${isWide ? " wide" : ""}${errorId ? " invalid" : ""}${changedId ? " changed" : ""}`;
  const rest = { ...props, describedBy, isInvalid: errors.length > 0 };
  const label = (
    <>
      {field.label}
      {field.required && <span class="required"> {texts.form.required}</span>}
    </>
  );
  const notes = (
    <>
      {helpId && (
        <p class="help" id={helpId}>
          {field.help}
        </p>
      )}
      {changedId && (
        <p class="change" id={changedId}>
          {changed}{" "}
          {onUseChanged && (
            <button
              type="button"
              onClick={({ currentTarget }) => {
                currentTarget
                  .closest("[data-path]")
                  ?.querySelector<HTMLElement>("input, select, textarea, button")
                  ?.focus();
                onUseChanged();
              }}
            >
              {texts.form.useChanged}
            </button>
          )}
        </p>
      )}
      {errorId && (
        <ul class="field-errors" id={errorId}>
          {errors.map((message) => (
            <li key={message}>{message}</li>
          ))}
        </ul>
      )}
    </>
  );
  if (groups.includes(field.input))
    return (
      <fieldset class={`field${marks}`} data-path={field.path} aria-describedby={describedBy}>
        <legend>{label}</legend>
        <Input {...rest} />
        {notes}
      </fieldset>
    );
  if (field.input === "checkbox")
    return (
      <div class={`field checkbox${marks}`} data-path={field.path}>
        <Input {...rest} /> <label for={id}>{label}</label>
        {notes}
      </div>
    );
  return (
    <div class={`field${marks}`} data-path={field.path}>
      <label for={id}>{label}</label>
      <Input {...rest} />
      {notes}
    </div>
  );
}
