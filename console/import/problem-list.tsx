import type { ProblemGroup } from "crm-integrations/transfer";
import type { ComponentChildren } from "preact";
import type { Entity } from "../names.ts";
import { texts } from "../texts.ts";
import { Options, valueOptions } from "../ui/choices.tsx";
import { describeProblem, type Fix, fixesOf } from "./fixes.ts";
import type { ImportChanges, ImportOptions } from "./import-plan.ts";
import type { LabeledTarget } from "./targets.ts";

const { files } = texts;

/** Values of a group that are shown. */
const maxValues = 3;
const maxValueLength = 40;
/** Values that can be replaced one by one. */
const maxReplaced = 20;

type ProblemListProps = {
  readonly entity: Entity;
  readonly targets: readonly LabeledTarget[];
  readonly groups: readonly ProblemGroup[];
  readonly options: ImportOptions;
  /** Undefined if the rows are imported, so that the options can't change anymore. */
  readonly onChange: ((change: ImportChanges) => void) | undefined;
};

/** The causes for which rows are rejected, with buttons that correct them. */
export function ProblemList({ groups, targets, options, onChange, entity }: ProblemListProps) {
  return (
    <ul class="problems" aria-label={files.problems}>
      {groups.map((group) => (
        <Problem
          key={`${group.code} ${group.target} ${group.message}`}
          text={`${files.rows(group.count)}: ${describeProblem(
            group,
            targets,
            group.values.map(({ text }) => text),
          )}`}
          fixes={onChange === undefined ? [] : fixesOf(group, { entity, targets, options })}
          onChange={onChange}
        >
          {group.values.length > 0 && (
            <p class="help" dir="auto">
              {group.values
                .slice(0, maxValues)
                .map(({ text, count }) => files.valueCount(text.slice(0, maxValueLength), count))
                .join(", ")}
              {group.values.length > maxValues && ", …"}
            </p>
          )}
          {onChange !== undefined && group.code === "not_an_option" && (
            <Replacements {...{ group, targets, options, onChange }} />
          )}
        </Problem>
      ))}
    </ul>
  );
}

type ProblemProps = {
  readonly text: string;
  readonly fixes: readonly Fix[];
  readonly onChange: ((change: ImportChanges) => void) | undefined;
  readonly children?: ComponentChildren;
};

/** A problem and the buttons that correct it. */
export function Problem({ text, fixes, onChange, children }: ProblemProps) {
  return (
    <li>
      <p>{text}</p>
      {children}
      {fixes.length > 0 && (
        <div class="actions">
          {fixes.map(({ label, change }) => (
            <button key={label} type="button" onClick={() => onChange?.(change)}>
              {label}
            </button>
          ))}
        </div>
      )}
    </li>
  );
}

type ReplacementsProps = Pick<ProblemListProps, "targets" | "options"> & {
  readonly group: ProblemGroup;
  onChange(change: ImportChanges): void;
};

/** Replaces values by options of the field. */
function Replacements({ group, targets, options, onChange }: ReplacementsProps) {
  const { name = "", options: choices = [] } = targets.find((target) => target.name === group.target) ?? {};
  if (choices.length === 0) return null;
  return (
    <div class="row">
      {group.values.slice(0, maxReplaced).map(({ text }) => (
        <label key={text}>
          {files.replace(text.slice(0, maxValueLength))}
          <select
            value=""
            onChange={({ currentTarget }) => {
              const values = { ...options.values[name], [text.trim()]: currentTarget.value };
              onChange({ values: { ...options.values, [name]: values } });
            }}
          >
            <Options options={valueOptions(choices)} none={files.chooseValue} />
          </select>
        </label>
      ))}
    </div>
  );
}
