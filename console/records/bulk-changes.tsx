import type { FieldError } from "crm-integrations/client";
import { useState } from "preact/hooks";
import { call } from "../api.ts";
import { collections, type Entity, nameOf } from "../names.ts";
import { texts } from "../texts.ts";
import { describeError, describeFieldError } from "../ui/error-text.ts";
import { FieldInput } from "../ui/field-input.tsx";
import { type Draft, type FieldSpec, fromDraft, groupsOf, setAt, textErrors, toDraft } from "../ui/field-spec.ts";
import { useAction, useLoad } from "../ui/load.ts";
import { ErrorNotice, LoadStatus, Notice } from "../ui/notice.tsx";
import type { CrmRecord } from "./record-columns.tsx";
import { readFields } from "./schema-fields.ts";

const text = texts.bulk;
/** The most operations of one request. */
const maxOperations = 100;
const archiving = "archive";

type Item = {
  readonly index: number;
  readonly result?: "created" | "updated" | "unchanged" | "archived";
  readonly error?: {
    readonly code: string;
    readonly message: string;
    readonly details?: { readonly errors?: readonly FieldError[] };
  };
};
type Outcome = { readonly record: CrmRecord } & Pick<Item, "result" | "error">;

/** The outcomes of a change, or of its dry run. */
export type BulkReport = {
  /** The IDs of the records that it is about. */
  readonly ids: string;
  readonly isDryRun: boolean;
  readonly outcomes: readonly Outcome[];
};

type BulkChangesProps = {
  readonly entity: Entity;
  /** The selected records. Empty if a change has removed them all from the list. */
  readonly records: readonly CrmRecord[];
  readonly lastReport: BulkReport | undefined;
  onReport(report: BulkReport | undefined): void;
  /** Called after a change. */
  onChanged(): void;
  onClear(): void;
};

/** Changes a field of the selected records, or archives them. A dry run shows first what would happen. */
export function BulkChanges({ entity, records, lastReport, onReport, onChanged, onClear }: BulkChangesProps) {
  const fields = useLoad((signal) => readFields(entity, "update", signal), entity);
  const all = fields.value ?? [];
  // People change the owner most often.
  const first = all.find(({ kind }) => kind === "user") ?? all[0];
  const [action = first?.path ?? archiving, setAction] = useState<string>();
  const field = all.find(({ path }) => path === action);
  const [draft = field && toDraft(field, undefined), setDraft] = useState<Draft>();
  // Sorted, because a change can move a record to another place of the list.
  const ids = records
    .map(({ id }) => id)
    .sort()
    .join();
  // A dry run says nothing about a selection that has changed since.
  const report = lastReport?.isDryRun && lastReport.ids !== ids ? undefined : lastReport;
  /** The errors of the text in the field. */
  const [typed, setTyped] = useState<readonly string[]>([]);
  const run = useAction((isDryRun: boolean) => send(entity, records, toOperation(field, draft), isDryRun));
  const accepted = report?.outcomes.filter(({ error }) => error === undefined).length ?? 0;

  function reset(next?: Draft): void {
    setDraft(next);
    setTyped([]);
    onReport(undefined);
  }

  async function start(isDryRun: boolean): Promise<void> {
    const outcomes = await run.run(isDryRun);
    if (outcomes === undefined) return;
    onReport({ ids, isDryRun, outcomes });
    if (!isDryRun) onChanged();
  }

  return (
    <section class="card bulk" aria-label={text.title}>
      {records.length > 0 && (
        <form
          class="actions"
          noValidate
          onSubmit={(event) => {
            event.preventDefault();
            // The API can't know what a text means that isn't a number or a date.
            const errors = field ? textErrors(field, draft).map(({ message }) => message) : [];
            setTyped(errors);
            if (errors.length === 0) void start(true);
            else event.currentTarget.querySelector("input")?.focus();
          }}
        >
          <strong role="status">{text.selected(records.length)}</strong>
          <select
            aria-label={text.action}
            value={action}
            onChange={(event) => {
              setAction(event.currentTarget.value);
              reset();
            }}
          >
            {groupsOf(all).map(([group, members]) => (
              <optgroup key={group} label={group}>
                {members.map(({ path, label }) => (
                  <option key={path} value={path}>
                    {text.change(label)}
                  </option>
                ))}
              </optgroup>
            ))}
            <option value={archiving}>{texts.records.archive}</option>
          </select>
          {field && (
            <FieldInput
              key={action}
              id="bulk-value"
              field={field}
              draft={draft}
              errors={typed}
              changed={undefined}
              onUseChanged={undefined}
              onChange={reset}
            />
          )}
          <button type="submit" disabled={run.isRunning || (fields.value ?? fields.error) === undefined}>
            {text.check}
          </button>
          {report?.isDryRun && accepted > 0 && (
            <button type="button" class="primary" disabled={run.isRunning} onClick={() => start(false)}>
              {field === undefined ? text.archiveNow(accepted) : text.changeNow(accepted)}
            </button>
          )}
          <button type="button" class="ghost" onClick={onClear}>
            {text.clear}
          </button>
        </form>
      )}
      <LoadStatus of={fields} />
      {run.error && <ErrorNotice error={run.error} focus />}
      {report && <Outcomes report={report} fields={all} />}
    </section>
  );
}

type OutcomesProps = { readonly report: BulkReport; readonly fields: readonly FieldSpec[] };

function Outcomes({ report: { isDryRun, outcomes }, fields }: OutcomesProps) {
  const rejected = outcomes.filter(({ error }) => error !== undefined);
  const count = (result: Item["result"]): number => outcomes.filter((each) => each.result === result).length;
  return (
    <Notice class={rejected.length === 0 ? "success" : ""} focus={!isDryRun}>
      <p>
        {text.summary(
          { changed: count("updated") + count("archived"), unchanged: count("unchanged"), rejected: rejected.length },
          isDryRun,
        )}
      </p>
      <ul>
        {rejected.map(({ record, error }) => (
          <li key={record.id}>
            <bdi>{nameOf(record)}</bdi>: {error && problemOf(error, fields)}
          </li>
        ))}
      </ul>
    </Notice>
  );
}

/** Returns the operation of each record: to change a field, or to archive. An empty value clears the field. */
function toOperation(field: FieldSpec | undefined, draft: Draft): object {
  if (field === undefined) return { op: "archive" };
  const data = {};
  setAt(data, field.path, fromDraft(field, draft) ?? (field.nullable ? null : ""));
  return { op: "update", data };
}

/** Sends the changes in batches. */
async function send(
  entity: Entity,
  records: readonly CrmRecord[],
  operation: object,
  dryRun: boolean,
): Promise<readonly Outcome[]> {
  const outcomes: Outcome[] = [];
  for (let start = 0; start < records.length; start += maxOperations) {
    const part = records.slice(start, start + maxOperations);
    const operations = part.map(({ id }) => ({ ...operation, id }));
    const { data } = await call<readonly Item[]>("POST", `api/v1/${collections[entity]}/batch`, {
      body: { operations },
      dryRun,
    });
    for (const { index, ...outcome } of data) {
      const record = part[index];
      if (record !== undefined) outcomes.push({ record, ...outcome });
    }
  }
  return outcomes;
}

function problemOf(error: NonNullable<Item["error"]>, fields: readonly FieldSpec[]): string {
  const { errors = [] } = error.details ?? {};
  if (errors.length === 0) return describeError(error).text;
  return errors.map((each) => describeFieldError(each, { fields })).join(" ");
}
