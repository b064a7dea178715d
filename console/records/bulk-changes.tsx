import type { FieldError } from "crm-integrations/client";
import { useState } from "preact/hooks";
import { call } from "../api.ts";
import { entityLists } from "../entities.ts";
import { collections, type Entity, nameOf, referenceKinds } from "../names.ts";
import { fieldLabel, texts } from "../texts.ts";
import { Options } from "../ui/choices.tsx";
import { describeError, describeFieldError } from "../ui/error-text.ts";
import { useAction } from "../ui/load.ts";
import { ErrorNotice, Notice } from "../ui/notice.tsx";
import type { CrmRecord } from "./record-columns.tsx";
import { FilterInput } from "./record-filters.tsx";

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
type Outcome = { readonly record: CrmRecord; readonly result?: Item["result"]; readonly problem?: string | undefined };
type Report = {
  /** The IDs of the records that it is about. */
  readonly ids: string;
  readonly isDryRun: boolean;
  readonly outcomes: readonly Outcome[];
};

type BulkChangesProps = {
  readonly entity: Entity;
  readonly records: readonly CrmRecord[];
  /** Called after a change. */
  onChanged(): void;
  onClear(): void;
};

/** Changes a field of the selected records, or archives them. A dry run shows first what would happen. */
export function BulkChanges({ entity, records, onChanged, onClear }: BulkChangesProps) {
  const { bulkFields } = entityLists[entity];
  const [action, setAction] = useState<string>(bulkFields[0] ?? archiving);
  const [value, setValue] = useState("");
  const [lastReport, setReport] = useState<Report | undefined>();
  // Sorted, because a change can move a record to another place of the list.
  const ids = records
    .map(({ id }) => id)
    .sort()
    .join();
  // A dry run says nothing about another selection.
  const report = lastReport?.ids === ids ? lastReport : undefined;
  const run = useAction((isDryRun: boolean) => send(entity, records, action, value, isDryRun));
  const accepted = report?.outcomes.filter(({ problem }) => problem === undefined).length ?? 0;

  async function start(isDryRun: boolean): Promise<void> {
    const outcomes = await run.run(isDryRun);
    if (outcomes === undefined) return;
    setReport({ ids, isDryRun, outcomes });
    if (!isDryRun) onChanged();
  }

  return (
    <section class="card bulk" aria-label={text.title}>
      <form
        class="actions"
        onSubmit={(event) => {
          event.preventDefault();
          void start(true);
        }}
      >
        <strong role="status">{text.selected(records.length)}</strong>
        <select
          aria-label={text.action}
          value={action}
          onChange={(event) => {
            setAction(event.currentTarget.value);
            setValue("");
            setReport(undefined);
          }}
        >
          <Options options={bulkFields.map((name) => ({ value: name, label: text.change(fieldLabel(name)) }))} />
          <option value={archiving}>{texts.records.archive}</option>
        </select>
        {action !== archiving && (
          <>
            <label class="visually-hidden" for={`bulk-${action}`}>
              {fieldLabel(action)}
            </label>
            <FilterInput
              key={action}
              id={`bulk-${action}`}
              entity={entity}
              name={action}
              value={value}
              onChange={(next) => {
                setValue(next);
                setReport(undefined);
              }}
            />
          </>
        )}
        <button type="submit" disabled={run.isRunning}>
          {text.check}
        </button>
        {report?.isDryRun && accepted > 0 && (
          <button type="button" class="primary" disabled={run.isRunning} onClick={() => start(false)}>
            {action === archiving ? text.archiveNow(accepted) : text.changeNow(accepted)}
          </button>
        )}
        <button type="button" class="ghost" onClick={onClear}>
          {text.clear}
        </button>
      </form>
      {run.error && <ErrorNotice error={run.error} focus />}
      {report && <Outcomes report={report} />}
    </section>
  );
}

function Outcomes({ report: { isDryRun, outcomes } }: { readonly report: Report }) {
  const rejected = outcomes.filter(({ problem }) => problem !== undefined);
  const count = (result: Item["result"]): number => outcomes.filter((each) => each.result === result).length;
  return (
    <Notice class={rejected.length === 0 ? "success" : ""}>
      <p>
        {text.summary(
          { changed: count("updated") + count("archived"), unchanged: count("unchanged"), rejected: rejected.length },
          isDryRun,
        )}
      </p>
      <ul>
        {rejected.map(({ record, problem }) => (
          <li key={record.id}>
            <bdi>{nameOf(record)}</bdi>: {problem}
          </li>
        ))}
      </ul>
    </Notice>
  );
}

/** Sends the changes in batches. An empty value clears the field. */
async function send(
  entity: Entity,
  records: readonly CrmRecord[],
  action: string,
  value: string,
  dryRun: boolean,
): Promise<readonly Outcome[]> {
  const outcomes: Outcome[] = [];
  for (let start = 0; start < records.length; start += maxOperations) {
    const part = records.slice(start, start + maxOperations);
    const operations = part.map(({ id }) =>
      action === archiving ? { op: "archive", id } : { op: "update", id, data: { [action]: toValue(action, value) } },
    );
    const { data } = await call<readonly Item[]>("POST", `api/v1/${collections[entity]}/batch`, {
      body: { operations },
      dryRun,
    });
    for (const { index, result, error } of data) {
      const record = part[index];
      if (record !== undefined)
        outcomes.push({ record, ...(result && { result }), problem: error && problemOf(error) });
    }
  }
  return outcomes;
}

function problemOf(error: NonNullable<Item["error"]>): string {
  const { errors = [] } = error.details ?? {};
  return errors.length > 0 ? errors.map((each) => describeFieldError(each)).join(" ") : describeError(error).text;
}

/** A reference can be empty. A status can't, and the API says so. */
function toValue(name: string, value: string): string | null {
  return value === "" && referenceKinds[name] !== undefined ? null : value;
}
