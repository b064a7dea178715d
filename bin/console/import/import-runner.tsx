import { useEffect, useRef, useState } from "preact/hooks";
import { RejectFormat } from "../../import/reject-format.ts";
import type { Entity } from "../names.ts";
import { texts } from "../texts.ts";
import { useAction } from "../ui/load.ts";
import { ErrorNotice, SuccessNotice } from "../ui/notice.tsx";
import { Table } from "../ui/table.tsx";
import { columnProblems } from "./column-table.tsx";
import { type ImportOptions, type PlannedRow, parserOf } from "./import-plan.ts";
import { download, hashOf, type OpenFile } from "./open-file.ts";
import { type ImportResult, type Rejection, runImport } from "./run-import.ts";
import type { LabeledTarget } from "./targets.ts";

const { files } = texts;

type ImportRunnerProps = {
  readonly entity: Entity;
  readonly tenantId: string;
  readonly file: OpenFile;
  readonly targets: readonly LabeledTarget[];
  readonly options: ImportOptions;
};

type Progress = { readonly dryRun: boolean; readonly result: ImportResult };

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
    const rows = file.rows.map((row): PlannedRow => ({ row, values: parse(row) }));
    const seed = await hashOf(
      new TextEncoder().encode(JSON.stringify([tenantId, entity, file.hash, file.delimiter, options])),
    );
    const onProgress = (result: ImportResult): void => setProgress({ dryRun, result });
    onProgress(await runImport({ entity, rows, options, columnNames, seed, dryRun, signal, onProgress }));
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
            value={progress?.result.done ?? 0}
          />
          {files.progress(progress?.result.done ?? 0, file.rows.length)}
        </p>
      )}
      {progress && !action.isRunning && <Result {...progress} file={file} />}
    </section>
  );
}

function Result({ dryRun, result, file }: Progress & { readonly file: OpenFile }) {
  const { rejections, dropped, counts, done } = result;
  const save = (): void => {
    const format = new RejectFormat(file);
    const parts = rejections.map(({ row, errors }) => format.row(row, errors));
    download(`${file.name}.rejected.${file.format}`, [format.header(), ...parts], file.format);
  };
  return (
    <>
      <SuccessNotice>
        <p>{files.summary(counts, dryRun)}</p>
        {done < file.rows.length && <p>{files.stopped(done)}</p>}
      </SuccessNotice>
      {rejections.length > 0 && (
        <>
          <h2>{files.rejected}</h2>
          <p>{files.rejectedHelp}</p>
          <button type="button" onClick={save}>
            {files.download}
          </button>
          <Reasons caption={files.rejected} rows={rejections} />
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

function Reasons({ caption, rows }: { readonly caption: string; readonly rows: readonly Rejection[] }) {
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
          { label: files.reasons, render: ({ errors }) => <span dir="auto">{errors.join(" ")}</span> },
        ]}
      />
    </>
  );
}
