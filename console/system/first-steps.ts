import { useLayoutEffect } from "preact/hooks";
import { call } from "../api.ts";
import { readStored, store, userStorageName } from "../browser-storage.ts";
import { redirect } from "../route.ts";

/** Remembers in the browser that the first steps are done. */
export const welcomed = {
  get: (): boolean => readStored(userStorageName("welcomed")) !== null,
  set: (): void => store(userStorageName("welcomed"), "1"),
};

/** At the address without a screen, opens the first steps of a tenant without accounts, and the overview otherwise. */
export function useHome(isHome: boolean): void {
  useLayoutEffect(() => {
    if (!isHome) return;
    const controller = new AbortController();
    const { signal } = controller;
    const open = (isFirst: boolean): void => {
      // The user may have left for another screen that isn't rendered yet.
      const isStillHome = /^#?\/?$/.test(location.hash);
      if (!signal.aborted && isStillHome) redirect([isFirst ? "welcome" : "overview"]);
    };
    const query = { limit: 1, includeArchived: true };
    // A later visit doesn't wait for this request.
    if (welcomed.get()) open(false);
    else
      call<readonly unknown[]>("GET", "api/v1/accounts", { query, signal }).then(
        ({ data }) => {
          if (data.length > 0) welcomed.set();
          open(data.length === 0);
        },
        () => open(false),
      );
    return () => controller.abort();
  }, [isHome]);
}
