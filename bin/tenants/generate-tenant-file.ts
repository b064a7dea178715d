import { makeApiKey, scopes, uuidV7 } from "#lib";

/** Size and seed. The same values generate the same tenant, including its API keys. */
export type TenantSize = {
  readonly accounts: number;
  readonly seed: number;
};

/** Records per account, on average. */
const contactsPerAccount = 2;
const opportunitiesPerAccount = 1;
const tasksPerAccount = 3;

const start = Date.parse("2025-01-06T08:00:00.000Z");
const year = 365 * 24 * 60 * 60 * 1000;

const firstNames = [
  "Ana",
  "Björn",
  "Chloé",
  "Dmitri",
  "Eszter",
  "Fatima",
  "Giulia",
  "Håkon",
  "Inés",
  "Jürgen",
  "Kaito",
  "Łucja",
];
const lastNames = [
  "Almeida",
  "Berg",
  "Çelik",
  "Dubois",
  "Eriksen",
  "Fischer",
  "García",
  "Haddad",
  "Ivanova",
  "Jónsson",
  "Kowalski",
];
const industries = [
  "Bakery",
  "Brewery",
  "Dental",
  "Electric",
  "Florist",
  "Garage",
  "Hotel",
  "Joinery",
  "Kitchens",
  "Logistics",
];
const cities = ["Aarhus", "Brno", "Cádiz", "Dundee", "Espoo", "Fürth", "Gdańsk", "Haarlem", "Iași", "Jyväskylä"];
const chores = [
  "Call back",
  "Send the offer to",
  "Visit",
  "Remind about the invoice:",
  "Thank",
  "Plan the training of",
];
const statuses = ["open", "open", "open", "won", "lost"] as const;

/** Generates the chunks of a tenant file. Records refer to earlier records, and timestamps are within one year. */
export function* generateTenantFile({ accounts, seed }: TenantSize): Generator<string> {
  const generator = new RecordGenerator(seed);
  yield `{\n  "tenant": ${JSON.stringify(generator.tenant)},\n`;
  for (const [name, records] of Object.entries(generator.fixedRecords())) yield list(name, records, false);
  yield* lines("accounts", accounts, (index) => generator.account(index));
  yield* lines("contacts", accounts * contactsPerAccount, (index) => generator.contact(index, accounts));
  yield* lines("opportunities", accounts * opportunitiesPerAccount, (index) => generator.opportunity(index, accounts));
  yield* lines("tasks", accounts * tasksPerAccount, (index) => generator.task(index, accounts), true);
  yield "}\n";
}

function list(name: string, records: readonly unknown[], isLast: boolean): string {
  const text = records.map((record) => `    ${JSON.stringify(record)}`).join(",\n");
  return `  ${JSON.stringify(name)}: [\n${text}\n  ]${isLast ? "" : ","}\n`;
}

/** Generates a list with one record per line. */
function* lines(name: string, count: number, make: (index: number) => unknown, isLast = false): Generator<string> {
  yield `  ${JSON.stringify(name)}: [\n`;
  for (let index = 0; index < count; index++) {
    yield `    ${JSON.stringify(make(index))}${index + 1 < count ? "," : ""}\n`;
  }
  yield `  ]${isLast ? "" : ","}\n`;
}

/** Generates records. IDs are derived from the record number, so references need no memory. */
class RecordGenerator {
  readonly tenant: Readonly<Record<string, unknown>>;
  readonly #random: () => number;
  readonly #seed: number;

