import type { CrmError } from "crm-integrations/client";
import { useLayoutEffect, useRef } from "preact/hooks";
import type { Result } from "../api.ts";
import { texts } from "../texts.ts";
import { isFocusLost } from "./focus.ts";
import { useAction, useLast, useLoad } from "./load.ts";
import { ErrorNotice } from "./notice.tsx";

type Page<T> = Result<readonly T[]>;
type More = { readonly isDisabled: boolean; readonly error: CrmError | undefined; add(): Promise<void> };
type PageQuery = { readonly limit: number; readonly cursor: string | undefined };

const pageSize = 50;
const maxPageSize = 200;

/**
 * Reads a list page by page. A reload reads as many rows as are shown. Back shows the rows that were shown, and reads them
 * again. Rows with another key replace them when they are there. A screen can have one such list.
 */
export function usePages<T>(read: (query: PageQuery, signal?: AbortSignal) => Promise<Page<T>>, key: string) {
  const shown = useRef(0);
  const list = useLoad<Page<T>>(
    async (signal) => {
      const count = Math.max(shown.current, pageSize);
      const data: T[] = [];
      let cursor: string | undefined;
      let first: Page<T> | undefined;
      do {
        const page = await read({ limit: Math.min(count - data.length, maxPageSize), cursor }, signal);
        first ??= page;
        data.push(...page.data);
        cursor = page.nextCursor ?? undefined;
      } while (cursor !== undefined && data.length < count);
      return { ...first, data, nextCursor: cursor ?? null };
    },
    key,
    "pages",
  );
  const { set, isLoading } = list;
  shown.current = list.value?.data.length ?? 0;
  const value = useLast(list.value);
  const next = useAction(read);
  const cursor = value?.nextCursor ?? undefined;
  /** Adds the next page, if there is one. */
  const more: More | undefined =
    value === undefined || cursor === undefined
      ? undefined
      : {
          isDisabled: next.isRunning || isLoading,
          error: next.error,
          async add() {
            const page = await next.run({ limit: pageSize, cursor });
            if (page !== undefined) set({ ...value, ...page, data: [...value.data, ...page.data] });
          },
        };
  return { ...list, value, rows: value?.data ?? [], more };
}

/** The button that adds the next page. */
export function MoreRows({ more }: { readonly more: More | undefined }) {
  /** The element around the button, after a click. After the last page, the last row gets the focus. */
  const parent = useRef<Element | null>(null);
  useLayoutEffect(() => {
    if (more || !isFocusLost()) return;
    parent.current?.querySelector<HTMLElement>("tbody tr:last-child a, .table:not(:has(tbody a))")?.focus();
  }, [!more]);
  if (!more) return null;
  return (
    <>
      {more.error && <ErrorNotice error={more.error} />}
      <button
        type="button"
        disabled={more.isDisabled}
        onClick={({ currentTarget }) => {
          parent.current = currentTarget.parentElement;
          void more.add();
        }}
      >
        {texts.records.more}
      </button>
    </>
  );
}
