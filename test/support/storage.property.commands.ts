import fc from "fast-check";
import type { Kind, Records } from "../../lib/model/kinds.ts";
import {
  idOf,
  newAccount,
  newContact,
  newIdempotencyRecord,
  newNote,
  newOpportunity,
  newTask,
  newUser,
  startTime,
} from "../../lib/storage/contract/records.ts";
import type { Query } from "../../lib/storage/storage.ts";

/** The kinds that histories write. All tenants have the same record IDs, so that the tests notice mixed tenants. */
export const kinds = ["user", "account", "contact", "opportunity", "task", "note", "idempotencyRecord"] as const;
export type Made = (typeof kinds)[number];

export function recordId(kind: Kind, index: number): string {
  return idOf(0, 100 * (1 + (kinds as readonly string[]).indexOf(kind)) + index);
}

const names = ["Acme", " ACME ", "Straße", "STRASSE", "Other"];
const emails = ["a@x.test", " A@X.test", "b@x.test", "B@x.test ", null];
export const openStage = { pipelineId: recordId("pipeline", 1), stageId: recordId("stage", 2) };

const tenant = fc.integer({ min: 1, max: 2 });
const offset = fc.integer({ min: -5, max: 60 });
const rarely = fc.nat(15).map((number) => number === 7);
/** The number of a referenced record. Users, accounts and contacts 0 to 2 always exist. */
const ref = fc.oneof({ weight: 9, arbitrary: fc.nat(2) }, { weight: 1, arbitrary: fc.integer({ min: 3, max: 4 }) });

/** A write. `put` inserts a record, or updates it if it exists. */
const change = fc.record({
  op: fc.constantFrom("put", "put", "put", "archive", "insert"),
  kind: fc.constantFrom(...kinds),
  index: fc.nat(4),
  name: fc.nat(4),
  refs: fc.uniqueArray(ref, { maxLength: 3 }),
  flag: fc.boolean(),
  stale: rarely,
  late: rarely,
});
const commit = fc.record({ tenant, now: offset, changes: fc.array(change, { maxLength: 3 }), throws: rarely });
export type Change = typeof change extends fc.Arbitrary<infer T> ? T : never;
export type Commit = typeof commit extends fc.Arbitrary<infer T> ? T : never;

const anyOf = <T extends string>(values: readonly T[]) => fc.constantFrom(...values);
const someOf = (values: readonly string[]) => fc.shuffledSubarray([...values], { minLength: 1 });
const idsOf = (of: Made) => [0, 1, 2, 3, 4].map((index) => recordId(of, index));
const email = anyOf(emails.flatMap((each) => each ?? []));
const owner = anyOf(idsOf("user"));
const account = anyOf(idsOf("account"));
type Filters = Readonly<Record<string, fc.Arbitrary<string | boolean | readonly string[]>>>;
const filters: Readonly<Record<Made, Filters>> = {
  user: { email, active: fc.boolean() },
  account: {
    name: anyOf(names),
    ownerId: owner,
    externalId: anyOf(["0", "1", "2"]),
    externalIds: someOf(["0", "1", "2"]),
  },
  contact: { email, emails: someOf(emails.flatMap((each) => each ?? [])), accountId: account },
  opportunity: {
    ...{ status: anyOf(["open", "won"]), accountId: account, pipelineId: anyOf([openStage.pipelineId]) },
    contactId: anyOf(idsOf("contact")),
  },
  task: { status: anyOf(["pending", "completed"]), assignedTo: owner, relatedToId: anyOf(idsOf("contact")) },
  note: { authorId: owner, relatedToId: anyOf(idsOf("contact")), externalId: anyOf(["0", "1"]) },
  idempotencyRecord: {},
};

