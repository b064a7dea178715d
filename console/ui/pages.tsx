import { useRef } from "preact/hooks";
import type { Result } from "../api.ts";
import { texts } from "../texts.ts";
import { useAction, useLoad } from "./load.ts";
import { ErrorNotice } from "./notice.tsx";

type Page<T> = Result<readonly T[]>;
type PageQuery = { readonly limit: number; readonly cursor: string | undefined };

const pageSize = 50;
const maxPageSize = 200;

/**
 * Reads a list page by page. A reload reads as many rows as are shown. Back shows the rows that were shown, and reads them
 * again. A screen can have one such list.
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
  const { value, set, isLoading } = list;
  shown.current = value?.data.length ?? 0;
  const next = useAction(read);
  const cursor = value?.nextCursor ?? undefined;
  /** Adds the next page, if there is one. */
  const more = value &&
    cursor !== undefined && {
      isDisabled: next.isRunning || isLoading,
      error: next.error,
      async add(): Promise<void> {
        const page = await next.run({ limit: pageSize, cursor });
        if (page !== undefined) set({ ...value, ...page, data: [...value.data, ...page.data] });
      },
    };
  return { ...list, rows: value?.data ?? [], more };
}

/** The button that adds the next page. */
export function MoreRows({ more }: Pick<ReturnType<typeof usePages>, "more">) {
  if (!more) return null;
  return (
    <>
      {more.error && <ErrorNotice error={more.error} />}
      <button type="button" disabled={more.isDisabled} onClick={more.add}>
        {texts.records.more}
      </button>
    </>
  );
}
