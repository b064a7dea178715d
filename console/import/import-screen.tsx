import { dateFormats, encodings, upsertFields } from "crm-integrations/transfer";
import { useState } from "preact/hooks";
import type { Entity } from "../names.ts";
import type { Session } from "../session.tsx";
import { texts } from "../texts.ts";
import { useLoad } from "../ui/load.ts";
import { ErrorNotice, Loading } from "../ui/notice.tsx";
import { Page } from "../ui/page.tsx";
import { ColumnTable } from "./column-table.tsx";
import { Checkbox, delimiterOptions, FileInput, kindOptions, optionsOf, Select } from "./file-inputs.tsx";
import type { ImportOptions } from "./import-plan.ts";
import { ImportRunner } from "./import-runner.tsx";
import { type FileOptions, openFile } from "./open-file.ts";
import { guessTargets, importTargets, loadTargets } from "./targets.ts";

const { files } = texts;
const initial: ImportOptions = {
  locale: { dateFormat: "YYYY-MM-DD", decimal: ".", trim: false, encoding: "utf-8" },
  upsertBy: "",
  emptyClears: false,
  isForSpreadsheet: false,
  dropInvalid: [],
  assigned: [],
};

const plain = (values: readonly string[]) => values.map((value) => ({ value, label: value }));

/** Imports the rows of a file. */
export function ImportScreen({ session }: { readonly session: Session }) {
  const [entity, setEntity] = useState<Entity>("account");
  const [file, setFile] = useState<File | undefined>();
  // A file with the name of the one before can have other content.
  const [count, setCount] = useState(0);
  return (
    <Page title={files.importTitle}>
      <div class="row">
        <Select
          label={files.kind}
          value={entity}
          options={kindOptions}
          onChange={(value) => setEntity(value as Entity)}
        />
      </div>
      <FileInput
        onSelect={(next) => {
          setFile(next);
          setCount(count + 1);
        }}
      />
      {file && <FileImport key={`${entity} ${count}`} entity={entity} file={file} tenantId={session.tenant.id} />}
    </Page>
  );
}

type FileImportProps = { readonly entity: Entity; readonly file: File; readonly tenantId: string };

function FileImport({ entity, file, tenantId }: FileImportProps) {
  const [fileOptions, setFileOptions] = useState<FileOptions>({ delimiter: "", encoding: "utf-8" });
  const [changed, setChanged] = useState<Partial<ImportOptions>>({});
  const loaded = useLoad(
    async () => ({ opened: await openFile(file, fileOptions), targets: await loadTargets(entity) }),
    JSON.stringify(fileOptions),
  );
  const options: ImportOptions = { ...initial, ...changed };
  const set = (change: Partial<ImportOptions>): void => setChanged((before) => ({ ...before, ...change }));
  const setLocale = (change: Partial<ImportOptions["locale"]>): void =>
    set({ locale: { ...options.locale, ...change } });
  const { value, error } = loaded;
  const targets = value ? importTargets(value.targets, options.upsertBy) : [];
  const assigned = changed.assigned ?? guessTargets(value?.opened.header ?? [], targets);
  const current = { ...options, assigned, locale: { ...options.locale, encoding: fileOptions.encoding } };
  return (
    <>
      <fieldset class="card">
        <legend>{files.options}</legend>
        <div class="row">
          <Select
            label={files.encoding}
            value={fileOptions.encoding}
            options={plain(encodings)}
            onChange={(encoding) => setFileOptions({ ...fileOptions, encoding: encoding as FileOptions["encoding"] })}
          />
          <Select
            label={files.delimiter}
            value={fileOptions.delimiter}
            options={[{ value: "", label: files.detect }, ...delimiterOptions]}
            onChange={(delimiter) => {
              setFileOptions({ ...fileOptions, delimiter });
              setChanged(({ assigned: _, ...rest }) => rest);
            }}
          />
          <Select
            label={files.decimal}
            value={options.locale.decimal}
            options={optionsOf(files.decimals)}
            onChange={(decimal) => setLocale({ decimal: decimal as "." | "," })}
          />
          <Select
            label={files.dateFormat}
            value={options.locale.dateFormat}
            options={plain(dateFormats)}
            onChange={(dateFormat) => setLocale({ dateFormat: dateFormat as (typeof dateFormats)[number] })}
          />
          <Select
            label={files.upsertBy}
            value={options.upsertBy}
            options={[{ value: "", label: files.createOnly }, ...plain(upsertFields[entity])]}
            onChange={(upsertBy) => set({ upsertBy })}
          />
        </div>
        <div class="choices">
          <Checkbox label={files.trim} checked={options.locale.trim} onChange={(trim) => setLocale({ trim })} />
          <Checkbox
            label={files.forSpreadsheet}
            checked={options.isForSpreadsheet}
            onChange={(isForSpreadsheet) => set({ isForSpreadsheet })}
          />
          {options.upsertBy !== "" && (
            <Checkbox
              label={files.emptyClears}
              checked={options.emptyClears}
              onChange={(emptyClears) => set({ emptyClears })}
            />
          )}
        </div>
      </fieldset>
      {error && <ErrorNotice error={error} focus />}
      {!value && !error && <Loading />}
      {value && (
        <>
          <ColumnTable file={value.opened} targets={targets} options={current} onChange={set} />
          <ImportRunner {...{ entity, tenantId, options: current }} file={value.opened} targets={value.targets} />
        </>
      )}
    </>
  );
}
