import type { CrmError, FieldError } from "crm-integrations/client";
import type { ComponentChildren } from "preact";
import { useId, useMemo, useState } from "preact/hooks";
import { useSetUpNames } from "../catalog.ts";
import { collections, type Entity, useNames } from "../names.ts";
import { texts } from "../texts.ts";
import { describeDraft } from "./describe-draft.ts";
import { describeFieldError, isAtOrBelow } from "./error-text.ts";
import { FieldInput } from "./field-input.tsx";
import {
  type Draft,
  type FieldSpec,
  fromDraft,
  groupsOf,
  type RelatedToDraft,
  setAt,
  textErrors,
  toDraft,
  valueAt,
} from "./field-spec.ts";
import { ErrorNotice, Notice } from "./notice.tsx";
import { ReadGroup, type Reading } from "./read-group.tsx";
import { useUnsavedChanges } from "./unsaved.ts";

type Values = Readonly<Record<string, unknown>>;

export type FormProps = {
  readonly fields: readonly FieldSpec[];
  /** Fields without an input that errors can be about too. */
  readonly labels?: readonly FieldSpec[];
  /** The record that is changed. Undefined for a new one. */
  readonly record?: Values | undefined;
  /** The record as the user saw it, if it was read again after a conflict. Fields that have changed since are marked. */
  readonly seen?: Values | undefined;
  /** Values of a new record. */
  readonly initial?: Values;
  readonly submitLabel: string;
  /** Whether the form is being saved. It is locked in the meantime. */
  readonly isRunning: boolean;
  readonly error: CrmError | undefined;
  /** The name of the stage that the record moves to, for errors. */
  readonly stage?: string | undefined;
  /** Gets a whole body for a new record, and only the changed fields for an update. */
  onSubmit(body: Record<string, unknown>): void;
  onCancel?: (() => void) | undefined;
  /** Shows groups to read until the user opens them. Without it, all groups are open. */
  readonly reading?: Reading;
  /** Called when the user changes an input. */
  onEdit?(path: string, draft: Draft): void;
  /** Shown above the buttons. Gets the body that would be sent. */
  preview?(body: Record<string, unknown>): ComponentChildren;
};

type Drafts = Readonly<Record<string, Draft>>;

