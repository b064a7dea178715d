import type { RequestEntry } from "crm-integrations/client";
import { call } from "../api.ts";
import { href } from "../route.ts";
import { texts } from "../texts.ts";
import { useLoad } from "../ui/load.ts";
import { LoadStatus } from "../ui/notice.tsx";
import { loadRequestContext } from "./request-links.ts";
import { RequestTable } from "./request-table.tsx";

const text = texts.requests;
const maxFailures = 20;

/** The last failed requests of an integration. */
export function RecentFailures({ integrationId }: { readonly integrationId: string }) {
  const loaded = useLoad(async (signal) => {
    const read = async (status: string) => {
      const query = { integrationId, status, limit: maxFailures };
      return (await call<readonly RequestEntry[]>("GET", "api/admin/requests", { query, signal })).data;
    };
    const [context, client, server] = await Promise.all([loadRequestContext(signal), read("4xx"), read("5xx")]);
    const failures = [...client, ...server].sort((a, b) => b.at.localeCompare(a.at)).slice(0, maxFailures);
    return { context, failures };
  }, integrationId);
  return (
    <section>
      <h2>{text.failures}</h2>
      <LoadStatus of={loaded} />
      {loaded.value && (
        <RequestTable requests={loaded.value.failures} context={loaded.value.context} empty={text.noFailures} />
      )}
      <p>
        <a href={href(["requests"], { integrationId })}>{text.allOf}</a>
      </p>
    </section>
  );
}
