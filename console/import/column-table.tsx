import { entitiesWithFields, missingTargets } from "crm-integrations/transfer";
import { useState } from "preact/hooks";
import type { Entity } from "../names.ts";
import { texts } from "../texts.ts";
import { ChoiceMenu } from "../ui/choice-menu.tsx";
import { Options } from "../ui/choices.tsx";
import { Table } from "../ui/table.tsx";
import { defaultJoin, type ImportChanges, type ImportOptions, invalidJoins, joinedColumns } from "./import-plan.ts";
import { NewField } from "./new-field.tsx";
import type { OpenFile } from "./open-file.ts";
import type { LabeledTarget } from "./targets.ts";

const { files } = texts;

type ColumnTableProps = {
  readonly entity: Entity;
  readonly file: OpenFile;
  readonly targets: readonly LabeledTarget[];
  readonly options: ImportOptions;
  onChange(change: ImportChanges): void;
  /** Called after a custom field was created for a column. */
  onNewField(): Promise<void>;
};

const newField = "new field";

/** Assigns a field to each column. The keys of NDJSON are the names of the fields. */
export function ColumnTable({ entity, file, targets, options, onChange, onNewField }: ColumnTableProps) {
  const { header, rows } = file;
  /** The index of the column for which a field is created. */
  const [creating, setCreating] = useState<number>();
  if (header === undefined) return <p>{files.rows(rows.length)}</p>;
  const { assigned, dropInvalid } = options;
  const assign = (index: number, name: string): void =>
    onChange({ assigned: assigned.map((before, at) => (at === index ? name : before)) });
  return (
    <section>
      <h2>{files.columns}</h2>
      {creating !== undefined && (
        <NewField
          {...{ entity, targets }}
          column={header[creating] ?? ""}
          values={rows.map(({ raw }) => (raw[creating] ?? "").trim()).filter((cell) => cell !== "")}
          onClose={() => setCreating(undefined)}
          onCreated={async (name) => {
            await onNewField();
            setCreating(undefined);
            assign(creating, name);
          }}
        />
      )}
      <p>{files.rows(rows.length)}</p>
      <Table
        caption={files.columns}
        empty=""
        rows={header.map((name, index) => ({ name, index, target: assigned[index] ?? "" }))}
        keyOf={({ index }) => String(index)}
        columns={[
          { label: files.column, render: ({ name }) => <span dir="auto">{name}</span> },
          { label: files.example, render: ({ index }) => <span dir="auto">{firstValue(file, index)}</span> },
          {
            label: files.field,
            render: ({ name, index, target }) => (
              <>
                <ChoiceMenu
                  label={`${files.field}: ${name}`}
                  value={target}
                  onChoose={(chosen) => (chosen === newField ? setCreating(index) : assign(index, chosen))}
                >
                  <option value="">{files.ignore}</option>
                  {entitiesWithFields.includes(entity) && <option value={newField}>{files.newField}…</option>}
                  <Options options={targets.map((each) => ({ value: each.name, label: each.label }))} />
                </ChoiceMenu>
                <Join {...{ header, index, target, options, onChange }} />
              </>
            ),
          },
          {
            label: files.dropInvalid,
            render: ({ name, target }) =>
              target !== "" && (
                <input
                  type="checkbox"
                  aria-label={files.dropInvalidFor(name)}
                  checked={dropInvalid.includes(target)}
                  onChange={(event) => {
                    const others = dropInvalid.filter((each) => each !== target);
                    onChange({ dropInvalid: event.currentTarget.checked ? [...others, target] : others });
                  }}
                />
              ),
          },
        ]}
      />
    </section>
  );
}

const maxExampleLength = 40;

function firstValue({ rows }: OpenFile, index: number): string {
  const cells = rows.slice(0, 100).map(({ raw }) => raw[index] ?? "");
  return (cells.find((cell) => cell.trim() !== "") ?? "").slice(0, maxExampleLength);
}

type JoinProps = Pick<ColumnTableProps, "options" | "onChange"> & {
  readonly header: readonly string[];
  readonly index: number;
  readonly target: string;
};

/** How the columns of one field are joined. The first of them shows it. */
function Join({ header, index, target, options: { assigned, joins }, onChange }: JoinProps) {
  const indexes = joinedColumns(header, assigned, target);
  if (Math.min(...indexes) !== index) return null;
  return (
    <label class="join">
      {files.join}
      <input
        value={joins[target] ?? defaultJoin(header, indexes)}
        onInput={({ currentTarget }) => onChange({ joins: { ...joins, [target]: currentTarget.value } })}
      />
    </label>
  );
}

/** Returns what is wrong with the assigned fields. */
export function columnProblems(
  header: readonly string[],
  targets: readonly LabeledTarget[],
  options: ImportOptions,
): readonly string[] {
  const { assigned, upsertBy } = options;
  const labelOf = (name: string): string => targets.find((target) => target.name === name)?.label ?? name;
  const describeMissing = upsertBy === "" ? files.requiredColumn : files.upsertColumn;
  return [
    ...invalidJoins(header, options).map((name) => files.invalidJoin(labelOf(name))),
    ...missingTargets(targets, assigned, upsertBy).map(({ label }) => describeMissing(label)),
  ];
}
