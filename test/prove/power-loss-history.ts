import type { Done, Shown } from "./power-loss-client.ts";
import { answersIn, type Event, firstSaid } from "./power-loss-log.ts";
import type { Journal } from "./power-loss-workload.ts";

/** A write, and from which moment on it was promised to be there: after so many events of the log. */
export type Effect = Done & { readonly promised: number };

/** What was promised to whom, and when. */
export type History = Journal & {
  /** When the program first said that it serves: all that is in the tenant files is there from then on. */
  readonly greeted: number;
  /** When an administrator's token was first printed: the secret that signed it is there from then on. */
  readonly tokenPrinted: number;
  /** Per tenant, what was done, in the order of its clock. */
  readonly effects: readonly (readonly Effect[])[];
};

/** The journal of the clients and the log of the machine, brought together. */
export function historyOf(journal: Journal, events: readonly Event[]): History {
  const answers = answersIn(events);
  const promisedAt = (requests: readonly string[]): number => {
    const places = requests.flatMap((id) => {
      const answer = answers.get(id);
      return answer !== undefined && (answer.status < 300 || answer.status === 404) ? [answer.place] : [];
    });
    if (places.length === 0) throw new Error(`The log has no answer to ${requests.join(", ")}.`);
    return Math.min(...places);
  };
  const effects = journal.tenants.map((_, tenant) => {
    const sights = journal.seen.filter((sight) => sight.tenant === tenant);
    const shown = sights.map(({ request, updatedAt }) => ({ place: promisedAt([request]), updatedAt }));
    return journal.done
      .filter((done) => done.tenant === tenant)
      .map((done) => {
        // What a reader was shown is promised too, whether or not the writer was answered.
        const sight = shown.filter(({ updatedAt }) => updatedAt >= done.shown.updatedAt).map(({ place }) => place);
        return { ...done, promised: Math.min(promisedAt(done.requests), ...sight) };
      })
      .sort((one, other) => (one.shown.updatedAt < other.shown.updatedAt ? -1 : 1));
  });
  return { ...journal, effects, greeted: firstSaid(events, /^\{"url":/), tokenPrinted: firstSaid(events, /^eyJ/) };
}

/** The records of a tenant after these writes, in the order of a walk. */
export function recordsAfter(begun: readonly Shown[], effects: readonly Effect[]): Shown[] {
  const records = new Map(begun.map((record) => [record.id, record]));
  for (const { shown } of effects) records.set(shown.id, shown);
  const place = ({ updatedAt, id }: Shown): string => `${updatedAt} ${id}`;
  return [...records.values()].sort((one, other) => (place(one) < place(other) ? -1 : 1));
}
