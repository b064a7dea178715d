import { useState } from "preact/hooks";
import { call } from "../api.ts";
import { collections, type Entity, rememberNames } from "../names.ts";
import { navigate, openCreated } from "../route.ts";
import { texts } from "../texts.ts";
import { useLoad } from "../ui/load.ts";
import { LoadStatus } from "../ui/notice.tsx";
import { Page } from "../ui/page.tsx";
import { SaveForm } from "../ui/save-form.tsx";
import type { CrmRecord } from "./record-columns.tsx";
import { readFields } from "./schema-fields.ts";

type NewRecordProps = {
  readonly entity: Entity;
  /** Values of the record. */
  readonly query: URLSearchParams;
};

/** Creates a record with the form of the tenant. */
export function NewRecord({ entity, query }: NewRecordProps) {
  const collection = collections[entity];
  const fields = useLoad((signal) => readFields(entity, "create", signal), entity);
  const [initial] = useState(() => initialValues(query));
  return (
    <Page title={texts.records.create(texts.kinds[entity])}>
      <LoadStatus of={fields} />
      {fields.value && (
        <SaveForm
          fields={fields.value}
          initial={initial}
          submitLabel={texts.form.create}
          conflict={{ route: [collection] }}
          save={(body) => call<CrmRecord>("POST", `api/v1/${collection}`, { body })}
          onSaved={(created) => {
            if (created === undefined) return;
            rememberNames([created.data]);
            openCreated([collection, created.data.id]);
          }}
          onCancel={() => navigate([collection])}
        />
      )}
    </Page>
  );
}

/** A link can fill fields: `?accountId=ID`, `?relatedToType=account&relatedToId=ID`. */
function initialValues(query: URLSearchParams): Record<string, unknown> {
  const { relatedToType: type, relatedToId: id, ...values } = Object.fromEntries(query);
  return type === undefined || id === undefined ? values : { ...values, relatedTo: { type, id } };
}
