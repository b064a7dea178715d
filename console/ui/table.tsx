import { ArrowDown, ArrowUp } from "lucide";
import { Component, type ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
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

/** A dense table with more rows draws only those near the screen, in chunks. */
const maxDrawn = 300;
const chunkSize = 100;

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
  const isLong = Boolean(isDense) && rows.length > maxDrawn;
  const size = isLong ? chunkSize : rows.length;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard scrolls a wide table.
    <section class={isDense ? "table dense" : "table"} aria-label={caption} tabIndex={0} onPointerOver={showCut}>
      <table class={isLong ? "long" : undefined} aria-rowcount={isLong ? rows.length + 1 : undefined}>
        <caption class="visually-hidden">{caption}</caption>
        <thead>
          <tr aria-rowindex={isLong ? 1 : undefined}>
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
        {Array.from({ length: Math.ceil(rows.length / size) }, (_, chunk) => (
          <Chunk key={chunk} isLong={isLong} columnCount={columns.length + (selection ? 1 : 0)}>
            {rows.slice(chunk * size, (chunk + 1) * size).map((row, index) => (
              <Row
                key={keyOf(row)}
                row={row}
                // The header is the first row.
                position={isLong ? chunk * size + index + 2 : undefined}
                columns={columns}
                isSelected={selection?.selected.has(keyOf(row))}
                label={selection?.labelOf(row)}
                onToggle={() => toggle(keyOf(row))}
              />
            ))}
          </Chunk>
        ))}
      </table>
    </section>
  );
}

type ChunkProps = {
  readonly isLong: boolean;
  readonly columnCount: number;
  readonly children: ComponentChildren;
};

/**
 * Rows of a table. Those of a long table that are far from the screen and without the focus become one row of their
 * height, because the browser takes long to scroll thousands.
 */
function Chunk({ isLong, columnCount, children }: ChunkProps) {
  const body = useRef<HTMLTableSectionElement>(null);
  const [height, setHeight] = useState<number | undefined>();
  useEffect(() => {
    if (!isLong || body.current === null) return;
    const observer = new IntersectionObserver(
      (entries) => {
        const { target, isIntersecting, boundingClientRect } = entries.at(-1) as IntersectionObserverEntry;
        if (isIntersecting) setHeight(undefined);
        else if (!target.contains(document.activeElement)) setHeight(boundingClientRect.height);
      },
      { rootMargin: "200% 0px" },
    );
    observer.observe(body.current);
    return () => observer.disconnect();
  }, [isLong]);
  const isFar = isLong && height !== undefined;
  return (
    <tbody ref={body}>
      {isFar ? (
        <tr class="far" aria-hidden>
          <td colSpan={columnCount} style={{ height: `${height}px` }} />
        </tr>
      ) : (
        children
      )}
    </tbody>
  );
}

type RowProps<T> = {
  readonly row: T;
  /** Its number in the table for screen readers, if not all rows are there. */
  readonly position: number | undefined;
  readonly columns: readonly Column<T>[];
  /** Undefined if rows can't be selected. */
  readonly isSelected: boolean | undefined;
  readonly label: string | undefined;
  onToggle(): void;
};

/** A row, which is rendered again only if its values, columns or selection have changed: a list can have thousands. */
class Row<T> extends Component<RowProps<T>> {
  override shouldComponentUpdate({ row, position, columns, isSelected }: RowProps<T>): boolean {
    const { props } = this;
    const isSame = row === props.row && position === props.position;
    return !isSame || columns !== props.columns || isSelected !== props.isSelected;
  }

  override render({ row, position, columns, isSelected, label, onToggle }: RowProps<T>) {
    return (
      <tr aria-rowindex={position}>
        {isSelected !== undefined && (
          <td class="check">
            <input type="checkbox" aria-label={label} checked={isSelected} onChange={onToggle} />
          </td>
        )}
        {columns.map((column, index) =>
          index === 0 ? (
            // A number names nothing without its label.
            <th
              key={column.label}
              scope="row"
              data-label={column.isNumeric ? column.label : undefined}
              class={column.isNumeric ? "number" : undefined}
            >
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
