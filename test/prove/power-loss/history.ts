import type { CompletedWrite, RecordJson } from "./client.ts";
import { type Event, firstOutput, responsesIn } from "./event-log.ts";
import type { Journal } from "./workload.ts";

/** A write, and the number of events before the first response that confirms it. */
export type ConfirmedWrite = CompletedWrite & { readonly confirmedAt: number };

/** The writes of the clients and the times of the responses, as positions in the event log. */
export type History = Journal & {
  /** The first start: from then on, everything in the tenant files must be there. */
  readonly servingSince: number;
  /** The first printed admin token: from then on, its secret must be there. */
  readonly tokenPrintedAt: number;
  /** The writes of each tenant, in the order of the tenant clock. */
  readonly writesByTenant: readonly (readonly ConfirmedWrite[])[];
};

/** Combines the journal of the clients and the event log of the machine. */
export function buildHistory(journal: Journal, events: readonly Event[]): History {
  const responses = responsesIn(events);
  const firstResponse = (requests: readonly string[]): number => {
    const positions = requests.flatMap((id) => {
      const response = responses.get(id);
      return response !== undefined && (response.status < 300 || response.status === 404) ? [response.position] : [];
    });
    if (positions.length === 0) throw new Error(`The event log has no response to ${requests.join(", ")}.`);
    return Math.min(...positions);
  };
  const writesByTenant = journal.tenants.map((_, tenant) => {
    const reads = journal.observations
      .filter((each) => each.tenant === tenant)
      .map(({ request, updatedAt }) => ({ position: firstResponse([request]), updatedAt }));
    return journal.completed
      .filter((write) => write.tenant === tenant)
      .map((write) => {
        // A response to a reader confirms a write too, even if the writer got no response.
        const confirming = reads
          .filter(({ updatedAt }) => updatedAt >= write.record.updatedAt)
          .map(({ position }) => position);
        return { ...write, confirmedAt: Math.min(firstResponse(write.requests), ...confirming) };
      })
      .sort((one, other) => (one.record.updatedAt < other.record.updatedAt ? -1 : 1));
  });
  const [servingSince, tokenPrintedAt] = [firstOutput(events, /^\{"url":/), firstOutput(events, /^eyJ/)];
  return { ...journal, writesByTenant, servingSince, tokenPrintedAt };
}

/** Returns the records of a tenant after these writes, in the order of a list. */
export function recordsAfter(initial: readonly RecordJson[], writes: readonly ConfirmedWrite[]): RecordJson[] {
  const records = new Map(initial.map((record) => [record.id, record]));
  for (const { record } of writes) records.set(record.id, record);
  const sortKey = ({ updatedAt, id }: RecordJson): string => `${updatedAt} ${id}`;
  return [...records.values()].sort((one, other) => (sortKey(one) < sortKey(other) ? -1 : 1));
}
