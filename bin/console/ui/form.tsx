import type { ComponentChildren } from "preact";
import { useId, useMemo, useRef, useState } from "preact/hooks";
import type { CallError } from "../api.ts";
import { texts } from "../texts.ts";
import { type Draft, type FieldSpec, fromDraft, setAt, toDraft, valueAt } from "./field-spec.ts";
import { FieldInput } from "./inputs.tsx";
import { ErrorNotice } from "./notice.tsx";

export type FormProps = {
  readonly fields: readonly FieldSpec[];
  /** The record that is changed. Undefined for a new one. */
  readonly record?: Readonly<Record<string, unknown>> | undefined;
  /** Values of a new record. */
  readonly initial?: Readonly<Record<string, unknown>>;
  readonly submitLabel: string;
  readonly isRunning: boolean;
  readonly error: CallError | undefined;
  /** Gets a whole body for a new record, and only the changed fields for an update. */
  onSubmit(body: Record<string, unknown>): void;
  onCancel?(): void;
  /** Called when the user changes an input. */
  onEdit?(path: string, draft: Draft): void;
  /** Shown above the buttons. Gets the body that would be sent. */
  preview?(body: Record<string, unknown>): ComponentChildren;
};

type Drafts = Readonly<Record<string, Draft>>;

/** A form whose errors appear at their fields, with all other errors above. */
export function Form(props: FormProps) {
  const { fields, record, initial, error, isRunning } = props;
  const before = useMemo<Drafts>(
    () =>
      Object.fromEntries(fields.map((field) => [field.path, toDraft(field, valueAt(record ?? initial, field.path))])),
    [fields, record, initial],
  );
  const [edited, setEdited] = useState<Drafts>({});
  const formId = useId();
  const form = useRef<HTMLFormElement>(null);
  const shown = fields.filter(({ createOnly }) => record === undefined || !createOnly);
  const draftOf = (path: string): Draft => (path in edited ? edited[path] : before[path]);

  function body(): Record<string, unknown> {
    const result: Record<string, unknown> = {};
    for (const field of shown) {
      const draft = draftOf(field.path);
      if (record !== undefined && JSON.stringify(draft) === JSON.stringify(before[field.path])) continue;
      // An update clears an empty field. A new record omits it.
      const value = fromDraft(record === undefined ? { ...field, nullable: false } : field, draft);
      if (value !== undefined || record !== undefined) setAt(result, field.path, value ?? (field.nullable ? null : ""));
    }
    return result;
  }

  const errorsAt = (path: string) =>
    error?.fieldErrors.filter((each) => each.path === path || each.path.startsWith(`${path}/`)) ?? [];
  const known = new Set(shown.flatMap(({ path }) => errorsAt(path)));
  const others = error?.fieldErrors.filter((each) => !known.has(each)) ?? [];
  return (
    <form
      ref={form}
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        props.onSubmit(body());
      }}
    >
      {error && (
        <ErrorNotice error={error} focus hidesMessage={known.size > 0}>
          {known.size > 0 && <p>{texts.form.seeFields(known.size)}</p>}
          {others.length > 0 && (
            <ul>
              {others.map(({ path, message }) => (
                <li key={path + message}>
                  {path}: {message}
                </li>
              ))}
            </ul>
          )}
        </ErrorNotice>
      )}
      {shown.map((field) => (
        <FieldInput
          key={field.path}
          id={`${formId}${field.path.replaceAll("/", "-")}`}
          field={field}
          draft={draftOf(field.path)}
          errors={errorsAt(field.path).map(({ path, message }) => describeRow(field, path) + message)}
          onChange={(draft) => {
            setEdited((all) => ({ ...all, [field.path]: draft }));
            props.onEdit?.(field.path, draft);
          }}
        />
      ))}
      {props.preview?.(body())}
      <div class="actions">
        <button type="submit" class="primary" disabled={isRunning}>
          {isRunning ? texts.form.saving : props.submitLabel}
        </button>
        {props.onCancel && (
          <button type="button" onClick={props.onCancel}>
            {texts.form.cancel}
          </button>
        )}
      </div>
    </form>
  );
}

/** Names the row of an error in a list. */
function describeRow({ input, path }: FieldSpec, errorPath: string): string {
  const index = errorPath.slice(path.length + 1).split("/")[0] ?? "";
  return input === "rows" && index !== "" ? `${texts.form.row(Number(index) + 1)}: ` : "";
}
