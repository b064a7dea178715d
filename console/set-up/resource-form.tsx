import { useMemo, useState } from "preact/hooks";
import { call } from "../api.ts";
import { resetCatalog } from "../catalog.ts";
import type { CrmRecord } from "../records/record-columns.tsx";
import { texts } from "../texts.ts";
import { valueAt } from "../ui/field-spec.ts";
import { SaveForm } from "../ui/save-form.tsx";
import { FormPreview } from "./form-preview.tsx";
import { Impact } from "./impact.tsx";
import { type Context, conflictLinks, type Resource, urlOf } from "./resource.ts";

type Values = Readonly<Record<string, unknown>>;

type ResourceFormProps = {
  readonly resource: Resource;
  readonly context: Context;
  /** The record that is changed. Undefined for a new one. */
  readonly record?: CrmRecord;
  /** Values of a new record. */
  readonly initial?: Values;
  /** The fields of this form, if there are several forms. The default is all. */
  readonly paths?: readonly string[] | undefined;
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
  const { resource, context, record, initial, paths } = props;
  const values = useMemo(
    () => (record === undefined ? (initial ?? {}) : (resource.toForm?.(record) ?? record)),
    [record],
  );
  const [edited, setEdited] = useState<Values>({});
  const enteredAt = (path: string): unknown => (path in edited ? edited[path] : valueAt(values, path));
  const preview = resource.preview?.(enteredAt);
  const fields = useMemo(
    () => resource.fields(enteredAt, context).filter(({ path }) => paths === undefined || paths.includes(path)),
    [edited, values, context],
  );
  const toBody = (form: Record<string, unknown>) => resource.toBody?.(form, record) ?? form;
  return (
    <SaveForm
      fields={fields}
      record={record === undefined ? undefined : values}
      initial={values}
      submitLabel={record === undefined ? texts.form.create : texts.form.save}
      conflict={conflictLinks(resource, record?.id)}
      onEdit={(path, draft) => setEdited((all) => ({ ...all, [path]: draft }))}
      preview={(form) => (
        <>
          {preview && <FormPreview fields={[preview]} />}
          <Impact query={resource.impactQuery?.(toBody(form), record)} />
        </>
      )}
      save={async (form) => {
        const saved = await (record === undefined
          ? call<CrmRecord>("POST", urlOf(resource), { body: { ...toBody(form), ...resource.fixed } })
          : call<CrmRecord>("PATCH", urlOf(resource, record.id), {
              body: toBody(form),
              ...(!resource.versionInBody && { ifMatch: record.updatedAt }),
            }));
        resetCatalog();
        return saved;
      }}
      onSubmit={props.onSubmit}
      onSaved={(saved) => props.onSaved(saved?.data)}
      onReload={props.onReload}
      onCancel={props.onCancel}
    />
  );
}
