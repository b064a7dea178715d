import fc from "fast-check";
import type * as v from "valibot";
import { currency } from "../../../lib/model/currency.ts";
import { calendarDate, dateTime } from "../../../lib/model/date-time.ts";
import { entityKinds } from "../../../lib/model/entities.ts";
import { email, finiteNumber, queryBoolean, unboundedText, uuid } from "../../../lib/model/scalars.ts";

/**
 * Values that are mostly valid for a schema. `@kind:n` is replaced by the ID of a record that exists when the request
 * is sent. `#…#` is raw JSON.
 */
type Arbitrary = fc.Arbitrary<unknown>;
type Schema = v.GenericSchema & {
  readonly wrapped?: Schema;
  readonly entries?: Readonly<Record<string, Schema>>;
  readonly item?: Schema;
  readonly options?: readonly string[];
};

const idOf = (kind: string): Arbitrary => fc.nat(1_000).map((n) => `@${kind}:${n}`);
const anyKind = [...entityKinds, "user", "pipeline", "stage", "integration", "key", "grant", "webhook", "event"];
export const anyId: Arbitrary = fc.constantFrom(...anyKind, "other").chain(idOf);

/** The kind of record that a field refers to, by name. */
const kindsByName: Readonly<Record<string, string>> = {
  ownerId: "user",
  assignedTo: "user",
  authorId: "user",
  accountId: "account",
  contactId: "contact",
  contactIds: "contact",
  relatedToId: "contact",
  pipelineId: "pipeline",
  stageId: "stage",
  integrationId: "integration",
  eventId: "event",
};

const words = fc.string({ unit: "grapheme", minLength: 1, maxLength: 30 }).filter((text) => text.trim() !== "");
const name = fc.oneof(
  { weight: 6, arbitrary: fc.uuid().map((id) => `Name ${id}`) },
  { weight: 1, arbitrary: fc.constantFrom("Acme", "ACME ", "Größe") },
  words,
);
const address = fc.oneof(
  fc.uuid().map((id) => `${id}@fuzz.test`),
  fc.constantFrom("carla@acme.test", " Carla@ACME.test", "用户@例子.公司"),
);
const time = fc
  .date({ min: new Date("1900-01-01"), max: new Date("2999-12-31"), noInvalidDate: true })
  .map((date) => date.toISOString());
const amount = fc.oneof(fc.integer(), fc.double({ noNaN: true, noDefaultInfinity: true }));

const scalars = new Map<unknown, Arbitrary>([
  [email, address],
  [dateTime, time],
  [calendarDate, time.map((text) => text.slice(0, 10))],
  [currency, fc.constantFrom("EUR", "USD", "JPY", "BRL")],
  [finiteNumber, amount],
  [unboundedText, fc.string({ unit: "grapheme", maxLength: 200 })],
  [queryBoolean, fc.constantFrom("true", "false")],
]);

const long = fc
  .constantFrom(256, 300, 2_049, 5_000)
  .chain((length) =>
    fc.string({ unit: fc.constantFrom("a", "é", "😀", "\u0001", '"', "\\"), minLength: length, maxLength: length }),
  );

/** Values that are invalid everywhere, or valid for other fields only. */
export const junk: Arbitrary = fc.oneof(
  fc.constantFrom(null, true, false, 0, -1, 2 ** 53, 1e308, "", " ", "\0", "\ud800", "null", "__proto__", "@account:0"),
  fc.constantFrom(
    "#1e999#",
    "#-1e999#",
    "#-0#",
    "#1e-400#",
    "#12345678901234567890#",
    "#[[[[[]]]]]#",
    `#${"[".repeat(40)}${"]".repeat(40)}#`,
  ),
  fc.constantFrom("2026-02-31", "2026-02-30T00:00:00Z", "2026-03-01T00:00:00", "eur", "SMBB", "open ", "ana@", "1,5"),
  fc.constantFrom<unknown>(
    [],
    {},
    [null],
    { a: 1 },
    [[]],
    { amount: 1, currency: "eur" },
    { type: "user", id: "@user:0" },
  ),
  anyId,
  long,
  fc.string({ unit: "binary", maxLength: 30 }),
  fc.jsonValue({ maxDepth: 3 }),
);

