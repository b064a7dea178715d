import { dateFormats, encodings, isWritable, upsertFields } from "crm-integrations/transfer";
import { useMemo, useState } from "preact/hooks";
import type { Entity } from "../names.ts";
import { fieldLabel, texts } from "../texts.ts";
import { Checkbox, kindOptions, Select, toOptions, valueOptions } from "../ui/choices.tsx";
import { useLoad } from "../ui/load.ts";
import { ErrorNotice, Loading } from "../ui/notice.tsx";
import { Page } from "../ui/page.tsx";
import { ColumnTable } from "./column-table.tsx";
import { delimiterOptions, FileInput } from "./file-inputs.tsx";
import { type ImportChanges, planImport } from "./import-plan.ts";
import { ImportRunner } from "./import-runner.tsx";
import { type FileOptions, type OpenFile, openFile } from "./open-file.ts";
import { type LabeledTarget, loadTargets, withKey } from "./targets.ts";
import { RecentImports } from "./undo.tsx";

const { files } = texts;

/** Imports the rows of a file. */
export function ImportScreen() {
  const [entity, setEntity] = useState<Entity>("account");
  const [file, setFile] = useState<File | undefined>();
  // A file with the name of the one before can have other content.
  const [count, setCount] = useState(0);
  const [imports, setImports] = useState(0);
  return (
    <Page title={files.importTitle}>
      <div class="row">
        <Select label={files.kind} value={entity} options={kindOptions} onChange={setEntity} />
      </div>
      <FileInput
        selected={file}
        onSelect={(next) => {
          setFile(next);
          setCount(count + 1);
        }}
      />
      <RecentImports key={imports} />
      {file && (
        <FileImport
          key={`${entity} ${count}`}
          {...{ entity, file }}
          onImported={() => setImports((before) => before + 1)}
        />
      )}
    </Page>
  );
}

type FileImportProps = {
  readonly entity: Entity;
  readonly file: File;
  onImported(): void;
};

function FileImport({ entity, file, onImported }: FileImportProps) {
  const [fileOptions, setFileOptions] = useState<FileOptions>({ delimiter: "", encoding: "" });
  const [changes, setChanges] = useState<ImportChanges>({});
  const { value, error, set } = useLoad(
    async () => ({ opened: await openFile(file, fileOptions), targets: await loadTargets(entity) }),
    JSON.stringify(fileOptions),
  );
  const change = (next: ImportChanges): void =>
    setChanges((before) => ({ ...before, ...next, locale: { ...before.locale, ...next.locale } }));
  return (
    <>
      <fieldset class="card">
        <legend>{files.format}</legend>
        <div class="row">
          <Select
            label={files.encoding}
            value={fileOptions.encoding}
            options={[{ value: "", label: files.detect }, ...valueOptions(encodings)]}
            onChange={(encoding) => setFileOptions({ ...fileOptions, encoding })}
          />
          <Select
            label={files.delimiter}
            value={fileOptions.delimiter}
            options={[{ value: "", label: files.detect }, ...delimiterOptions]}
            onChange={(delimiter) => {
              setFileOptions({ ...fileOptions, delimiter });
              setChanges(({ assigned: _, ...rest }) => rest);
            }}
          />
        </div>
      </fieldset>
      {error && <ErrorNotice error={error} focus />}
      {!value && !error && <Loading />}
      {value && (
        <PlannedImport
          {...{ entity, changes, onImported }}
          file={value.opened}
          targets={value.targets}
          onChange={change}
          onNewField={async () => set({ ...value, targets: await loadTargets(entity) })}
        />
      )}
    </>
  );
}

type PlannedImportProps = Pick<FileImportProps, "entity" | "onImported"> & {
  readonly file: OpenFile;
  readonly targets: readonly LabeledTarget[];
  readonly changes: ImportChanges;
  onChange(change: ImportChanges): void;
  onNewField(): Promise<void>;
};

/** The options of an import: guesses that the user can change. */
function PlannedImport({ changes, onImported, onNewField, ...props }: PlannedImportProps) {
  const { entity, file, onChange } = props;
  const targets = useMemo(() => withKey(props.targets, changes.upsertBy ?? ""), [props.targets, changes.upsertBy]);
  const { options, ambiguousNumber } = useMemo(
    () => planImport(file, targets, entity, changes),
    [file, targets, entity, changes],
  );
  const { locale, upsertBy, emptyClears, isForSpreadsheet } = options;
  return (
    <>
      <fieldset class="card">
        <legend>{files.options}</legend>
        <div class="row">
          <Select
            label={files.decimal}
            value={locale.decimal}
            options={toOptions(files.decimals)}
            onChange={(decimal) => onChange({ locale: { decimal } })}
          />
          <Select
            label={files.dateFormat}
            value={locale.dateFormat}
            options={dateFormats.map((value) => ({ value, label: files.nameFormat(value) }))}
            onChange={(dateFormat) => onChange({ locale: { dateFormat } })}
          />
          <Select
            label={files.upsertBy}
            value={upsertBy}
            options={[
              { value: "", label: files.createOnly },
              ...upsertFields[entity].map((value) => ({ value, label: fieldLabel(value) })),
            ]}
            onChange={(next) => onChange({ upsertBy: next })}
          />
        </div>
        <div class="choices">
          <Checkbox label={files.trim} checked={locale.trim} onChange={(trim) => onChange({ locale: { trim } })} />
          <Checkbox
            label={files.forSpreadsheet}
            checked={isForSpreadsheet}
            onChange={(next) => onChange({ isForSpreadsheet: next })}
          />
          {upsertBy !== "" && (
            <Checkbox
              label={files.emptyClears}
              checked={emptyClears}
              onChange={(next) => onChange({ emptyClears: next })}
            />
          )}
        </div>
      </fieldset>
      <ColumnTable {...{ entity, file, options, onChange, onNewField }} targets={targets.filter(isWritable)} />
      <ImportRunner {...{ entity, file, targets, options, ambiguousNumber, onChange, onImported }} />
    </>
  );
}