  constructor(seed: number) {
    this.#random = seededRandom(seed);
    this.#seed = seed;
    this.tenant = { id: this.#id(0, 0), name: `Generated ${seed}`, ...times(start) };
  }

  /** Returns the records that every size of tenant has, by the name of their list. */
  fixedRecords(): Readonly<Record<string, readonly unknown[]>> {
    const stages = ["New", "Qualified", "Offer", "Contract"].map((name, index) => {
      return { id: this.#id(3, index), name, order: index + 1, probability: 10 + index * 25, ...times(start) };
    });
    const field = (entity: string, key: string, type: string, options: object = {}) => {
      return { entity, key, label: key, type, ...options, ...times(start) };
    };
    const random = (length: number) => Uint8Array.from({ length }, () => this.#random() * 248);
    return {
      users: [0, 1, 2].map((index) => ({
        id: this.#id(1, index),
        name: this.#person(),
        email: `user${index}@generated.example`,
        role: index === 0 ? "admin" : "member",
        ...times(start),
      })),
      pipelines: [{ id: this.#id(2, 0), name: "Sales", isDefault: true, stages, ...times(start) }],
      customFields: [
        field("account", "segment", "list", { options: ["SMB", "Mid-Market", "Enterprise"] }),
        field("account", "employees", "number"),
        field("contact", "birthday", "date"),
        field("opportunity", "budget", "currency"),
      ],
      integrations: [{ name: "ERP", scopes, keys: [{ key: makeApiKey("test", random) }], ...times(start) }],
    };
  }

  account(index: number): unknown {
    const name = `${this.#pick(lastNames)} ${this.#pick(industries)} ${index + 1}`;
    const customFields = {
      segment: this.#pick(["SMB", "Mid-Market", "Enterprise"]),
      ...(this.#random() < 0.7 ? { employees: this.#integer(500) } : {}),
    };
    const address = { city: this.#pick(cities), postalCode: String(10_000 + this.#integer(90_000)) };
    const ownerId = this.#id(1, this.#integer(3));
    return this.#record(4, index, { name, address, ownerId, externalId: `A-${index + 1}`, customFields });
  }

  contact(index: number, accounts: number): unknown {
    const email = this.#random() < 0.9 ? { email: `person${index + 1}@generated.example` } : {};
    const customFields =
      this.#random() < 0.3 ? { birthday: `19${60 + this.#integer(40)}-0${1 + this.#integer(9)}-15` } : {};
    return this.#record(5, index, {
      name: this.#person(),
      ...email,
      accountId: this.#id(4, index % accounts),
      customFields,
    });
  }

  opportunity(index: number, accounts: number): unknown {
    const status = this.#pick(statuses);
    const stage = { pipelineId: this.#id(2, 0), stageId: this.#id(3, this.#integer(4)), status };
    const contactIds = this.#random() < 0.8 ? [this.#id(5, index % (accounts * contactsPerAccount))] : [];
    const amount = { amount: this.#integer(100_000), currency: this.#pick(["EUR", "USD", "SEK"]) };
    const customFields = this.#random() < 0.5 ? { budget: { amount: this.#integer(9_000), currency: "EUR" } } : {};
    const name = `${this.#pick(industries)} order ${index + 1}`;
    const accountId = this.#id(4, index % accounts);
    return this.#record(6, index, { name, accountId, contactIds, ...stage, ...amount, customFields });
  }

  task(index: number, accounts: number): unknown {
    const relatedTo = this.#random() < 0.8 ? { type: "account", id: this.#id(4, index % accounts) } : null;
    const state = {
      priority: this.#pick(["low", "medium", "high"]),
      status: this.#pick(["pending", "pending", "completed"]),
    };
    const title = `${this.#pick(chores)} ${this.#person()}`;
    return this.#record(7, index, { title, ...state, relatedTo, assignedTo: this.#id(1, this.#integer(3)) });
  }

  #record(kind: number, index: number, values: object): unknown {
    const createdAt = start + this.#integer(year / 2);
    return { id: this.#id(kind, index), ...values, ...times(createdAt, createdAt + this.#integer(year / 2)) };
  }

  #id(kind: number, index: number): string {
    const bytes = Buffer.alloc(10);
    bytes.writeUInt32BE(this.#seed >>> 0, 0);
    bytes.writeUInt8(kind, 5);
    bytes.writeUInt32BE(index, 6);
    return uuidV7(start, () => bytes);
  }

  #person(): string {
    return `${this.#pick(firstNames)} ${this.#pick(lastNames)}`;
  }

  #pick<T>(values: readonly T[]): T {
    return values[this.#integer(values.length)] as T;
  }

  /** Returns an integer from 0 to below `end`. */
  #integer(end: number): number {
    return Math.floor(this.#random() * end);
  }
}

function times(createdAt: number, updatedAt = createdAt) {
  return { createdAt: new Date(createdAt).toISOString(), updatedAt: new Date(updatedAt).toISOString() };
}

/** Returns a generator of numbers from 0 to below 1. The same seed gives the same numbers (mulberry32). */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
