import fc from "fast-check";
import { kinds, type Synced } from "./ledger.ts";

/** The lists that a history is about: one, and everything happens there, up to all of both tenants. */
const lists = fc.subarray(
  [0, 1].flatMap((tenant) => kinds.map((kind) => ({ tenant, kind }))),
  { minLength: 1 },
);
/** Which of them, counted round. */
const list = fc.nat(7);

/** What a writer does: it waits some turns of the event loop, lets the wall clock jump, and sends one request. */
const write = fc.record({
  act: fc.oneof(
    { weight: 300, arbitrary: fc.constantFrom("create", "patch", "patch", "same", "archive", "restore") },
    // More commits at once than one transaction takes.
    { weight: 1, arbitrary: fc.constant("flood") },
  ) as fc.Arbitrary<"create" | "patch" | "same" | "archive" | "restore" | "flood">,
  list,
  pick: fc.nat(1_000),
  turns: fc.nat(12),
  stepMs: fc.oneof(
    fc.constant(0),
    fc.integer({ min: -3, max: 3 }),
    // One hour, so that all of a round together stay within the 24 for which the answer of a POST is kept.
    fc.integer({ min: -1, max: 1 }).map((hours) => hours * 3_600_000 + 1),
  ),
  twice: fc.boolean(),
});

const limit = fc.oneof(fc.constant(1), fc.integer({ min: 2, max: 6 }), fc.integer({ min: 1, max: 200 }));

/** A page that a reader asks for, and what becomes of the reader after it. */
const read = fc.record({
  reader: fc.nat(3),
  limit,
  filtersAgain: fc.boolean(),
  turns: fc.nat(6),
  // `lose`: the page is lost with the process. `keep`: the records were stored, how far they go was not.
  after: fc.constantFrom("go on", "go on", "store", "store", "forget", "lose", "keep"),
  resume: fc.constantFrom("since" as const, "cursor" as const),
});

/** Who keeps a copy of one list. `filter` chooses among the filters of that list; most readers have none. */
const reader = fc.record({
  list,
  filter: fc.oneof(fc.constant(undefined), fc.nat(1_000)),
  cursors: fc.constantFrom(true, true, false),
});

/** A new process over the same file: once the old one is gone, or while it is still answering. */
const restart = fc.option(fc.record({ turns: fc.nat(20), overlap: fc.boolean() }), { nil: undefined, freq: 2 });

/** Requests that are under way at once; `quiet` compares everything when they are over, as the end of a history does. */
const round = fc.record({
  writes: fc.array(write, { maxLength: 16, size: "max" }),
  reads: fc.array(read, { maxLength: 12, size: "max" }),
  restart,
  quiet: fc.constantFrom(true, false, false),
});

export const history = fc.record({
  lists,
  readers: fc.array(reader, { minLength: 1, maxLength: 4, size: "max" }),
  rounds: fc.array(round, { minLength: 1, maxLength: 3, size: "max" }),
  /** What the small choices follow from: how late a storage is, what is in a body, how pages are cut when it is quiet. */
  luck: fc.nat(),
});

export type List = { readonly tenant: number; readonly kind: Synced };
type Of<A> = A extends fc.Arbitrary<infer T> ? T : never;
export type History = Of<typeof history>;
export type Round = Of<typeof round>;
export type WriteStep = Of<typeof write>;
export type Read = Of<typeof read>;
export type Reader = Of<typeof reader>;
