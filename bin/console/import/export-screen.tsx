import { useEffect, useState } from "preact/hooks";
import { type ApiRecord, formatPages } from "../../export/format-pages.ts";
import { ReferenceNames } from "../../export/reference-names.ts";
import { type Format, formats } from "../../import/raw-row.ts";
import { call, type Query } from "../api.ts";
import { collections, type Entity } from "../names.ts";
import { texts } from "../texts.ts";
import { useAction, useLoad } from "../ui/load.ts";
import { ErrorNotice, Loading, SuccessNotice } from "../ui/notice.tsx";
import { Page } from "../ui/page.tsx";
import { Checkbox, delimiterOptions, kindOptions, Select } from "./file-inputs.tsx";
import { recordGetter } from "./find-records.ts";
import { download } from "./open-file.ts";
import { type LabeledTarget, loadTargets } from "./targets.ts";

const { files } = texts;

type Options = {
  readonly format: Format;
  readonly delimiter: string;
  readonly includeArchived: boolean;
  readonly updatedSince: string;
  readonly useNames: boolean;
  readonly isForSpreadsheet: boolean;
};

const initial: Options = {
  format: "csv",
  delimiter: ",",
  includeArchived: false,
  updatedSince: "",
  useNames: false,
  isForSpreadsheet: false,
};

/** Downloads records as a file. */
export function ExportScreen() {
  const [entity, setEntity] = useState<Entity>("account");
  const targets = useLoad((signal) => loadTargets(entity, signal), entity);
  return (
    <Page title={files.exportTitle}>
      <div class="row">
        <Select
          label={files.kind}
          value={entity}
          options={kindOptions}
          onChange={(value) => setEntity(value as Entity)}
        />
      </div>
      {targets.error && <ErrorNotice error={targets.error} />}
      {targets.value === undefined && !targets.error && <Loading />}
      {targets.value && <ExportForm key={entity} entity={entity} targets={targets.value} />}
    </Page>
  );
}

function ExportForm({ entity, targets }: { readonly entity: Entity; readonly targets: readonly LabeledTarget[] }) {
  const [options, setOptions] = useState(initial);
  const [omitted, setOmitted] = useState<readonly string[]>([]);
  const [count, setCount] = useState(0);
  const set = (change: Partial<Options>): void => setOptions((before) => ({ ...before, ...change }));
  const offered = targets.filter(({ name }) => name !== "archivedAt" || options.includeArchived);
  const selected = offered.filter(({ name }) => !omitted.includes(name));
  const action = useAction(async () => {
    setCount(0);
    const { format, delimiter, useNames, isForSpreadsheet } = options;
    const pages = countPages(readPages(entity, options), setCount);
    const shape = {
      format,
      delimiter,
      targets: selected,
      hasFieldList: selected.length < offered.length,
      names: useNames ? new ReferenceNames(recordGetter()) : undefined,
      escapeFormulas: isForSpreadsheet,
    };
    const parts: string[] = [];
    for await (const part of formatPages(pages, shape)) parts.push(part);
    download(`${collections[entity]}.${format}`, parts, format);
    return true;
  });
  const [isDone, setDone] = useState(false);
  useEffect(() => setDone(false), [options, omitted]);
  return (
    <form
      onSubmit={async (event) => {
        event.preventDefault();
        setDone(false);
        setDone((await action.run()) === true);
      }}
    >
      <div class="row">
        <Select
          label={files.format}
          value={options.format}
          options={formats.map((value) => ({ value, label: value.toUpperCase() }))}
          onChange={(format) => set({ format: format as Format })}
        />
        {options.format === "csv" && (
          <Select
            label={files.delimiter}
            value={options.delimiter}
            options={delimiterOptions}
            onChange={(delimiter) => set({ delimiter })}
          />
        )}
        <label>
          {files.updatedSince}
          <input
            type="datetime-local"
            value={options.updatedSince}
            onInput={(event) => set({ updatedSince: event.currentTarget.value })}
          />
        </label>
      </div>
      <div class="field choices">
        <Checkbox
          label={files.archived}
          checked={options.includeArchived}
          onChange={(includeArchived) => set({ includeArchived })}
        />
        <Checkbox label={files.useNames} checked={options.useNames} onChange={(useNames) => set({ useNames })} />
        {options.format === "csv" && (
          <Checkbox
            label={files.spreadsheet}
            checked={options.isForSpreadsheet}
            onChange={(isForSpreadsheet) => set({ isForSpreadsheet })}
          />
        )}
      </div>
      <fieldset class="card">
        <legend>{files.fields}</legend>
        <div class="columns-list">
          {offered.map(({ name, label }) => (
            <Checkbox
              key={name}
              label={label}
              checked={!omitted.includes(name)}
              onChange={(checked) =>
                setOmitted((before) => (checked ? before.filter((each) => each !== name) : [...before, name]))
              }
            />
          ))}
        </div>
      </fieldset>
      {selected.length === 0 && <p class="field-errors">{files.noFields}</p>}
      {action.error && <ErrorNotice error={action.error} focus />}
      {isDone && <SuccessNotice>{files.exported(count)}</SuccessNotice>}
      <button type="submit" class="primary" disabled={action.isRunning || selected.length === 0}>
        {action.isRunning ? files.exporting(count) : files.exportButton}
      </button>
    </form>
  );
}

const pageSize = 200;

async function* readPages(entity: Entity, options: Options): AsyncGenerator<readonly ApiRecord[]> {
  const { includeArchived, updatedSince } = options;
  const since = updatedSince === "" ? undefined : new Date(updatedSince).toISOString();
  let query: Query = { limit: pageSize, includeArchived, updatedSince: since };
  for (;;) {
    const { data, nextCursor } = await call<readonly ApiRecord[]>("GET", `api/v1/${collections[entity]}`, { query });
    yield data;
    if (!nextCursor) return;
    query = { limit: pageSize, cursor: nextCursor };
  }
}

async function* countPages(pages: AsyncIterable<readonly ApiRecord[]>, onCount: (count: number) => void) {
  let count = 0;
  for await (const page of pages) {
    yield page;
    count += page.length;
    onCount(count);
  }
}
