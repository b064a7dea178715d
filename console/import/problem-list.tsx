import type { ProblemGroup } from "crm-integrations/transfer";
import type { ComponentChildren } from "preact";
import { texts } from "../texts.ts";
import { ChoiceMenu } from "../ui/choice-menu.tsx";
import { Options, valueOptions } from "../ui/choices.tsx";
import { describeProblem, type Fix, fixesOf } from "./fixes.ts";
import type { ImportChanges } from "./import-plan.ts";
import type { RunInput } from "./run.ts";

const { files } = texts;

/** Values of a group that are shown. */
const maxValues = 3;
const maxValueLength = 40;
/** Values that can be replaced one by one. */
const maxReplaced = 20;

type ProblemListProps = {
  readonly groups: readonly ProblemGroup[];
  readonly input: RunInput;
  /** Undefined if the rows are imported, so that the options can't change anymore. */
  readonly onChange?: ((change: ImportChanges) => void) | undefined;
};

/** The causes for which rows are rejected, with buttons that correct them. */
export function ProblemList({ groups, input, onChange }: ProblemListProps) {
  return (
    <ul class="problems" aria-label={files.problems}>
      {groups.map((group) => {
        const values = group.values.map(({ text }) => text);
        const shown = group.values.slice(0, maxValues);
        return (
          <Problem
            key={`${group.code} ${group.target} ${group.message}`}
            text={`${files.rows(group.count)}: ${describeProblem(group, input.targets, values)}`}
            fixes={onChange === undefined ? [] : fixesOf(group, input)}
            onChange={onChange}
          >
            {shown.length > 0 && (
              <p class="help" dir="auto">
                {shown.map(({ text, count }) => files.valueCount(text.slice(0, maxValueLength), count)).join(", ")}
                {values.length > maxValues && ", …"}
              </p>
            )}
            {onChange !== undefined && group.code === "not_an_option" && (
              <Replacements {...{ group, input, onChange }} />
            )}
          </Problem>
        );
      })}
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

type ReplacementsProps = {
  readonly group: ProblemGroup;
  readonly input: RunInput;
  onChange(change: ImportChanges): void;
};

/** Replaces values by options of the field. */
function Replacements({ group, input: { targets, options }, onChange }: ReplacementsProps) {
  const { name = "", options: choices = [] } = targets.find((target) => target.name === group.target) ?? {};
  if (choices.length === 0) return null;
  return (
    <div class="row">
      {group.values.slice(0, maxReplaced).map(({ text }) => (
        <label key={text} for={`${name} ${text}`}>
          {files.replace(text.slice(0, maxValueLength))}
          <ChoiceMenu
            id={`${name} ${text}`}
            value=""
            onChoose={(chosen) => {
              const values = { ...options.values[name], [text.trim()]: chosen };
              onChange({ values: { ...options.values, [name]: values } });
            }}
          >
            <Options options={valueOptions(choices)} none={files.chooseValue} />
          </ChoiceMenu>
        </label>
      ))}
    </div>
  );
}
