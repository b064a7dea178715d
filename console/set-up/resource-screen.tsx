import { useState } from "preact/hooks";
import { call } from "../api.ts";
import { resetCatalog } from "../catalog.ts";
import { History } from "../records/history.tsx";
import type { CrmRecord } from "../records/record-columns.tsx";
import { href, navigate, openCreated } from "../route.ts";
import type { Session } from "../session.tsx";
import { texts } from "../texts.ts";
import { ConflictNotice } from "../ui/conflict-notice.tsx";
import { valueAt } from "../ui/field-spec.ts";
import { useAction, useLoad } from "../ui/load.ts";
import { LoadStatus, useMessage } from "../ui/notice.tsx";
import { Page } from "../ui/page.tsx";
import { Tabs } from "../ui/tabs.tsx";
import { mayLeave } from "../ui/unsaved.ts";
import { ConfirmButton } from "./confirm-button.tsx";
import { FixedValues, RecordDetails } from "./record-details.tsx";
import { type Context, conflictLinks, noContext, type Resource, readRecord, urlOf } from "./resource.ts";
import { ResourceForm } from "./resource-form.tsx";
import { BackLink } from "./resource-list.tsx";

type NewResourceProps = { readonly resource: Resource; readonly query: URLSearchParams };

/** The form of a new record. */
export function NewResource({ resource, query }: NewResourceProps) {
  const context = useLoad(async (signal) => (await resource.load?.(signal)) ?? noContext, resource.name);
  return (
    <Page
      title={texts.setUp.kinds[resource.name].create}
      actions={<BackLink resource={resource} entity={query.get("entity")} />}
    >
      <LoadStatus of={context} />
      {context.value && <CreateForm resource={resource} query={query} context={context.value} />}
    </Page>
  );
}

function CreateForm({ resource, query, context }: NewResourceProps & { readonly context: Context }) {
  const [initial] = useState(() => resource.initial?.(query, context) ?? {});
  const [created, setCreated] = useState<CrmRecord | undefined>();
  const { Created } = resource;
  const open = ({ id }: CrmRecord): void => openCreated([...resource.route, id]);
  if (Created && created) return <Created record={created} onClose={() => open(created)} />;
  return (
    <ResourceForm
      resource={resource}
      context={context}
      initial={initial}
      onSaved={(saved) => {
        if (Created) setCreated(saved);
        else if (saved !== undefined) open(saved);
      }}
      onCancel={() => navigate(resource.parent ?? resource.route)}
    />
  );
}

type ExistingResourceProps = {
  readonly resource: Resource;
  readonly id: string;
  readonly query: URLSearchParams;
  readonly session: Session;
};

/** A record with its form, and buttons to archive and restore it. */
export function ExistingResource({ resource, id, query, session }: ExistingResourceProps) {
  const kind = texts.setUp.kinds[resource.name];
  const loaded = useLoad(async (signal) => {
    const [record, context] = await Promise.all([
      readRecord(resource, id, signal),
      resource.load?.(signal) ?? noContext,
    ]);
    return { record, context };
  }, id);
  const [notice, setMessage] = useMessage();
  const { record, context = noContext } = loaded.value ?? {};
  const isArchived = Boolean(record?.archivedAt);
  const setArchived = useAction(
    (archive: boolean) =>
      archive
        ? call("DELETE", urlOf(resource, id), { ifMatch: resource.versionInBody ? undefined : record?.updatedAt })
        : call("POST", `${urlOf(resource, id)}/restore`),
    (_, archive) => reload(archive ? texts.records.archived : texts.records.restored),
  );
  const { Head, Extra } = resource;
  const fields = record === undefined ? [] : resource.fields((path) => valueAt(record, path), context);
  const note = record && resource.note?.(record, session);

  function reload(done?: string): void {
    setMessage(done);
    setArchived.clear();
    resetCatalog();
    loaded.reload();
  }

  const form = (paths?: readonly string[]) =>
    record && (
      <EditForm
        {...{ resource, record, context, paths, note }}
        onReload={() => reload()}
        onSubmit={() => setMessage(undefined)}
        onSaved={(saved) => {
          if (saved === undefined) return setMessage(texts.records.unchanged);
          loaded.set({ record: saved, context });
          reload(texts.records.saved);
        }}
      />
    );
  const history = record && (
    <>
      <History url={urlOf(resource, id)} record={record} fields={fields} />
      <RecordDetails record={record} />
    </>
  );

  function changeArchived(archive: boolean): void {
    if (!mayLeave()) return;
    setMessage(undefined);
    void setArchived.run(archive);
  }

  return (
    <Page
      title={record === undefined ? kind.one : resource.nameOf(record, context)}
      actions={
        <>
          <BackLink resource={resource} entity={record?.entity} />
          {record &&
            (isArchived ? (
              <button type="button" disabled={setArchived.isRunning} onClick={() => changeArchived(false)}>
                {texts.records.restore}
              </button>
            ) : (
              <ConfirmButton
                label={texts.records.archive}
                title={texts.setUp.archiveTitle(resource.nameOf(record, context))}
                isRunning={setArchived.isRunning}
                onConfirm={() => changeArchived(true)}
              >
                <p>{kind.archive}</p>
              </ConfirmButton>
            ))}
        </>
      }
    >
      <LoadStatus of={loaded} />
      {setArchived.error && (
        <ConflictNotice {...conflictLinks(resource, id)} error={setArchived.error} onReload={() => reload()} />
      )}
      {notice}
      {record && (
        <>
          {Head ? (
            !isArchived && <Head {...{ record, context, session }} onChanged={loaded.reload} onMessage={setMessage} />
          ) : (
            <FixedValues record={record} fields={fields} />
          )}
          {resource.tabs ? (
            <Tabs
              label={kind.one}
              tabs={resource.tabs({ record, session, form, onChanged: loaded.reload, history })}
              current={query.get("tab")}
              hrefOf={(tab) => href([...resource.route, id], { tab })}
            />
          ) : (
            <>
              {form()}
              {Extra && <Extra {...{ record, session }} onChanged={loaded.reload} onMessage={setMessage} />}
              {history}
            </>
          )}
        </>
      )}
    </Page>
  );
}

type EditFormProps = Pick<
  Parameters<typeof ResourceForm>[0],
  "resource" | "context" | "paths" | "onSubmit" | "onReload"
> & {
  readonly record: CrmRecord;
  readonly note: string | undefined;
  onSaved(saved: CrmRecord | undefined): void;
};

/** A form of a record that isn't archived. A save starts a new form. A reload after a conflict keeps the entries. */
function EditForm({ note, onSaved, ...form }: EditFormProps) {
  const [saves, setSaves] = useState(0);
  if (form.record.archivedAt) return <p>{texts.records.archivedHint}</p>;
  return (
    <>
      {note && <p class="notice">{note}</p>}
      <ResourceForm
        key={saves}
        {...form}
        onSaved={(saved) => {
          if (saved !== undefined) setSaves(saves + 1);
          onSaved(saved);
        }}
      />
    </>
  );
}
