import { useEffect, useState } from "preact/hooks";
import { call } from "../api.ts";
import { type Entity, type Named, rememberNames } from "../names.ts";

/** A result of the search. */
export type SearchHit = { readonly entity: Entity; readonly record: Named };

const searchDelayMs = 200;
const maxHits = 10;

/**
 * Returns the records that match, once the user stops typing. Undefined until they are found. Without a kind, searches all
 * kinds.
 */
export function useSearch(words: string, entity?: Entity): readonly SearchHit[] | undefined {
  const [found, setFound] = useState<{ readonly words: string; readonly hits: readonly SearchHit[] }>();
  useEffect(() => {
    if (words.trim() === "") return;
    const controller = new AbortController();
    const timer = setTimeout(async () => {
      const query = { q: words, entity, limit: maxHits };
      try {
        const { data } = await call<readonly SearchHit[]>("GET", "api/v1/search", { query, signal: controller.signal });
        rememberNames(data.map(({ record }) => record));
        setFound({ words, hits: data });
      } catch {
        if (!controller.signal.aborted) setFound({ words, hits: [] });
      }
    }, searchDelayMs);
    return () => {
      clearTimeout(timer);
      controller.abort();
    };
  }, [words, entity]);
  // A user who types fast must not choose a result of other words.
  return found?.words === words ? found.hits : undefined;
}
