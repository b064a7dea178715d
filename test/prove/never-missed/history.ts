import fc from "fast-check";
import { kinds, type Synced } from "./ledger.ts";

/** The lists of a history: from one, which then gets all requests, to all lists of both tenants. */
const lists = fc.subarray(
  [0, 1].flatMap((tenant) => kinds.map((kind) => ({ tenant, kind }))),
  { minLength: 1 },
);
/** Index of the list, modulo their number. */
const list = fc.nat(7);

/** One step of a writer: it waits for some turns of the event loop, moves the wall clock, and sends one request. */
const write = fc.record({
  act: fc.oneof(
    { weight: 300, arbitrary: fc.constantFrom("create", "patch", "patch", "same", "archive", "restore") },
    // More commits at once than fit in one transaction.
    { weight: 1, arbitrary: fc.constant("flood") },
  ) as fc.Arbitrary<"create" | "patch" | "same" | "archive" | "restore" | "flood">,
  list,
  pick: fc.nat(1_000),
  turns: fc.nat(12),
  stepMs: fc.oneof(
    fc.constant(0),
    fc.integer({ min: -3, max: 3 }),
    // One hour, so that all steps of a round are within the 24 hours of an idempotency record.
    fc.integer({ min: -1, max: 1 }).map((hours) => hours * 3_600_000 + 1),
  ),
  twice: fc.boolean(),
});

const limit = fc.oneof(fc.constant(1), fc.integer({ min: 2, max: 6 }), fc.integer({ min: 1, max: 200 }));

/** A page that a reader requests, and what the reader does after it. */
const read = fc.record({
  reader: fc.nat(3),
  limit,
  filtersAgain: fc.boolean(),
  turns: fc.nat(6),
  // After `crashBeforeWatermark`, the records were stored, and the watermark was not.
  after: fc.constantFrom(
    "continue",
    "continue",
    "store",
    "store",
    "crashAfterStore",
    "crashBeforeStore",
    "crashBeforeWatermark",
  ),
  resume: fc.constantFrom("since" as const, "cursor" as const),
});

/** A reader with a copy of one list. `filter` selects filters of that list. Most readers have none. */
const reader = fc.record({
  list,
  filter: fc.oneof(fc.constant(undefined), fc.nat(1_000)),
  cursors: fc.constantFrom(true, true, false),
});

/** A new process over the same file: after the old one has ended, or while it still accepts requests. */
const restart = fc.option(fc.record({ turns: fc.nat(20), overlap: fc.boolean() }), { nil: undefined, freq: 2 });

/** Concurrent requests. `quiet` compares everything after them, as the end of a history does. */
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
  /** The seed of small choices: the delays of the storage, the values of bodies, the page sizes of `quiet`. */
  seed: fc.nat(),
});

export type List = { readonly tenant: number; readonly kind: Synced };
type Of<A> = A extends fc.Arbitrary<infer T> ? T : never;
export type History = Of<typeof history>;
export type Round = Of<typeof round>;
export type WriteStep = Of<typeof write>;
export type Read = Of<typeof read>;
export type Reader = Of<typeof reader>;
