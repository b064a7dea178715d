import { useLayoutEffect, useRef } from "preact/hooks";
import { texts } from "../texts.ts";
import type { InputProps, RowDraft } from "./field-spec.ts";
import { MoveButtons, moveItem, useMoveFocus } from "./move-buttons.tsx";

/** A list of rows with text fields. Rows can be added, removed and moved. */
export function RowsInput({ id, field, draft, describedBy, isInvalid, onChange }: InputProps) {
  const rows = draft as readonly RowDraft[];
  const columns = field.columns ?? [];
  const list = useRef<HTMLOListElement>(null);
  const isAdding = useRef(false);
  const moveFocus = useMoveFocus();
  useLayoutEffect(() => {
    if (!isAdding.current) return;
    isAdding.current = false;
    list.current?.querySelector<HTMLInputElement>("li:last-child input")?.focus();
  }, [rows.length]);
  return (
    <>
      <ol class="rows" ref={list}>
        {rows.map((row, index) => {
          const name = row[columns[0]?.name ?? ""] || texts.form.row(index + 1);
          return (
            <li key={index} class="row">
              {columns.map((column) => (
                <label key={column.name} for={`${id}-${index}-${column.name}`}>
                  {column.label}
                  <input
                    id={`${id}-${index}-${column.name}`}
                    inputMode={column.isNumber ? "decimal" : undefined}
                    size={column.isNumber ? 6 : 20}
                    aria-describedby={describedBy}
                    aria-invalid={isInvalid || undefined}
                    autoComplete="off"
                    value={row[column.name] ?? ""}
                    onInput={({ currentTarget: { value } }) =>
                      onChange(rows.map((each, at) => (at === index ? { ...each, [column.name]: value } : each)))
                    }
                  />
                </label>
              ))}
              <MoveButtons
                {...{ index, name, moveFocus }}
                id={`${id}-move`}
                count={rows.length}
                onMove={(to) => onChange(moveItem(rows, index, to))}
              />
              <button
                type="button"
                aria-label={texts.form.remove(name)}
                onClick={({ currentTarget }) => {
                  if (index === rows.length - 1)
                    currentTarget.closest("fieldset")?.querySelector<HTMLElement>("ol + button")?.focus();
                  onChange(rows.filter((_, at) => at !== index));
                }}
              >
                ×
              </button>
            </li>
          );
        })}
      </ol>
      <button
        type="button"
        onClick={() => {
          isAdding.current = true;
          onChange([...rows, Object.fromEntries(columns.map(({ name }) => [name, ""]))]);
        }}
      >
        {texts.form.addRow}
      </button>
    </>
  );
}
