import { useMemo, useState } from "preact/hooks";
import { call } from "../api.ts";
import type { CrmRecord } from "../records/record-columns.tsx";
import { texts } from "../texts.ts";
import { valueAt } from "../ui/field-spec.ts";
import { Form } from "../ui/form.tsx";
import { useAction } from "../ui/load.ts";
import { ConflictNotice, isConflict } from "./conflict-notice.tsx";
import { Impact } from "./impact.tsx";
import { type Context, type Resource, urlOf } from "./resource.ts";

type Values = Readonly<Record<string, unknown>>;

type ResourceFormProps = {
  readonly resource: Resource;
  readonly context: Context;
  /** The record that is changed. Undefined for a new one. */
  readonly record?: CrmRecord;
  /** Values of a new record. */
  readonly initial?: Values;
  /** Called before a request. */
  onSubmit?(): void;
  /** Gets the saved record, or undefined if there was nothing to save. */
  onSaved(saved: CrmRecord | undefined): void;
  /** Reads the record again after a conflict. */
  onReload?(): void;
  onCancel?(): void;
};

/** The form that creates or changes a record. Its fields follow what the user enters. */
export function ResourceForm(props: ResourceFormProps) {
  const { resource, context, record, initial, onReload } = props;
  const toForm = (each: CrmRecord): Values => resource.toForm?.(each) ?? each;
  const values = useMemo(() => (record === undefined ? (initial ?? {}) : toForm(record)), [record]);
  const [edited, setEdited] = useState<Values>({});
  // The record before it was read again after a conflict.
  const [seen, setSeen] = useState<CrmRecord | undefined>();
  const fields = useMemo(
    () => resource.fields((path) => (path in edited ? edited[path] : valueAt(values, path)), context),
    [edited, values, context],
  );
  const seenValues = useMemo(() => (seen && seen !== record ? toForm(seen) : undefined), [seen, record]);
  const toBody = (form: Record<string, unknown>) => resource.toBody?.(form, record) ?? form;
  const save = useAction((form: Record<string, unknown>) =>
    record === undefined
      ? call<CrmRecord>("POST", urlOf(resource), { body: { ...toBody(form), ...resource.fixed } })
      : call<CrmRecord>("PATCH", urlOf(resource, record.id), {
          body: toBody(form),
          ...(!resource.versionInBody && { ifMatch: record.updatedAt }),
        }),
  );
  return (
    <>
      {isConflict(save.error) && (
        <ConflictNotice
          error={save.error}
          resource={resource}
          id={record?.id}
          onReload={() => {
            save.clear();
            setSeen(seen ?? record);
            onReload?.();
          }}
        />
      )}
      <Form
        fields={fields}
        record={record === undefined ? undefined : values}
        seen={seenValues}
        initial={values}
        submitLabel={record === undefined ? texts.form.create : texts.form.save}
        isRunning={save.isRunning}
        error={isConflict(save.error) ? undefined : save.error}
        onEdit={(path, draft) => setEdited((all) => ({ ...all, [path]: draft }))}
        preview={(form) => <Impact query={resource.impactQuery?.(toBody(form), record)} />}
        onSubmit={async (form) => {
          props.onSubmit?.();
          if (record !== undefined && Object.keys(form).length === 0) return props.onSaved(undefined);
          const saved = await save.run(form);
          if (saved !== undefined) props.onSaved(saved.data);
        }}
        {...(props.onCancel && { onCancel: props.onCancel })}
      />
    </>
  );
}
