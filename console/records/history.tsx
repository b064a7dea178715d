import { useState } from "preact/hooks";
import { call } from "../api.ts";
import { useSetUpNames } from "../catalog.ts";
import { useNames } from "../names.ts";
import { texts } from "../texts.ts";
import type { FieldSpec } from "../ui/field-spec.ts";
import { useAction, useLast, useLoad } from "../ui/load.ts";
import { LoadStatus } from "../ui/notice.tsx";
import { MoreRows } from "../ui/pages.tsx";
import { Table } from "../ui/table.tsx";
import { RelativeTime } from "../ui/time.tsx";
import { type Change, describeEvents, type HistoryEvent, referencedIds } from "./history-changes.ts";
import type { CrmRecord } from "./record-columns.tsx";

const text = texts.history;
const pageSize = 10;

type HistoryProps = {
  /** The URL of the record below the console. */
  readonly url: string;
  readonly record: CrmRecord;
  /** The fields of the form, which label and describe the values. */
  readonly fields: readonly FieldSpec[];
};

/** The history of a record, newest first. It is read again when the record changes. */
export function History({ url, record, fields }: HistoryProps) {
  const readPage = (cursor?: string, signal?: AbortSignal) =>
    call<readonly HistoryEvent[]>("GET", `${url}/history`, {
      query: cursor === undefined ? { limit: pageSize } : { cursor },
      signal,
    });
  const loaded = useLoad(async (signal) => ({ record, page: await readPage(undefined, signal) }), record.updatedAt);
  // Shows the previous events until the new ones arrive.
  const shown = useLast(loaded.value);
  const [more, setMore] = useState<{ readonly first: unknown; readonly pages: readonly Page[] }>();
  const next = useAction(readPage);
  const first = shown?.page;
  const pages = first === undefined ? [] : [first, ...(more?.first === first ? more.pages : [])];
  const cursor = pages.at(-1)?.nextCursor;

  async function showMore(): Promise<void> {
    const page = await next.run(cursor ?? undefined);
    if (page !== undefined) setMore({ first, pages: [...pages.slice(1), page] });
  }

  return (
    <section class="history">
      <h2>{text.title}</h2>
      <LoadStatus of={{ ...loaded, value: shown }} />
      {shown && <Events record={shown.record} events={pages.flatMap(({ data }) => data)} {...{ fields, cursor }} />}
      <MoreRows more={cursor ? { isDisabled: next.isRunning, error: next.error, add: showMore } : undefined} />
    </section>
  );
}

type Page = { readonly data: readonly HistoryEvent[]; readonly nextCursor?: string | null };
type EventsProps = Omit<HistoryProps, "url"> & {
  readonly events: readonly HistoryEvent[];
  readonly cursor: string | null | undefined;
};

function Events({ record, events, fields, cursor }: EventsProps) {
  // An event that is newer than the record would need values that the page doesn't have.
  const known = events.filter(({ updatedAt }) => updatedAt <= record.updatedAt);
  const setUpNames = useSetUpNames(record.updatedAt);
  useNames("account", referencedIds(record, known, "account"));
  useNames("opportunity", referencedIds(record, known, "opportunity"));
  const names = useNames("contact", referencedIds(record, known, "contact"));
  const isCut = !cursor && known.length > 0 && !known.at(-1)?.type.endsWith(".created");
  return (
    <>
      <Table
        caption={text.title}
        rows={describeEvents(record, known, fields, new Map([...names, ...setUpNames]))}
        keyOf={({ event }) => event.id}
        empty={text.empty}
        columns={[
          {
            label: text.time,
            render: ({ event }) => <RelativeTime iso={event.updatedAt} />,
          },
          { label: text.by, render: ({ event }) => <bdi>{actorOf(event, setUpNames)}</bdi> },
          { label: text.event, render: ({ event }) => verbOf(event) },
          { label: text.changes, render: ({ changes }) => <Changes changes={changes} /> },
        ]}
      />
      {known.length > 0 && (
        <p class="help" role="status">
          {text.shown(known.length)} {isCut && text.cut}
        </p>
      )}
    </>
  );
}

function Changes({ changes }: { readonly changes: readonly Change[] }) {
  if (changes.length === 0) return "–";
  return (
    <ul class="changes">
      {changes.map(({ label, former, next }) => (
        <li key={label}>
          <bdi class="help">{label}:</bdi> <bdi>{former}</bdi> <span aria-hidden="true">→</span>
          <span class="visually-hidden">{text.to}</span> <bdi>{next}</bdi>
        </li>
      ))}
    </ul>
  );
}

/** An integration or user that doesn't exist anymore has only an ID. */
function actorOf({ integrationId, userId }: HistoryEvent, names: ReadonlyMap<string, string>): string {
  if (integrationId !== null) return text.integration(names.get(integrationId) ?? integrationId);
  return userId === null ? "–" : (names.get(userId) ?? userId);
}

function verbOf({ type }: HistoryEvent): string {
  const verb = type.slice(type.indexOf(".") + 1);
  const verbs: Readonly<Record<string, string>> = text.verbs;
  return verbs[verb] ?? verb;
}