const list = fc.constantFrom(...kinds).chain((kind) => {
  const named: Filters = { ...filters[kind], id: anyOf(idsOf(kind)) };
  const names = fc.oneof(
    { weight: 3, arbitrary: fc.constant([]) },
    { weight: 6, arbitrary: fc.constantFrom(...Object.keys(named)).map((name) => [name]) },
    { weight: 1, arbitrary: fc.subarray(Object.keys(named)) },
  );
  const where = names.chain((names) =>
    fc.record(Object.fromEntries(names.map((name) => [name, named[name] ?? email]))),
  );
  const time = fc.integer({ min: -1, max: 30 }).map((offset) => startTime + offset);
  const after = fc.record({ updatedAt: time, id: fc.constantFrom(...idsOf(kind)) });
  const parts = { after, updatedSince: time, limit: fc.integer({ min: 0, max: 6 }), includeArchived: fc.boolean() };
  const given = fc.record(parts, { requiredKeys: [] }).chain((all) => fc.subarray(Object.entries(all)));
  const query = fc.tuple(where, given).map(([where, given]): Query => ({ where, ...Object.fromEntries(given) }));
  // The number of an existing record that replaces `after`.
  const afterNumber = fc.option(fc.nat(4), { nil: undefined });
  return fc.record({ do: fc.constant("list" as const), tenant, kind: fc.constant(kind), query, afterNumber });
});

const commits = fc.array(commit, { minLength: 1, maxLength: 5 });
/** Concurrent commits, a list, the creation of a tenant, and the deletion of expired idempotency records. */
export const command = fc.oneof(
  { weight: 6, arbitrary: fc.record({ do: fc.constant("commit" as const), commits }) },
  { weight: 8, arbitrary: list },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("found" as const), tenant, now: offset, newest: offset }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("sweep" as const), before: offset }) },
);
export type Command = typeof command extends fc.Arbitrary<infer T> ? T : never;

/** The start of every history: two tenants with three users, accounts and contacts each. */
export const beginning: readonly Command[] = [1, 2].flatMap((tenant): Command[] => {
  const rest = { op: "put" as const, refs: [], flag: true, stale: false, late: false };
  const changes = [0, 1, 2].flatMap((index) =>
    (["user", "account", "contact"] as const).map((kind) => ({ kind, index, name: index * 2, ...rest })),
  );
  const commits = [{ tenant, now: 1, changes, throws: false }];
  return [
    { do: "found", tenant, now: 0, newest: 0 },
    { do: "commit", commits },
  ];
});

/** Returns the record that a change writes. */
export function recordOf({ kind, index, name, refs, flag }: Change, at: number): Records[Made] {
  const id = recordId(kind, index);
  const refTo = (of: Made): string | null => (refs[0] === undefined ? null : recordId(of, refs[0]));
  if (kind === "user") return newUser(id, at, { email: emails[name] ?? "c@x.test", active: flag });
  if (kind === "account") {
    const fields = { name: names[name] ?? "", ownerId: refTo("user"), externalId: String(index % 3) };
    return newAccount(id, at, { ...fields, customFields: { refs, flag } });
  }
  if (kind === "contact") return newContact(id, at, { email: emails[name] ?? null, accountId: refTo("account") });
  if (kind === "opportunity") {
    const state = flag ? ({ status: "won", closedAt: at } as const) : ({ status: "open", closedAt: null } as const);
    const contactIds = refs.map((each) => recordId("contact", each));
    return newOpportunity(id, at, {
      ...openStage,
      ...state,
      contactIds,
      accountId: refTo("account"),
      amount: name / 3,
    });
  }
  if (kind === "task") {
    const state = flag ? ({ status: "completed", closedAt: at } as const) : {};
    const related = refTo("contact");
    const relatedTo = related === null ? null : ({ type: "contact", id: related } as const);
    return newTask(id, at, { ...state, relatedTo, assignedTo: name < 3 ? refTo("user") : null });
  }
  if (kind === "note") {
    const fields = { authorId: name < 3 ? refTo("user") : null, externalId: String(index % 2) };
    return newNote(id, at, { type: "contact", id: recordId("contact", refs[0] ?? 0) }, fields);
  }
  return newIdempotencyRecord(id, at, startTime + name * 10);
}
