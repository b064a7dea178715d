import { call } from "../api.ts";
import { History } from "../records/history.tsx";
import type { CrmRecord } from "../records/record-columns.tsx";
import { reloadSession } from "../session.tsx";
import { texts } from "../texts.ts";
import type { FieldSpec } from "../ui/field-spec.ts";
import { Form } from "../ui/form.tsx";
import { useAction, useLoad } from "../ui/load.ts";
import { ErrorNotice, Loading, useMessage } from "../ui/notice.tsx";
import { Page } from "../ui/page.tsx";

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
  const tenant = useLoad((signal) => call<Tenant>("GET", "api/admin/tenant", { signal }).then(({ data }) => data), "");
  const update = useAction((body: object) => call<Tenant>("PATCH", "api/admin/tenant", { body }));
  if (tenant.value === undefined) return tenant.error ? <ErrorNotice error={tenant.error} /> : <Loading />;
  return (
    <>
      <Form
        key={tenant.value.name}
        {...{ fields, submitLabel, isRunning: update.isRunning, error: update.error }}
        record={tenant.value}
        {...(onEdit && { onEdit })}
        onSubmit={async (body) => {
          if (Object.keys(body).length === 0) return onSaved(texts.records.unchanged);
          const saved = await update.run(body);
          if (saved === undefined) return;
          tenant.set(saved.data);
          reloadSession();
          onSaved(texts.records.saved);
        }}
      />
      {hasHistory && <History url="api/admin/tenant" record={tenant.value} fields={fields} />}
    </>
  );
}
