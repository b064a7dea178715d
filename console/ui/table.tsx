import type { ComponentChildren } from "preact";

export type Column<T> = {
  readonly label: string;
  render(row: T): ComponentChildren;
  /** Whether the values are numbers. */
  readonly isNumeric?: boolean;
};

type TableProps<T> = {
  /** Read by screen readers. */
  readonly caption: string;
  readonly columns: readonly Column<T>[];
  readonly rows: readonly T[];
  keyOf(row: T): string;
  readonly empty: string;
};

/** A table. The first column names the row. On narrow screens, each row becomes a block. */
export function Table<T>({ caption, columns, rows, keyOf, empty }: TableProps<T>) {
  if (rows.length === 0) return <p class="empty">{empty}</p>;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard scrolls a wide table.
    <section class="table" aria-label={caption} tabIndex={0}>
      <table>
        <caption class="visually-hidden">{caption}</caption>
        <thead>
          <tr>
            {columns.map(({ label, isNumeric }) => (
              <th key={label} scope="col" class={isNumeric ? "number" : undefined}>
                {label}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={keyOf(row)}>
              {columns.map(({ label, render, isNumeric }, index) =>
                index === 0 ? (
                  <th key={label} scope="row">
                    {render(row)}
                  </th>
                ) : (
                  <td key={label} data-label={label} class={isNumeric ? "number" : undefined}>
                    {render(row)}
                  </td>
                ),
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
