import {
  batchSender,
  type ImportProgress,
  messagesOf,
  RejectFormat,
  type RowProblem,
  recordFinder,
  runImport,
} from "crm-integrations/transfer";
import { useEffect, useRef, useState } from "preact/hooks";
import type { Entity } from "../names.ts";
import { texts } from "../texts.ts";
import { useAction } from "../ui/load.ts";
import { ErrorNotice, SuccessNotice } from "../ui/notice.tsx";
import { Table } from "../ui/table.tsx";
import { columnProblems } from "./column-table.tsx";
import { type ImportOptions, parserOf } from "./import-plan.ts";
import { download, hashOf, type OpenFile } from "./open-file.ts";
import { request } from "./request.ts";
import type { LabeledTarget } from "./targets.ts";

const { files } = texts;

type ImportRunnerProps = {
  readonly entity: Entity;
  readonly tenantId: string;
  readonly file: OpenFile;
  readonly targets: readonly LabeledTarget[];
  readonly options: ImportOptions;
};

type Progress = Pick<ImportProgress, "rows" | "counts"> & {
  readonly dryRun: boolean;
  readonly rejected: readonly RowProblem[];
  readonly dropped: readonly RowProblem[];
};

const noProgress = {
  rows: 0,
  counts: { created: 0, updated: 0, unchanged: 0, rejected: 0 },
  rejected: [],
  dropped: [],
};

/** Runs a dry run or the import, and shows its progress and its result. */
export function ImportRunner({ entity, tenantId, file, targets, options }: ImportRunnerProps) {
  const [progress, setProgress] = useState<Progress | undefined>();
  const controller = useRef(new AbortController());
  useEffect(() => () => controller.current.abort(), []);
  const action = useAction(async (dryRun: boolean) => {
    controller.current = new AbortController();
    const { signal } = controller.current;
    setProgress(undefined);
    const { columnNames, parse } = parserOf(file, targets, options);
    const seed = await hashOf(
      new TextEncoder().encode(JSON.stringify([tenantId, entity, file.hash, file.delimiter, options])),
    );
    setProgress({ ...noProgress, dryRun });
    await runImport(file.rows, {
      parse,
      send: batchSender(request, entity, seed),
      find: recordFinder(request),
      options: { ...options, entity, upsertBy: options.upsertBy || undefined, columnNames, dryRun },
      signal,
      onProgress: ({ rows, counts, rejected, dropped }) =>
        setProgress((before = { ...noProgress, dryRun }) => ({
          dryRun,
          rows,
          counts,
          rejected: [...before.rejected, ...rejected],
          dropped: [...before.dropped, ...dropped],
        })),
    });
  });
  const problems = file.header === undefined ? [] : columnProblems(targets, options);
  return (
    <section>
      {problems.length > 0 && (
        <ul class="field-errors">
          {problems.map((problem) => (
            <li key={problem}>{problem}</li>
          ))}
        </ul>
      )}
      <p class="help">{files.dryRunNote}</p>
      <p class="help">{files.repeatNote}</p>
      <div class="actions">
        <button type="button" disabled={action.isRunning || problems.length > 0} onClick={() => action.run(true)}>
          {files.check}
        </button>
        <button
          type="button"
          class="primary"
          disabled={action.isRunning || problems.length > 0}
          onClick={() => action.run(false)}
        >
          {files.run}
        </button>
        {action.isRunning && (
          <button type="button" onClick={() => controller.current.abort()}>
            {files.stop}
          </button>
        )}
      </div>
      {action.error && <ErrorNotice error={action.error} focus />}
      {action.isRunning && (
        <p>
          <progress
            aria-label={progress?.dryRun ? files.checking : files.importing}
            max={file.rows.length}
            value={progress?.rows ?? 0}
          />
          {files.progress(progress?.rows ?? 0, file.rows.length)}
        </p>
      )}
      {progress && !action.isRunning && <Result {...progress} file={file} />}
    </section>
  );
}

function Result({ dryRun, rejected, dropped, counts, rows, file }: Progress & { readonly file: OpenFile }) {
  const save = (): void => {
    const format = new RejectFormat(file);
    const parts = rejected.map(({ row, errors }) => format.row(row, messagesOf(errors)));
    download(`${file.name}.rejected.${file.format}`, [format.header(), ...parts], file.format);
  };
  return (
    <>
      <SuccessNotice>
        <p>{files.summary(counts, dryRun)}</p>
        {rows < file.rows.length && <p>{files.stopped(rows)}</p>}
      </SuccessNotice>
      {rejected.length > 0 && (
        <>
          <h2>{files.rejected}</h2>
          <p>{files.rejectedHelp}</p>
          <button type="button" onClick={save}>
            {files.download}
          </button>
          <Reasons caption={files.rejected} rows={rejected} />
        </>
      )}
      {dropped.length > 0 && (
        <>
          <h2>{files.dropped}</h2>
          <Reasons caption={files.dropped} rows={dropped} />
        </>
      )}
    </>
  );
}

const maxShown = 100;

function Reasons({ caption, rows }: { readonly caption: string; readonly rows: readonly RowProblem[] }) {
  return (
    <>
      {rows.length > maxShown && <p class="help">{files.first(maxShown, rows.length)}</p>}
      <Table
        caption={caption}
        empty=""
        rows={rows.slice(0, maxShown)}
        keyOf={({ row }) => String(row.line)}
        columns={[
          { label: files.line, render: ({ row }) => row.line },
          { label: files.reasons, render: ({ errors }) => <span dir="auto">{messagesOf(errors).join(" ")}</span> },
        ]}
      />
    </>
  );
}
