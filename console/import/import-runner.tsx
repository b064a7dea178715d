import { createRejectFormat, messagesOf, type RowProblem } from "crm-integrations/transfer";
import { useEffect, useRef, useState } from "preact/hooks";
import { displayNumber } from "../language.ts";
import { texts } from "../texts.ts";
import { useFallbackFocus } from "../ui/focus.ts";
import { useAction } from "../ui/load.ts";
import { ErrorNotice, Notice } from "../ui/notice.tsx";
import { Table } from "../ui/table.tsx";
import { useUnsavedChanges } from "../ui/unsaved.ts";
import { columnProblems } from "./column-table.tsx";
import { decimalFixes, describeRowError } from "./fixes.ts";
import type { ImportChanges } from "./import-plan.ts";
import { download } from "./open-file.ts";
import { Problem, ProblemList } from "./problem-list.tsx";
import { type RunInput, type RunState, runRows } from "./run.ts";
import { rememberImport } from "./undo.tsx";
import { type Check, maxCheckedRows, useCheck } from "./use-check.ts";

const { files } = texts;

type ImportRunnerProps = RunInput & {
  readonly ambiguousNumber: string | undefined;
  onChange(change: ImportChanges): void;
  /** Called after an import. */
  onImported(): void;
};

/** An import with some options. */
type Run = {
  readonly key: string;
  readonly state?: RunState;
  readonly startedAt: number;
  readonly canUndo: boolean;
};

/** Checks the rows after each change, imports them, and shows what is wrong. */
export function ImportRunner({ ambiguousNumber, onImported, ...props }: ImportRunnerProps) {
  const { onChange: change, ...input } = props;
  const { file, targets, options } = input;
  const key = JSON.stringify(options);
  /** The state of the import with these options. */
  const [run, setRun] = useState<Run>();
  const [checksAll, setChecksAll] = useState(false);
  const controller = useRef(new AbortController());
  useEffect(() => () => controller.current.abort(), []);
  const action = useAction(async () => {
    controller.current = new AbortController();
    const started: Run = { key, startedAt: performance.now(), canUndo: true };
    setRun(started);
    const remember = rememberImport(input);
    const running = runRows(input, { dryRun: false }, controller.current.signal, (state, { createdIds }) => {
      setRun({ ...started, state, canUndo: remember(createdIds) });
    });
    await running.finally(onImported);
  });
  const [box, expectLoss] = useFallbackFocus();
  function onChange(changes: ImportChanges): void {
    expectLoss();
    change(changes);
  }
  useUnsavedChanges(action.isRunning, files.leave);
  const imported = run?.key === key ? run : undefined;
  const problems = file.header === undefined ? [] : columnProblems(file.header, targets, options);
  const isBlocked = problems.length > 0 || ambiguousNumber !== undefined;
  const check = useCheck(
    input,
    isBlocked || action.isRunning || imported !== undefined,
    checksAll ? file.rows.length : maxCheckedRows,
  );
  return (
    <section aria-label={files.checkTitle} tabIndex={-1} ref={box}>
      {problems.length > 0 && (
        <ul class="field-errors">
          {problems.map((problem) => (
            <li key={problem}>{problem}</li>
          ))}
        </ul>
      )}
      {ambiguousNumber !== undefined && (
        <ul class="problems">
          <Problem text={files.ambiguousNumber(ambiguousNumber)} fixes={decimalFixes()} onChange={onChange} />
        </ul>
      )}
      {!isBlocked && imported === undefined && (
        <CheckResult
          {...{ check, input, onChange }}
          onCheckAll={() => {
            expectLoss();
            setChecksAll(true);
          }}
        />
      )}
      <div class="actions">
        <button type="button" class="primary" disabled={action.isRunning || isBlocked} onClick={() => action.run()}>
          {files.run}
        </button>
        {action.isRunning && (
          <button type="button" onClick={() => controller.current.abort()}>
            {files.stop}
          </button>
        )}
      </div>
      <p class="help">{files.repeatNote}</p>
      {action.error && <ErrorNotice error={action.error} focus />}
      {action.isRunning && run && (
        <Progress
          label={files.importing}
          done={run.state?.rows ?? 0}
          all={file.rows.length}
          startedAt={run.startedAt}
        />
      )}
      {imported?.state && !action.isRunning && <ImportResult {...imported} state={imported.state} input={input} />}
    </section>
  );
}

