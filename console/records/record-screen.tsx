import { useState } from "preact/hooks";
import { call } from "../api.ts";
import { collections, type Entity, nameOf, rememberNames } from "../names.ts";
import { navigate, navigateSaved } from "../route.ts";
import { texts } from "../texts.ts";
import { Form } from "../ui/form.tsx";
import { useAction, useLoad } from "../ui/load.ts";
import { ErrorNotice, Loading, SuccessNotice, useMessage } from "../ui/notice.tsx";
import { Page } from "../ui/page.tsx";
import { History } from "./history.tsx";
import { Notes } from "./notes.tsx";
import { RecordAside } from "./record-aside.tsx";
import type { CrmRecord } from "./record-columns.tsx";
import { type FieldSchema, schemaFields } from "./schema-fields.ts";
import { Transitions } from "./transitions.tsx";

type RecordScreenProps = {
  readonly entity: Entity;
  /** Undefined for a new record. */
  readonly id: string | undefined;
  /** Values of a new record. */
  readonly query: URLSearchParams;
};

/** Reads, creates and changes a record with the form of the tenant. */
export function RecordScreen({ entity, id, query }: RecordScreenProps) {
  return id === undefined ? (
    <NewRecord entity={entity} query={query} />
  ) : (
    <ExistingRecord entity={entity} id={id} isNew={query.get("created") === "true"} />
  );
}

async function readFields(entity: Entity, purpose: "create" | "update", signal: AbortSignal) {
  const schema = await call<FieldSchema>("GET", `api/v1/schema/${entity}`, { query: { for: purpose }, signal });
  return schemaFields(schema.data).filter(({ isFixed }) => !isFixed);
}

function NewRecord({ entity, query }: Omit<RecordScreenProps, "id">) {
  const collection = collections[entity];
  const fields = useLoad((signal) => readFields(entity, "create", signal), entity);
  const create = useAction((body: object) => call<CrmRecord>("POST", `api/v1/${collection}`, { body }));
  const [initial] = useState(() => initialValues(query));
  return (
    <Page title={texts.records.create(texts.kinds[entity])}>
      {fields.error && <ErrorNotice error={fields.error} />}
      {fields.value === undefined && !fields.error && <Loading />}
      {fields.value && (
        <Form
          fields={fields.value}
          initial={initial}
          submitLabel={texts.form.create}
          isRunning={create.isRunning}
          error={create.error}
          onSubmit={async (body) => {
            const created = await create.run(body);
            if (created === undefined) return;
            rememberNames([created.data]);
            navigateSaved([collection, created.data.id], { created: true });
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

type ExistingRecordProps = { readonly entity: Entity; readonly id: string; readonly isNew: boolean };

function ExistingRecord({ entity, id, isNew }: ExistingRecordProps) {
  const path = `api/v1/${collections[entity]}/${id}`;
  const fields = useLoad((signal) => readFields(entity, "update", signal), entity);
  const record = useLoad(
    (signal) => call<CrmRecord>("GET", path, { query: { includeArchived: true }, signal }).then(({ data }) => data),
    id,
  );
  const [saved, setSaved] = useMessage(isNew ? texts.setUp.created : undefined);
  // A new form shows what was saved. After a conflict, the form stays, with what the user has entered.
  const [saves, setSaves] = useState(0);
  const [seen, setSeen] = useState<CrmRecord | undefined>();
  const update = useAction((body: object) =>
    call<CrmRecord>("PATCH", path, { body, ifMatch: record.value?.updatedAt }),
  );
  const setArchived = useAction((isArchived: boolean) =>
    isArchived ? call("DELETE", path) : call("POST", `${path}/restore`),
  );
  const current = record.value;
  const isArchived = Boolean(current?.archivedAt);
  const hasNotes = entity !== "task" && entity !== "note";
  const error = record.error ?? fields.error;

  async function finish(done: unknown, message: string): Promise<void> {
    if (done === undefined) return;
    setSaved(message);
    record.reload();
  }

  return (
    <Page
      title={current === undefined ? texts.kinds[entity] : nameOf(current)}
      actions={
        current && (
          <button
            type="button"
            class={isArchived ? undefined : "danger"}
            disabled={setArchived.isRunning}
            onClick={async () =>
              finish(await setArchived.run(!isArchived), isArchived ? texts.records.restored : texts.records.archived)
            }
          >
            {isArchived ? texts.records.restore : texts.records.archive}
          </button>
        )
      }
    >
      {error && <ErrorNotice error={error} />}
      {setArchived.error && <ErrorNotice error={setArchived.error} focus />}
      {saved && (
        <SuccessNotice key={saved.key} focus>
          {saved.text}
        </SuccessNotice>
      )}
      {(current === undefined || fields.value === undefined) && !error && <Loading />}
      {current && fields.value && (
        <div class="record">
          <div>
            {(entity === "opportunity" || entity === "task") && !isArchived && (
              <Transitions
                key={current.updatedAt}
                entity={entity}
                record={current}
                fields={fields.value}
                onChanged={() => finish(true, texts.records.saved)}
              />
            )}
            {update.error?.status === 412 && (
              <p>
                <button
                  type="button"
                  onClick={() => {
                    update.clear();
                    setSeen(seen ?? current);
                    record.reload();
                  }}
                >
                  {texts.records.reload}
                </button>
              </p>
            )}
            {isArchived ? (
              <p class="notice">{texts.records.archivedHint}</p>
            ) : (
              <Form
                key={saves}
                fields={fields.value}
                record={current}
                seen={seen !== current ? seen : undefined}
                submitLabel={texts.form.save}
                isRunning={update.isRunning}
                error={update.error}
                onSubmit={async (body) => {
                  setSaved(undefined);
                  if (Object.keys(body).length === 0) return setSaved(texts.records.unchanged);
                  const response = await update.run(body);
                  if (response === undefined) return;
                  record.set(response.data);
                  setSeen(undefined);
                  setSaves((count) => count + 1);
                  setSaved(texts.records.saved);
                }}
              />
            )}
            {hasNotes && <Notes entity={entity} record={current} />}
            <History url={path} record={current} fields={fields.value} />
          </div>
          <RecordAside entity={entity} record={current} />
        </div>
      )}
    </Page>
  );
}
