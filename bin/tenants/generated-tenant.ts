import { makeApiKey, scopes, uuidV7 } from "#lib";
import { seededRandom } from "./seeded-random.ts";

/** How large a generated tenant is. The same seed and size give the same tenant, byte by byte, keys included. */
export type TenantSize = {
  readonly accounts: number;
  readonly seed: number;
};

/** Beside each account, on average. */
const contactsPerAccount = 2;
const opportunitiesPerAccount = 1;
const tasksPerAccount = 3;

const start = Date.parse("2025-01-06T08:00:00.000Z");
const year = 365 * 24 * 60 * 60 * 1000;

const first = [
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
const last = [
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
const trades = [
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
const towns = ["Aarhus", "Brno", "Cádiz", "Dundee", "Espoo", "Fürth", "Gdańsk", "Haarlem", "Iași", "Jyväskylä"];
const chores = [
  "Call back",
  "Send the offer to",
  "Visit",
  "Remind about the invoice:",
  "Thank",
  "Plan the training of",
];
const statuses = ["open", "open", "open", "won", "lost"] as const;

/**
 * A tenant file of any size, in pieces: records refer to records before them, times lie within one year, most accounts
 * have people, deals and tasks.
 */
export function* generatedTenant({ accounts, seed }: TenantSize): Generator<string> {
  const maker = new Maker(seed);
  yield `{\n  "tenant": ${JSON.stringify(maker.tenant)},\n`;
  for (const [name, records] of Object.entries(maker.setUp())) yield list(name, records, false);
  yield* lines("accounts", accounts, (index) => maker.account(index));
  yield* lines("contacts", accounts * contactsPerAccount, (index) => maker.contact(index, accounts));
  yield* lines("opportunities", accounts * opportunitiesPerAccount, (index) => maker.opportunity(index, accounts));
  yield* lines("tasks", accounts * tasksPerAccount, (index) => maker.task(index, accounts), true);
  yield "}\n";
}

function list(name: string, records: readonly unknown[], isLast: boolean): string {
  const text = records.map((record) => `    ${JSON.stringify(record)}`).join(",\n");
  return `  ${JSON.stringify(name)}: [\n${text}\n  ]${isLast ? "" : ","}\n`;
}

/** A list of records, each a line of its own, made one at a time. */
function* lines(name: string, count: number, make: (index: number) => unknown, isLast = false): Generator<string> {
  yield `  ${JSON.stringify(name)}: [\n`;
  for (let index = 0; index < count; index++) {
    yield `    ${JSON.stringify(make(index))}${index + 1 < count ? "," : ""}\n`;
  }
  yield `  ]${isLast ? "" : ","}\n`;
}

/** The ids of records follow from their numbers, so that those that refer need not be kept. */
class Maker {
  readonly tenant: Readonly<Record<string, unknown>>;
  readonly #random: () => number;
  readonly #seed: number;

  constructor(seed: number) {
    this.#random = seededRandom(seed);
    this.#seed = seed;
    this.tenant = { id: this.#id(0, 0), name: `Generated ${seed}`, ...times(start) };
  }

  setUp(): Readonly<Record<string, readonly unknown[]>> {
    const stages = ["New", "Qualified", "Offer", "Contract"].map((name, index) => {
      return { id: this.#id(3, index), name, order: index + 1, probability: 10 + index * 25, ...times(start) };
    });
    const field = (entity: string, key: string, type: string, more: object = {}) => {
      return { entity, key, label: key, type, ...more, ...times(start) };
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
    const name = `${this.#one(last)} ${this.#one(trades)} ${index + 1}`;
    const customFields = {
      segment: this.#one(["SMB", "Mid-Market", "Enterprise"]),
      ...(this.#random() < 0.7 ? { employees: this.#whole(500) } : {}),
    };
    const address = { city: this.#one(towns), postalCode: String(10_000 + this.#whole(90_000)) };
    const ownerId = this.#id(1, this.#whole(3));
    return this.#record(4, index, { name, address, ownerId, externalId: `A-${index + 1}`, customFields });
  }

  contact(index: number, accounts: number): unknown {
    const email = this.#random() < 0.9 ? { email: `person${index + 1}@generated.example` } : {};
    const customFields =
      this.#random() < 0.3 ? { birthday: `19${60 + this.#whole(40)}-0${1 + this.#whole(9)}-15` } : {};
    return this.#record(5, index, {
      name: this.#person(),
      ...email,
      accountId: this.#id(4, index % accounts),
      customFields,
    });
  }

  opportunity(index: number, accounts: number): unknown {
    const status = this.#one(statuses);
    const place = { pipelineId: this.#id(2, 0), stageId: this.#id(3, this.#whole(4)), status };
    const contactIds = this.#random() < 0.8 ? [this.#id(5, index % (accounts * contactsPerAccount))] : [];
    const amount = { amount: this.#whole(100_000), currency: this.#one(["EUR", "USD", "SEK"]) };
    const customFields = this.#random() < 0.5 ? { budget: { amount: this.#whole(9_000), currency: "EUR" } } : {};
    const name = `${this.#one(trades)} order ${index + 1}`;
    const accountId = this.#id(4, index % accounts);
    return this.#record(6, index, { name, accountId, contactIds, ...place, ...amount, customFields });
  }

  task(index: number, accounts: number): unknown {
    const relatedTo = this.#random() < 0.8 ? { type: "account", id: this.#id(4, index % accounts) } : null;
    const state = {
      priority: this.#one(["low", "medium", "high"]),
      status: this.#one(["pending", "pending", "completed"]),
    };
    const title = `${this.#one(chores)} ${this.#person()}`;
    return this.#record(7, index, { title, ...state, relatedTo, assignedTo: this.#id(1, this.#whole(3)) });
  }

  #record(kind: number, index: number, values: object): unknown {
    const createdAt = start + this.#whole(year / 2);
    return { id: this.#id(kind, index), ...values, ...times(createdAt, createdAt + this.#whole(year / 2)) };
  }

  #id(kind: number, index: number): string {
    const bytes = Buffer.alloc(10);
    bytes.writeUInt32BE(this.#seed >>> 0, 0);
    bytes.writeUInt8(kind, 5);
    bytes.writeUInt32BE(index, 6);
    return uuidV7(start, () => bytes);
  }

  #person(): string {
    return `${this.#one(first)} ${this.#one(last)}`;
  }

  #one<T>(values: readonly T[]): T {
    return values[this.#whole(values.length)] as T;
  }

  /** A whole number from 0 up to `end`. */
  #whole(end: number): number {
    return Math.floor(this.#random() * end);
  }
}

function times(createdAt: number, updatedAt = createdAt) {
  return { createdAt: new Date(createdAt).toISOString(), updatedAt: new Date(updatedAt).toISOString() };
}
