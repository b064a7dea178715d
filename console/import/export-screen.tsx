import { exportRecords, type Format, formats } from "crm-integrations/transfer";
import { useEffect, useState } from "preact/hooks";
import { collections, type Entity } from "../names.ts";
import { texts } from "../texts.ts";
import { Checkbox, kindOptions, Select } from "../ui/choices.tsx";
import { useAction, useLoad } from "../ui/load.ts";
import { ErrorNotice, LoadStatus, Notice } from "../ui/notice.tsx";
import { Page } from "../ui/page.tsx";
import { readTime, TimeField } from "../ui/time-field.tsx";
import { delimiterOptions } from "./file-inputs.tsx";
import { download } from "./open-file.ts";
import { request } from "./request.ts";
import { type LabeledTarget, loadTargets } from "./targets.ts";

const { files } = texts;

const initial = {
  format: "csv" as Format,
  delimiter: ",",
  includeArchived: false,
  updatedSince: "",
  useNames: false,
  escapeFormulas: false,
};

/** Downloads records as a file. */
export function ExportScreen() {
  const [entity, setEntity] = useState<Entity>("account");
  const targets = useLoad(() => loadTargets(entity), entity);
  return (
    <Page title={files.exportTitle}>
      <div class="row">
        <Select label={files.kind} value={entity} options={kindOptions} onChange={setEntity} />
      </div>
      <LoadStatus of={targets} />
      {targets.value && <ExportForm key={entity} entity={entity} targets={targets.value} />}
    </Page>
  );
}

function ExportForm({ entity, targets }: { readonly entity: Entity; readonly targets: readonly LabeledTarget[] }) {
  const [options, setOptions] = useState(initial);
  const [omitted, setOmitted] = useState<readonly string[]>([]);
  const [count, setCount] = useState(0);
  const set = (change: Partial<typeof initial>): void => setOptions((before) => ({ ...before, ...change }));
  const offered = targets.filter(
    ({ name, isImportOnly }) => isImportOnly !== true && (name !== "archivedAt" || options.includeArchived),
  );
  const selected = offered.filter(({ name }) => !omitted.includes(name));
  const action = useAction(async () => {
    setCount(0);
    const { format, updatedSince } = options;
    const exported = exportRecords(
      request,
      {
        ...options,
        entity,
        updatedSince: readTime(updatedSince),
        targets: selected,
        hasFieldList: selected.length < offered.length,
      },
      setCount,
    );
    const parts: string[] = [];
    for await (const part of exported) parts.push(part);
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
          onChange={(format) => set({ format })}
        />
        {options.format === "csv" && (
          <Select
            label={files.delimiter}
            value={options.delimiter}
            options={delimiterOptions}
            onChange={(delimiter) => set({ delimiter })}
          />
        )}
        <TimeField
          id="updatedSince"
          label={files.updatedSince}
          value={options.updatedSince}
          onChange={(updatedSince) => set({ updatedSince })}
        />
      </div>
      <div class="choices">
        <Checkbox
          label={files.archived}
          checked={options.includeArchived}
          onChange={(includeArchived) => set({ includeArchived })}
        />
        <Checkbox label={files.useNames} checked={options.useNames} onChange={(useNames) => set({ useNames })} />
        {options.format === "csv" && (
          <Checkbox
            label={files.spreadsheet}
            checked={options.escapeFormulas}
            onChange={(escapeFormulas) => set({ escapeFormulas })}
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
      {isDone && <Notice class="success">{files.exported(count)}</Notice>}
      <button type="submit" class="primary" disabled={action.isRunning || selected.length === 0}>
        {action.isRunning ? files.exporting(count) : files.exportButton}
      </button>
    </form>
  );
}
