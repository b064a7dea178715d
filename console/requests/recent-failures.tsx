import { useRef } from "preact/hooks";
import { href } from "../route.ts";
import { texts } from "../texts.ts";
import { useLoad } from "../ui/load.ts";
import { LoadStatus } from "../ui/notice.tsx";
import { readFailures } from "./failures.ts";
import { useRefresh } from "./refresh.ts";
import { loadRequestContext } from "./request-links.ts";
import { RequestTable } from "./request-table.tsx";

const text = texts.requests;
const maxFailures = 20;

/** The last failed requests of an integration. */
export function RecentFailures({ integrationId }: { readonly integrationId: string }) {
  const context = useLoad(loadRequestContext, "");
  const failures = useLoad((signal) => readFailures({ integrationId, limit: maxFailures }, signal), integrationId);
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
