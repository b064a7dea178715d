import { Pencil } from "lucide";
import type { ComponentChildren } from "preact";
import { texts } from "../texts.ts";
import type { Editing } from "./editing.ts";
import type { FieldSpec } from "./field-spec.ts";
import { Icon } from "./icon.tsx";

export type Reading = {
  readonly editing: Editing;
  /** Whether the fields can't be edited. */
  readonly isLocked: boolean;
  /** Shows the value of a field to read. */
  render(field: FieldSpec): ComponentChildren;
};

type ReadGroupProps = Reading & { readonly group: string; readonly fields: readonly FieldSpec[] };

/** A group of fields to read. A click on a value, or the button, opens the group for editing. */
export function ReadGroup({ group, fields, editing, isLocked, render }: ReadGroupProps) {
  const open = (path: string): void => editing.open([group], path);
  return (
    <div class="read-group">
      <div class="group-head">
        <h2>{group}</h2>
        {!isLocked && (
          <button
            type="button"
            class="ghost"
            data-edit={group}
            aria-label={texts.form.editGroup(group)}
            title={texts.form.editGroup(group)}
            onClick={() => open(fields[0]?.path ?? "")}
          >
            <Icon node={Pencil} />
          </button>
        )}
      </div>
      <dl class={isLocked ? "values" : "values editable"}>
        {fields.map((field) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the button of the group does the same for the keyboard.
          // biome-ignore lint/a11y/noStaticElementInteractions: the button of the group does the same.
          <div
            key={field.path}
            class={wide.includes(field.input) ? "wide" : undefined}
            onClick={(event) => {
              if (!isLocked && !isUsedOtherwise(event)) open(field.path);
            }}
          >
            <dt>{field.label}</dt>
            <dd>{render(field)}</dd>
          </div>
        ))}
      </dl>
    </div>
  );
}

/** Inputs whose values use the whole width. */
const wide = ["textarea", "lines"];

/** Whether a click follows a link, or ends a selection of text to copy. */
function isUsedOtherwise({ target }: MouseEvent): boolean {
  return (target instanceof Element && target.closest("a") !== null) || getSelection()?.isCollapsed === false;
}
