import type { RequestEntry } from "crm-integrations/client";
import type { ComponentChildren } from "preact";
import { href } from "../route.ts";
import { texts } from "../texts.ts";
import { formatSeconds, formatTime } from "../ui/date-text.ts";
import { describeCode, describeFieldError, fieldName } from "../ui/error-text.ts";
import { Table } from "../ui/table.tsx";
import { RelativeTime } from "../ui/time.tsx";
import { linksOf, type RequestContext } from "./request-links.ts";

const text = texts.requests;

type RequestTableProps = {
  readonly requests: readonly RequestEntry[];
  readonly context: RequestContext;
  /** Whether the explanations are unfolded at first. */
  readonly isOpen?: boolean;
  readonly empty: ComponentChildren;
};

/** Requests, the newest first. Each unfolds to its explanation. */
export function RequestTable({ requests, context, isOpen = false, empty }: RequestTableProps) {
  const nameOf = ({ integrationId, userId }: RequestEntry): string => {
    if (integrationId === null) return userId === null ? "–" : text.user;
    return context.integrations.find(({ id }) => id === integrationId)?.name ?? integrationId;
  };
  // A client can send the same ID again. New rows leave the keys of the others as they are, so that these stay open.
  const keys = new Map<string, number>();
  const rows = requests.map((entry) => {
    const id = `${entry.at} ${entry.requestId}`;
    const count = keys.get(id) ?? 0;
    keys.set(id, count + 1);
    return { entry, key: `${id} ${count}` };
  });
  return (
    <Table
      caption={text.title}
      rows={rows}
      keyOf={({ key }) => key}
      empty={empty}
      columns={[
        { label: text.time, render: ({ entry }) => <RelativeTime iso={entry.at} /> },
        {
          label: text.request,
          render: ({ entry }) => (
            <details class="request" open={isOpen}>
              <summary>
                <strong class={entry.status >= 400 ? "failed" : undefined}>{entry.status}</strong>{" "}
                <code>
                  {entry.method} {entry.path}
                </code>{" "}
                <span class="help">{entry.code}</span>
              </summary>
              <Explanation entry={entry} context={context} />
            </details>
          ),
        },
        { label: text.integration, render: ({ entry }) => <span dir="auto">{nameOf(entry)}</span> },
        {
          label: text.duration,
          isNumeric: true,
          render: ({ entry }) => <span class="nowrap">{text.milliseconds(entry.durationMs)}</span>,
        },
      ]}
    />
  );
}

/** Explains a failed request, or lists the records that a request wrote, with links. */
function Explanation({ entry, context }: { readonly entry: RequestEntry; readonly context: RequestContext }) {
  const { problem, code, changes, requestId } = entry;
  const links = linksOf(entry, context);
  const notes = [
    ...(entry.replayed ? [text.replayed] : []),
    ...(entry.dryRun ? [text.dryRun] : []),
    ...(entry.source === "console" ? [text.console] : []),
  ];
  return (
    <div class="explanation">
      {problem && code !== null && <p>{describeCode(code)}</p>}
      {problem && (problem.errors.length > 0 || problem.reason || problem.required || problem.firstUse) && (
        <ul>
          {problem.errors.map((error) => (
            <li key={`${error.path} ${error.code}`}>
              <code>{fieldName(error.path) || text.body}</code>: {describeFieldError({ ...error, message: "" })}
              {error.allowed && error.code === "unknown_key" && text.allowed(error.allowed)}
            </li>
          ))}
          {problem.reason && <li>{text.reason(problem.reason)}</li>}
          {problem.required && <li>{text.required(problem.required)}</li>}
          {problem.firstUse && <li>{text.firstUse(problem.firstUse.path, formatTime(problem.firstUse.usedAt))}</li>}
        </ul>
      )}
      {!problem && <p>{text.written(changes.count)}</p>}
      {links.length > 0 && (
        <p>
          {links.map((link, index) => (
            <>
              {index > 0 && " · "}
              <a key={link.href} href={link.href}>
                {link.label}
              </a>
            </>
          ))}
        </p>
      )}
      {problem?.body && (
        <details>
          <summary>{text.shape}</summary>
          <pre>{JSON.stringify(problem.body, null, 2)}</pre>
        </details>
      )}
      <p class="help">
        {formatSeconds(entry.at)}. {problem && `${text.step}: ${text.steps[problem.step]}. `}
        {texts.errors.requestId}: <a href={href(["requests", requestId])}>{requestId}</a>
        {notes.length > 0 && `. ${notes.join(". ")}`}
      </p>
    </div>
  );
}
