import type { RequestEntry } from "crm-integrations/client";
import { useLayoutEffect, useState } from "preact/hooks";
import { call, type Query, read, toQueryString } from "../api.ts";
import { href, navigate } from "../route.ts";
import { texts } from "../texts.ts";
import { namedOptions, Options, toOptions } from "../ui/choices.tsx";
import { useFallbackFocus } from "../ui/focus.ts";
import { useLoad } from "../ui/load.ts";
import { LoadStatus } from "../ui/notice.tsx";
import { Page } from "../ui/page.tsx";
import { MoreRows, usePages } from "../ui/pages.tsx";
import { Empty } from "../ui/table.tsx";
import { readTime, TimeField, timeText } from "../ui/time-field.tsx";
import { useRefresh } from "./refresh.ts";
import { loadRequestContext, type RequestContext } from "./request-links.ts";
import { RequestTable } from "./request-table.tsx";

const text = texts.requests;
const filterNames = ["integrationId", "status", "operation", "since", "until"] as const;

/** The requests of the tenant with filters, or all with one request ID. */
export function RequestsScreen({ id, query }: { readonly id: string | undefined; readonly query: URLSearchParams }) {
  const context = useLoad(loadRequestContext, "", "context");
  const filters = Object.fromEntries(filterNames.map((name) => [name, query.get(name) ?? ""]));
  return (
    <Page title={text.title} actions={id !== undefined && <a href={href(["requests"])}>{text.all}</a>}>
      {id === undefined && <p>{text.intro}</p>}
      <LoadStatus of={context} />
      {context.value &&
        (id === undefined ? (
          <>
            <Filters filters={filters} context={context.value} />
            <Requests key={toQueryString(filters)} filters={filters} context={context.value} />
          </>
        ) : (
          <SameId id={id} context={context.value} />
        ))}
    </Page>
  );
}

/** All requests with an ID. */
function SameId({ id, context }: { readonly id: string; readonly context: RequestContext }) {
  const found = useLoad(
    (signal) =>
      read<readonly RequestEntry[]>(`api/admin/requests/${encodeURIComponent(id)}`, { signal }).catch((error) => {
        if (error.status === 404) return [];
        throw error;
      }),
    id,
  );
  return (
    <>
      <p>
        {texts.errors.requestId}: <code>{id}</code>
      </p>
      <LoadStatus of={found} />
      {found.value && <RequestTable requests={found.value} context={context} isOpen empty={text.unknownId} />}
    </>
  );
}

type FilteredProps = { readonly filters: Readonly<Record<string, string>>; readonly context: RequestContext };

function Requests({ filters, context }: FilteredProps) {
  const { since, until, ...others } = filters;
  const list = usePages((page, signal) => {
    const times = { since: readTime(timeText(since)), until: readTime(timeText(until)) };
    const query: Query = { ...others, ...times, ...page };
    return call<readonly RequestEntry[]>("GET", "api/admin/requests", { query, signal });
  }, "");
  const { more, reload } = list;
  // A reload would replace the page that is being added.
  useRefresh(() => (more ? more.isDisabled : false) || reload());
  const empty = Object.values(filters).some(Boolean) ? (
    <Empty text={text.empty} href={href(["requests"])} next={texts.records.clearFilters} />
  ) : (
    <Empty text={text.empty} href={href(["integrations"])} next={texts.nav.integrations} />
  );
  return (
    <>
      <LoadStatus of={list} />
      {list.value && <RequestTable requests={list.rows} context={context} empty={empty} />}
      <MoreRows more={more} />
    </>
  );
}

function Filters({ filters, context }: FilteredProps) {
  const [values, setValues] = useState(filters);
  const [since, setSince] = useState("");
  const [until, setUntil] = useState("");
  const [button, expectLoss] = useFallbackFocus<HTMLButtonElement>();
  useLayoutEffect(() => {
    setValues(filters);
    setSince(timeText(filters.since));
    setUntil(timeText(filters.until));
    expectLoss();
  }, [toQueryString(filters)]);
  const bind = (name: (typeof filterNames)[number]) => ({
    id: `filter-${name}`,
    value: values[name] ?? "",
    onInput: (event: { readonly currentTarget: { readonly value: string } }) => {
      const { value } = event.currentTarget;
      setValues((before) => ({ ...before, [name]: value }));
    },
  });
  return (
    <form
      class="filters"
      onSubmit={(event) => {
        event.preventDefault();
        navigate(["requests"], { ...values, since: readTime(since), until: readTime(until) });
      }}
    >
      <label for="filter-integrationId">
        {text.integration}
        <select {...bind("integrationId")}>
          <Options options={namedOptions(context.integrations)} none={texts.form.none} />
        </select>
      </label>
      <label for="filter-status">
        {text.status}
        <select {...bind("status")}>
          <Options options={toOptions(text.statuses)} none={texts.form.none} />
        </select>
      </label>
      <label for="filter-operation">
        {text.operation}
        <input autoComplete="off" spellcheck={false} {...bind("operation")} />
      </label>
      <TimeField id="filter-since" label={text.since} value={since} onChange={setSince} />
      <TimeField id="filter-until" label={text.until} value={until} onChange={setUntil} />
      <button type="submit" ref={button}>
        {texts.records.filter}
      </button>
      {Object.values(filters).some(Boolean) && <a href={href(["requests"])}>{texts.records.clearFilters}</a>}
    </form>
  );
}