type CheckResultProps = {
  readonly check: Check;
  readonly input: RunInput;
  onChange(change: ImportChanges): void;
  onCheckAll(): void;
};

function CheckResult({ check: { state, checkedRows, error }, input, onChange, onCheckAll }: CheckResultProps) {
  const { file } = input;
  const isPart = state !== undefined && state.rows < file.rows.length;
  return (
    <>
      <h2>{files.checkTitle}</h2>
      {checkedRows !== undefined && (
        <Progress label={files.checking} done={checkedRows} all={file.rows.length} startedAt={undefined} />
      )}
      {error && <ErrorNotice error={error} />}
      {state && (
        <>
          {checkedRows === undefined && (
            <Notice class={state.counts.rejected === 0 ? "success" : ""}>
              <p>{files.summary(state.counts, true)}</p>
              {isPart && <p>{files.checkedFirst(state.rows, file.rows.length)}</p>}
            </Notice>
          )}
          {isPart && checkedRows === undefined && (
            <button type="button" onClick={onCheckAll}>
              {files.checkAll}
            </button>
          )}
          <ProblemList {...{ input, onChange }} groups={state.groups} />
          <DroppedCells groups={state.droppedGroups} input={input} />
        </>
      )}
      <p class="help">{files.dryRunNote}</p>
    </>
  );
}

type ProgressProps = {
  readonly label: string;
  readonly done: number;
  readonly all: number;
  /** Undefined if the remaining time isn't shown. */
  readonly startedAt: number | undefined;
};

function Progress({ label, done, all, startedAt }: ProgressProps) {
  const seconds =
    startedAt === undefined || done === 0 ? undefined : ((performance.now() - startedAt) / 1000 / done) * (all - done);
  return (
    <p>
      <progress aria-label={label} max={all} value={done} /> {files.progress(done, all)}
      {seconds !== undefined && ` · ${files.remaining(seconds)}`}
    </p>
  );
}

function DroppedCells({ groups, input }: { readonly groups: RunState["droppedGroups"]; readonly input: RunInput }) {
  if (groups.length === 0) return null;
  return (
    <>
      <h3>{files.dropped}</h3>
      <ProblemList {...{ groups, input }} />
    </>
  );
}

type ImportResultProps = { readonly input: RunInput; readonly state: RunState; readonly canUndo: boolean };

function ImportResult({ input, state, canUndo }: ImportResultProps) {
  const { counts, rows, rejected, groups, droppedGroups } = state;
  return (
    <>
      <Notice class={counts.rejected === 0 ? "success" : ""}>
        <p>{files.summary(counts, false)}</p>
        {rows < input.file.rows.length && <p>{files.stopped(rows)}</p>}
        {!canUndo && <p>{files.cannotUndo}</p>}
      </Notice>
      {rejected.length > 0 && (
        <>
          <h2>{files.rejected}</h2>
          <ProblemList {...{ groups, input }} />
          <RejectedRows {...{ input, rejected }} />
        </>
      )}
      <DroppedCells groups={droppedGroups} input={input} />
    </>
  );
}

const maxShown = 100;

type RejectedRowsProps = { readonly input: RunInput; readonly rejected: readonly RowProblem[] };

function RejectedRows({ input: { file, targets }, rejected }: RejectedRowsProps) {
  const save = (): void => {
    const format = createRejectFormat(file);
    const parts = rejected.map(({ row, errors }) => format.row(row, messagesOf(errors)));
    download(`${file.name}.rejected.${file.format}`, [format.header, ...parts], file.format);
  };
  return (
    <>
      <p>{files.rejectedHelp}</p>
      <div class="actions">
        <button type="button" onClick={save}>
          {files.download}
        </button>
      </div>
      {rejected.length > maxShown && <p class="help">{files.first(maxShown, rejected.length)}</p>}
      <Table
        caption={files.rejected}
        empty=""
        rows={rejected.slice(0, maxShown)}
        keyOf={({ row }) => String(row.line)}
        columns={[
          { label: files.line, isNumeric: true, render: ({ row }) => displayNumber(row.line) },
          {
            label: files.reasons,
            render: (problem) => {
              const reasons = new Set(problem.errors.map((error) => describeRowError(error, problem, targets)));
              return [...reasons].map((text) => (
                <div key={text} dir="auto">
                  {text}
                </div>
              ));
            },
          },
        ]}
      />
    </>
  );
}
