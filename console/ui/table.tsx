import { ArrowDown, ArrowUp } from "lucide";
import { Component, type ComponentChildren } from "preact";
import { useRef } from "preact/hooks";
import { Icon } from "./icon.tsx";

export type Column<T> = {
  readonly label: string;
  render(row: T): ComponentChildren;
  /** Whether the values are numbers. */
  readonly isNumeric?: boolean;
  /** The parameter `order` of the API that sorts by this column. */
  readonly order?: string | undefined;
};

export type Sort = {
  /** The current `order`. With `-`, the greatest value comes first. */
  readonly order: string;
  /** Returns the link to the list in another order. */
  href(order: string): string;
};

export type Selection<T> = {
  /** The keys of the selected rows. */
  readonly selected: ReadonlySet<string>;
  /** Names a row for screen readers. */
  labelOf(row: T): string;
  readonly allLabel: string;
  onChange(selected: ReadonlySet<string>): void;
};

type EmptyProps = { readonly text: string; readonly href: string; readonly next: string };

/** Says that there is nothing, and links to the next step. */
export function Empty({ text, href, next }: EmptyProps) {
  return (
    <>
      <p>{text}</p>
      <a class="button" href={href}>
        {next}
      </a>
    </>
  );
}

type TableProps<T> = {
  /** Read by screen readers. */
  readonly caption: string;
  /** The rows are rendered again if these are other objects. */
  readonly columns: readonly Column<T>[];
  readonly rows: readonly T[];
  keyOf(row: T): string;
  readonly empty: ComponentChildren;
  /** Makes the headers of columns with an `order` links that sort. */
  readonly sort?: Sort;
  /** Adds a checkbox to each row. */
  readonly selection?: Selection<T> | undefined;
  /** Whether each row has one line. Longer values are cut. */
  readonly isDense?: boolean;
};

/** A table. The first column names the row. On narrow screens, each row becomes a block. */
export function Table<T>({ caption, columns, rows, keyOf, empty, sort, selection, isDense }: TableProps<T>) {
  const latest = useRef(selection);
  latest.current = selection;
  const toggle = (key: string) => latest.current?.onChange(toggled(latest.current.selected, key));
  if (rows.length === 0) return <div class="empty">{empty}</div>;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard scrolls a wide table.
    <section class={isDense ? "table dense" : "table"} aria-label={caption} tabIndex={0} onPointerOver={showCut}>
      <table>
        <caption class="visually-hidden">{caption}</caption>
        <thead>
          <tr>
            {selection && (
              <td class="check">
                <input
                  type="checkbox"
                  aria-label={selection.allLabel}
                  checked={rows.every((row) => selection.selected.has(keyOf(row)))}
                  onChange={(event) =>
                    selection.onChange(new Set(event.currentTarget.checked ? rows.map((row) => keyOf(row)) : []))
                  }
                />
              </td>
            )}
            {columns.map((column) => (
              <Header key={column.label} {...column} sort={sort} />
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <Row
              key={keyOf(row)}
              row={row}
              columns={columns}
              isSelected={selection?.selected.has(keyOf(row))}
              label={selection?.labelOf(row)}
              onToggle={() => toggle(keyOf(row))}
            />
          ))}
        </tbody>
      </table>
    </section>
  );
}

type RowProps<T> = {
  readonly row: T;
  readonly columns: readonly Column<T>[];
  /** Undefined if rows can't be selected. */
  readonly isSelected: boolean | undefined;
  readonly label: string | undefined;
  onToggle(): void;
};

/** A row, which is rendered again only if its values, columns or selection have changed: a list can have thousands. */
class Row<T> extends Component<RowProps<T>> {
  override shouldComponentUpdate({ row, columns, isSelected }: RowProps<T>): boolean {
    const { props } = this;
    return row !== props.row || columns !== props.columns || isSelected !== props.isSelected;
  }

  override render({ row, columns, isSelected, label, onToggle }: RowProps<T>) {
    return (
      <tr>
        {isSelected !== undefined && (
          <td class="check">
            <input type="checkbox" aria-label={label} checked={isSelected} onChange={onToggle} />
          </td>
        )}
        {columns.map((column, index) =>
          index === 0 ? (
            <th key={column.label} scope="row">
              {column.render(row)}
            </th>
          ) : (
            <td key={column.label} data-label={column.label} class={column.isNumeric ? "number" : undefined}>
              {column.render(row)}
            </td>
          ),
        )}
      </tr>
    );
  }
}

/** Gives a cell whose value is cut a tooltip with all of it. */
function showCut({ target }: PointerEvent): void {
  const cell = target instanceof Element && target.closest<HTMLElement>(".dense :is(th, td)");
  if (cell) cell.title = cell.scrollWidth > cell.clientWidth ? cell.innerText : "";
}

function toggled(selected: ReadonlySet<string>, key: string): ReadonlySet<string> {
  const changed = new Set(selected);
  if (!changed.delete(key)) changed.add(key);
  return changed;
}

type HeaderProps = Pick<Column<never>, "label" | "isNumeric" | "order"> & { readonly sort: Sort | undefined };

function Header({ label, isNumeric, order, sort }: HeaderProps) {
  const className = isNumeric ? "number" : undefined;
  if (sort === undefined || order === undefined)
    return (
      <th scope="col" class={className}>
        {label}
      </th>
    );
  const direction = sort.order === order ? "ascending" : sort.order === `-${order}` ? "descending" : undefined;
  // Times begin with the newest.
  const first = order.endsWith("At") ? `-${order}` : order;
  const next = direction === "ascending" ? `-${order}` : direction === "descending" ? order : first;
  return (
    <th scope="col" class={className} aria-sort={direction}>
      <a href={sort.href(next)}>
        {label}
        {direction && <Icon node={direction === "ascending" ? ArrowUp : ArrowDown} />}
      </a>
    </th>
  );
}
