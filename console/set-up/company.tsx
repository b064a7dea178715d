import { useState } from "preact/hooks";
import { call, read } from "../api.ts";
import { History } from "../records/history.tsx";
import type { CrmRecord } from "../records/record-columns.tsx";
import { reloadSession } from "../session.tsx";
import { texts } from "../texts.ts";
import type { FieldSpec } from "../ui/field-spec.ts";
import { useLoad } from "../ui/load.ts";
import { LoadStatus, useMessage } from "../ui/notice.tsx";
import { Page } from "../ui/page.tsx";
import { SaveForm } from "../ui/save-form.tsx";

const url = "api/admin/tenant";

type Tenant = CrmRecord & { readonly name: string };

const fields: readonly FieldSpec[] = [{ path: "/name", label: texts.company.name, input: "text", required: true }];

/** The company that uses the CRM. */
export function CompanyScreen() {
  const [notice, setMessage] = useMessage();
  return (
    <Page title={texts.nav.company}>
      {notice}
      <CompanyForm hasHistory submitLabel={texts.form.save} onEdit={() => setMessage(undefined)} onSaved={setMessage} />
    </Page>
  );
}

type CompanyFormProps = {
  readonly submitLabel: string;
  readonly hasHistory?: boolean;
  onEdit?(): void;
  onSaved(message: string): void;
};

/** The form of the tenant's name. */
export function CompanyForm({ submitLabel, hasHistory, onEdit, onSaved }: CompanyFormProps) {
  const tenant = useLoad((signal) => read<Tenant>(url, { signal }), "");
  // A save starts a new form. A reload after a conflict keeps the entries.
  const [saves, setSaves] = useState(0);
  const { value: record } = tenant;
  if (record === undefined) return <LoadStatus of={tenant} />;
  return (
    <>
      <SaveForm
        key={saves}
        {...{ fields, submitLabel, record }}
        {...(onEdit && { onEdit })}
        conflict={{ route: ["company"] }}
        save={(body) => call<Tenant>("PATCH", url, { body, ifMatch: record.updatedAt })}
        onReload={tenant.reload}
        onSaved={(saved) => {
          if (saved === undefined) return onSaved(texts.records.unchanged);
          tenant.set(saved.data);
          setSaves(saves + 1);
          reloadSession();
          onSaved(texts.records.saved);
        }}
      />
      {hasHistory && <History url={url} record={record} fields={fields} />}
    </>
  );
}