/** A form whose errors appear at their fields, with all other errors above. Leaving it with changes asks first. */
export function Form(props: FormProps) {
  const { fields, record, seen, initial, error, isRunning, stage } = props;
  const before = useMemo(() => toDrafts(fields, record ?? initial), [fields, record, initial]);
  const [edited, setEdited] = useState<Drafts>({});
  const formId = useId();
  const shown = fields.filter(({ createOnly }) => record === undefined || !createOnly);
  const draftOf = (path: string): Draft => (path in edited ? edited[path] : before[path]);
  const isEdited = (path: string): boolean => path in edited && !isEqual(edited[path], before[path]);
  const hasEdits = shown.some(({ path }) => isEdited(path));
  useUnsavedChanges(hasEdits);

  function body(): Record<string, unknown> {
    const result: Record<string, unknown> = {};
    for (const field of shown) {
      const draft = draftOf(field.path);
      if (record !== undefined && !isEdited(field.path)) continue;
      // An update clears an empty field. A new record omits it.
      const value = fromDraft(record === undefined ? { ...field, nullable: false } : field, draft);
      if (value !== undefined || record !== undefined) setAt(result, field.path, value ?? (field.nullable ? null : ""));
    }
    return result;
  }

  function edit(path: string, draft: Draft): void {
    setEdited((all) => ({ ...all, [path]: draft }));
    props.onEdit?.(path, draft);
  }

  /** A form that stays on its screen loses its entries at once. Other forms ask when the user leaves the screen. */
  function cancel(): void {
    if (props.reading === undefined || !hasEdits || confirm(texts.form.discard)) props.onCancel?.();
  }

  const seenDrafts = useMemo(() => seen && toDrafts(fields, seen), [fields, seen]);
  const hasChanged = ({ path }: FieldSpec): boolean => !!seenDrafts && !isEqual(seenDrafts[path], before[path]);
  const errorsAt = (path: string) => error?.fieldErrors.filter((each) => isAtOrBelow(each.path, path)) ?? [];
  const known = new Set(shown.flatMap(({ path }) => errorsAt(path)));
  const others = error?.fieldErrors.filter((each) => !known.has(each)) ?? [];
  const { reading } = props;
  const isOpen = (group: string, members: readonly FieldSpec[]): boolean =>
    reading === undefined ||
    (!reading.isLocked &&
      (reading.editing.groups.has(group) ||
        members.some((field) => isEdited(field.path) || hasChanged(field) || errorsAt(field.path).length > 0)));
  const groups = groupsOf(shown);
  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        props.onSubmit(body());
      }}
    >
      {seenDrafts && !error && <Notice focus>{texts.form.changedFields(shown.filter(hasChanged).length)}</Notice>}
      {error && (
        <ErrorNotice error={error} focus hidesMessage={known.size > 0}>
          {known.size > 0 && (
            <p>{texts.form.seeFields(shown.filter(({ path }) => errorsAt(path).length > 0).length)}</p>
          )}
          {others.length > 0 && (
            <ul>
              {others.map((each) => (
                <li key={each.path + each.message}>
                  {describeFieldError(each, { fields: props.labels ?? fields, stage })}
                </li>
              ))}
            </ul>
          )}
        </ErrorNotice>
      )}
      <fieldset class="lock" disabled={isRunning}>
        {groups.map(([group, members]) =>
          reading && !isOpen(group, members) ? (
            <ReadGroup key={group} {...reading} group={group} fields={members} />
          ) : (
            <div key={group} class="field-group">
              {group && <h2>{group}</h2>}
              {members.map((field) => (
                <FieldInput
                  key={field.path}
                  id={`${formId}${field.path.replaceAll("/", "-")}`}
                  field={field}
                  draft={draftOf(field.path)}
                  errors={fieldMessages(field, draftOf(field.path), errorsAt(field.path), stage)}
                  changed={
                    hasChanged(field) && (
                      <Change
                        field={field}
                        isEdited={isEdited(field.path)}
                        draft={(isEdited(field.path) ? before : seenDrafts)?.[field.path]}
                      />
                    )
                  }
                  onUseChanged={isEdited(field.path) ? () => edit(field.path, before[field.path]) : undefined}
                  onChange={(draft) => edit(field.path, draft)}
                />
              ))}
            </div>
          ),
        )}
        {props.preview?.(body())}
        {groups.some(([group, members]) => isOpen(group, members)) && (
          <div class="actions submit">
            <button type="submit" class="primary">
              {isRunning ? texts.form.saving : props.submitLabel}
            </button>
            {props.onCancel && (
              <button type="button" onClick={cancel}>
                {texts.form.cancel}
              </button>
            )}
          </div>
        )}
      </fieldset>
    </form>
  );
}

function toDrafts(fields: readonly FieldSpec[], values: Values | undefined): Drafts {
  return Object.fromEntries(fields.map((field) => [field.path, toDraft(field, valueAt(values, field.path))]));
}

function isEqual(a: Draft, b: Draft): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

/** Returns the errors of a field. For a text that isn't a number or a date, the API can't know what the user means. */
function fieldMessages(
  field: FieldSpec,
  draft: Draft,
  errors: readonly FieldError[],
  stage: string | undefined,
): string[] {
  const typed = errors.length > 0 ? textErrors(field, draft) : [];
  const rest = errors.filter((each) => !typed.some(({ path }) => isAtOrBelow(path, each.path)));
  return [
    ...typed.map(({ path, message }) => describeRow(field, path) + message),
    ...rest.map((each) => describeRow(field, each.path) + describeFieldError(each, { fields: [field], stage })),
  ];
}

/** Names the row or the line of an error in a list. */
function describeRow({ input, path }: FieldSpec, errorPath: string): string {
  const index = errorPath.slice(path.length + 1).split("/")[0] ?? "";
  return ["rows", "lines"].includes(input) && index !== "" ? `${texts.form.row(Number(index) + 1)}: ` : "";
}

type ChangeProps = { readonly field: FieldSpec; readonly isEdited: boolean; readonly draft: Draft };

/** Says what another user has changed: the new value if the user has entered another one, and the old value otherwise. */
function Change({ field, isEdited, draft }: ChangeProps) {
  const { type = field.kind, id = draft } = field.input === "related-to" ? (draft as RelatedToDraft) : {};
  const isReference = type !== undefined && Object.hasOwn(collections, type);
  const records = useNames(type as Entity, isReference ? ([id].flat() as string[]) : []);
  const value = describeDraft(field, draft, new Map([...records, ...useSetUpNames("")]));
  return <>{isEdited ? texts.form.changedTo(value) : texts.form.changedFrom(value)}</>;
}