/** Custom field values that are valid in the tenant's catalog, and rarely invalid ones. */
const validValues = {
  note: fc.string({ unit: "grapheme", maxLength: 5 }),
  size: amount,
  budget: fc.oneof(amount, fc.record({ amount, currency: fc.constantFrom("EUR", "USD") })),
  since: time.map((text) => text.slice(0, 10)),
  segment: fc.constantFrom("SMB", "smb", "Mid-Market", "GRÖSSE"),
  lines: fc.array(fc.constantFrom("Filter", "espresso", "BEANS"), { maxLength: 4 }),
};
const customKeys = fc.constantFrom(...Object.keys(validValues), "odd", "segmnt", "constructor", "Note");
const customFields = fc.oneof(
  { weight: 3, arbitrary: fc.record(validValues, { requiredKeys: [] }) },
  { weight: 1, arbitrary: fc.dictionary(customKeys, fc.oneof(junk, ...Object.values(validValues)), { maxKeys: 5 }) },
);

const relatedTo = fc
  .constantFrom("account", "contact", "opportunity")
  .chain((type) => fc.record({ type: fc.constant(type), id: idOf(type) }));

/** Fields that only the server sets. A valid body doesn't have them. */
const omitted = [
  ...["id", "createdAt", "updatedAt", "archivedAt", "closedAt", "stageChangedAt"],
  ...["failingSince", "failures", "nextAttemptAt", "lastAttempt", "lastSuccessAt", "pausedReason", "skipped"],
];
const position = fc.oneof(fc.constant("latest"), fc.record({ since: time }));

/** A generator for a schema. The field name adds what the schema doesn't say. */
export function arbitraryOf(schema: Schema, field = ""): Arbitrary {
  if (schema === uuid)
    return fc.oneof({ weight: 12, arbitrary: idOf(kindsByName[field] ?? "other") }, { weight: 1, arbitrary: anyId });
  if (field === "customFields") return customFields;
  if (field === "grantId") return idOf("grant");
  if (field === "url") return fc.uuid().map((id) => `https://hooks.test/${id}`);
  if (field === "position") return position;
  const known = scalars.get(schema);
  if (known !== undefined) return known;
  const { wrapped, entries, item, options } = schema;
  if (schema.type === "nullable" && wrapped !== undefined) {
    return fc.oneof({ weight: 5, arbitrary: arbitraryOf(wrapped, field) }, { weight: 1, arbitrary: fc.constant(null) });
  }
  if (wrapped !== undefined) return arbitraryOf(wrapped, field);
  if (entries !== undefined) return field === "relatedTo" ? relatedTo : recordOf(entries);
  if (item !== undefined) return fc.array(arbitraryOf(item, field), { maxLength: 3 });
  if (options !== undefined) return fc.constantFrom(...options);
  if (schema.type === "boolean") return fc.boolean();
  if (schema.type === "number") return amount;
  if (field === "limit") return fc.integer({ min: 1, max: 200 }).map(String);
  if (field === "tenantId") return fc.constant("@tenant:0");
  if (field === "cursor") return idOf("cursor");
  if (field === "lostReason") return fc.constantFrom("Price", "No answer");
  return field === "name" || field === "title" ? name : words;
}

/** All required members, and few of the others. */
export function recordOf(entries: Readonly<Record<string, Schema>>): fc.Arbitrary<Record<string, unknown>> {
  const included = Object.entries(entries).filter(([key]) => !omitted.includes(key));
  const members = included.map(([key, schema]): [string, fc.Arbitrary<readonly [string, unknown] | undefined>] => {
    const member = arbitraryOf(schema, key).map((value) => [key, value] as const);
    const rarely = key === "cursor" ? 6 : 2;
    return [
      key,
      schema.type === "optional"
        ? fc
            .option(member, { nil: undefined, freq: 2 })
            .chain((each) =>
              each === undefined ? fc.constant(undefined) : fc.nat(rarely).map((n) => (n === 0 ? undefined : each)),
            )
        : member,
    ];
  });
  return fc
    .tuple(...members.map(([, member]) => member))
    .map((list) => Object.fromEntries(list.filter((each) => each !== undefined)));
}
