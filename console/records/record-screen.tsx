import { Pencil } from "lucide";
import { useState } from "preact/hooks";
import { call, read } from "../api.ts";
import { relatedKinds } from "../entities.ts";
import { collections, type Entity, nameOf } from "../names.ts";
import { texts } from "../texts.ts";
import { allGroups, useEditing } from "../ui/editing.ts";
import type { FieldSpec } from "../ui/field-spec.ts";
import { Icon } from "../ui/icon.tsx";
import { useAction, useLoad } from "../ui/load.ts";
import { ErrorNotice, LoadStatus, useMessage } from "../ui/notice.tsx";
import { Page } from "../ui/page.tsx";
import { SaveForm } from "../ui/save-form.tsx";
import { mayLeave } from "../ui/unsaved.ts";
import { History } from "./history.tsx";
import { Notes } from "./notes.tsx";
import { RecordAside } from "./record-aside.tsx";
import type { CrmRecord } from "./record-columns.tsx";
import { FieldValue, RecordSummary, useReferenceNames } from "./record-values.tsx";
import { readFields } from "./schema-fields.ts";
import { Transitions } from "./transitions.tsx";

type RecordScreenProps = {
  readonly entity: Entity;
  readonly id: string;
};

/** A record to read. Its groups of fields are edited in place. */
export function RecordScreen({ entity, id }: RecordScreenProps) {
  const path = `api/v1/${collections[entity]}/${id}`;
  const fields = useLoad((signal) => readFields(entity, "update", signal), entity);
  const record = useLoad((signal) => read<CrmRecord>(path, { query: { includeArchived: true }, signal }), id);
  const [notice, setMessage] = useMessage();
  const editing = useEditing();
  const setArchived = useAction((isArchived: boolean) =>
    isArchived ? call("DELETE", path) : call("POST", `${path}/restore`),
  );
  const current = record.value;
  const isArchived = Boolean(current?.archivedAt);

  async function changeArchived(): Promise<void> {
    if (!mayLeave() || (await setArchived.run(!isArchived)) === undefined) return;
    editing.close();
    setMessage(isArchived ? texts.records.restored : texts.records.archived);
    record.reload();
  }

  return (
    <Page
      title={current === undefined ? texts.kinds[entity] : nameOf(current)}
      actions={
        current && (
          <>
            {!isArchived && fields.value && (
              <button
                type="button"
                data-edit={allGroups}
                aria-keyshortcuts="E"
                onClick={() => editing.open(...everything(fields.value ?? []))}
              >
                <Icon node={Pencil} />
                {texts.records.edit}
              </button>
            )}
            <button
              type="button"
              class={isArchived ? undefined : "danger"}
              disabled={setArchived.isRunning}
              onClick={changeArchived}
            >
              {isArchived ? texts.records.restore : texts.records.archive}
            </button>
          </>
        )
      }
    >
      <LoadStatus of={{ value: current && fields.value, error: record.error ?? fields.error }} />
      {setArchived.error && <ErrorNotice error={setArchived.error} focus />}
      {notice}
      {current && fields.value && (
        <RecordContent
          {...{ entity, path, editing, isArchived }}
          record={current}
          fields={fields.value}
          onMessage={setMessage}
          onSaved={record.set}
          onReload={record.reload}
        />
      )}
    </Page>
  );
}

/** Returns all groups, and the path of the first field. */
function everything(fields: readonly FieldSpec[]): [groups: readonly string[], path: string] {
  return [[...new Set(fields.map(({ group = "" }) => group))], fields[0]?.path ?? ""];
}

type RecordContentProps = {
  readonly entity: Entity;
  readonly path: string;
  readonly record: CrmRecord;
  readonly fields: readonly FieldSpec[];
  readonly editing: ReturnType<typeof useEditing>;
  readonly isArchived: boolean;
  onMessage(message: string | undefined): void;
  onSaved(record: CrmRecord): void;
  onReload(): void;
};

function RecordContent(props: RecordContentProps) {
  const { entity, path, record, fields, editing, isArchived, onMessage } = props;
  // A new form shows what was saved. After a conflict, the form stays, with what the user has entered.
  const [forms, setForms] = useState(0);
  // The record before it was read again after a conflict of a move.
  const [seen, setSeen] = useState<CrmRecord | undefined>();
  const names = useReferenceNames(record);
  const hasMoves = (entity === "opportunity" || entity === "task") && !isArchived;

  function finishEditing(done?: string): void {
    editing.close();
    setForms(forms + 1);
    setSeen(undefined);
    onMessage(done);
  }

  return (
    <>
      <RecordSummary {...{ entity, record, names }} />
      <div class="record">
        <div>
          {hasMoves && (
            <Transitions
              {...{ entity, record, fields }}
              onChanged={() => {
                setSeen(undefined);
                onMessage(texts.records.saved);
                props.onReload();
              }}
              onReload={() => {
                setSeen(seen ?? record);
                props.onReload();
              }}
            />
          )}
          {isArchived && <p class="notice">{texts.records.archivedHint}</p>}
          <SaveForm
            key={`${forms} ${isArchived}`}
            fields={fields}
            record={record}
            seen={seen}
            reading={{
              editing,
              isLocked: isArchived,
              render: (field) => <FieldValue {...{ field, record, names }} />,
            }}
            submitLabel={texts.form.save}
            conflict={{ route: [collections[entity]] }}
            save={(body) => call<CrmRecord>("PATCH", path, { body, ifMatch: record.updatedAt })}
            onSubmit={() => onMessage(undefined)}
            onSaved={(saved) => {
              if (saved !== undefined) props.onSaved(saved.data);
              finishEditing(saved === undefined ? texts.records.unchanged : texts.records.saved);
            }}
            onReload={props.onReload}
            onCancel={finishEditing}
          />
          {relatedKinds.includes(entity) && <Notes entity={entity} record={record} />}
          <History url={path} record={record} fields={fields} />
        </div>
        <RecordAside entity={entity} record={record} />
      </div>
    </>
  );
}
