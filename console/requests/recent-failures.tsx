import type { RequestEntry } from "crm-integrations/client";
import { useRef } from "preact/hooks";
import { call } from "../api.ts";
import { href } from "../route.ts";
import { texts } from "../texts.ts";
import { useLoad } from "../ui/load.ts";
import { LoadStatus } from "../ui/notice.tsx";
import { useRefresh } from "./refresh.ts";
import { loadRequestContext } from "./request-links.ts";
import { RequestTable } from "./request-table.tsx";

const text = texts.requests;
const maxFailures = 20;

/** The last failed requests of an integration. */
export function RecentFailures({ integrationId }: { readonly integrationId: string }) {
  const context = useLoad(loadRequestContext, "");
  const failures = useLoad(async (signal) => {
    const read = async (status: string) => {
      const query = { integrationId, status, limit: maxFailures };
      return (await call<readonly RequestEntry[]>("GET", "api/admin/requests", { query, signal })).data;
    };
    const found = (await Promise.all([read("4xx"), read("5xx")])).flat();
    return found.sort((a, b) => b.at.localeCompare(a.at)).slice(0, maxFailures);
  }, integrationId);
  const section = useRef<HTMLElement>(null);
  // Not while another tab of the integration is shown.
  useRefresh(() => section.current?.offsetParent && failures.reload());
  return (
    <section ref={section}>
      <h2>{text.failures}</h2>
      <LoadStatus of={context.error ? context : failures} />
      {context.value && failures.value && (
        <RequestTable requests={failures.value} context={context.value} empty={text.noFailures} />
      )}
      <p>
        <a href={href(["requests"], { integrationId })}>{text.allOf}</a>
      </p>
    </section>
  );
}
