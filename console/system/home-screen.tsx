import { useEffect } from "preact/hooks";
import { call } from "../api.ts";
import { readStored, store } from "../browser-storage.ts";
import { redirect } from "../route.ts";
import type { Session } from "../session.tsx";
import { Loading } from "../ui/notice.tsx";
import { Page } from "../ui/page.tsx";

/** Remembers in the browser that the first steps are done. */
export const welcomed = {
  name: (tenantId: string): string => `crm-console-welcomed-${tenantId}`,
  get(tenantId: string): boolean {
    return readStored(this.name(tenantId)) !== null;
  },
  set(tenantId: string): void {
    store(this.name(tenantId), "1");
  },
};

/** Opens the first steps of a tenant without accounts, and the overview otherwise. */
export function HomeScreen({ session }: { readonly session: Session }) {
  useEffect(() => {
    const controller = new AbortController();
    const { signal } = controller;
    const open = (isFirst: boolean): void => {
      // The user may have left for another screen that isn't rendered yet.
      const isHome = /^#?\/?$/.test(location.hash);
      if (!signal.aborted && isHome) redirect([isFirst ? "welcome" : "overview"]);
    };
    const { id } = session.tenant;
    const query = { limit: 1, includeArchived: true };
    // A later visit doesn't wait for this request.
    if (welcomed.get(id)) open(false);
    else
      call<readonly unknown[]>("GET", "api/v1/accounts", { query, signal }).then(
        ({ data }) => {
          if (data.length > 0) welcomed.set(id);
          open(data.length === 0);
        },
        () => open(false),
      );
    return () => controller.abort();
  }, [session.tenant.id]);
  return (
    <Page title={session.tenant.name}>
      <Loading />
    </Page>
  );
}
