import { writeFileSync } from "node:fs";

/** Creates the tenant files for tests. `npm run fixtures` writes them, and a test fails if one is out of date. */

type File = Readonly<Record<string, unknown>>;

const day = "2026-01-05T08:00:00.000Z";
const times = { createdAt: day, updatedAt: day };
const read = ["accounts:read", "contacts:read", "opportunities:read", "tasks:read", "notes:read"];
const write = ["accounts:write", "contacts:write", "opportunities:write", "tasks:write", "notes:write"];
const scopes = [...read, "pipelines:read", "users:read", ...write, "webhooks:read", "webhooks:write"];

/** Public API keys. They are valid for these tenants only. */
const keys = {
  minimal: "crm_test_bTNJHHJN_bTNJHHJNTblxBRj3PnDf9fDnP3jRBxlbTNJHHJNTblx1gLRlf",
  fields: "crm_test_C5238HUl_C5238HUl6VyV6lUH8325CNcvIjEnQ7shaXYdmzGb0T03qOBQT",
  torture: "crm_test_nhhnzHf9_nhhnzHf9jPB315FVrJrVF513BPj9fHznhhnzHf9jPB30Hqwkq",
};

function idOf(tenant: number, kind: number, index: number): string {
  const [group, suffix] = [String(kind).padStart(3, "0"), String(index).padStart(12, "0")];
  return `0194343c-000${tenant}-7000-8${group}-${suffix}`;
}

/** A tenant with the least that every operation needs, and a key for everything. */
function base(tenant: number, name: string, key: string): File {
  const stages = ["New", "Won soon"].map((stage, index) => {
    return { id: idOf(tenant, 3, index), name: stage, order: index + 1, probability: 20 + 60 * index, ...times };
  });
  return {
    $schema: "./tenant-file.schema.json",
    tenant: { id: idOf(tenant, 0, 0), name, ...times },
    users: [{ id: idOf(tenant, 1, 0), name: "Ada Admin", email: "ada@fixture.example", role: "admin", ...times }],
    pipelines: [{ id: idOf(tenant, 2, 0), name: "Sales", isDefault: true, stages, ...times }],
    integrations: [{ id: idOf(tenant, 8, 0), name: "Tests", scopes, keys: [{ key, ...times }], ...times }],
  };
}

const many = Array.from({ length: 40 }, (_, index) => `Option ${index + 1}`);
const odd = ["Größe", "Ångström", "constructor", "a, b", 'quo"ted', "日本語", "🦊 fox"];

/** Every type of custom field on every entity, with its edges. */
const fields: readonly File[] = [
  { key: "text", label: "Text", type: "text" },
  { key: "letter", label: "One character", type: "text", maxLength: 1 },
  { key: "essay", label: "Very long text", type: "text", maxLength: 10_000, description: "Up to 10,000 characters." },
  { key: "number", label: "Number", type: "number" },
  { key: "money", label: "Amount of money", type: "currency" },
  { key: "day", label: "Day", type: "date" },
  { key: "one", label: "One of few", type: "list", options: odd, optionLabels: { Größe: "Size" } },
  { key: "oneOfMany", label: "One of many", type: "list", options: many },
  { key: "some", label: "Some of them", type: "multi_list", options: odd },
  { key: "needed", label: "Needed", type: "text", required: true },
  { key: "gone", label: "Archived", type: "text", archivedAt: day },
];

function customFields(): File {
  const entities = ["account", "contact", "opportunity"];
  const catalog = entities.flatMap((entity) => fields.map((field) => ({ entity, ...field, ...times })));
  const values = {
    ...{ text: "x", letter: "é", number: -1.5, money: { amount: 12.5, currency: "EUR" }, day: "2024-02-29" },
    ...{ one: "Größe", oneOfMany: "Option 40", some: ["日本語", "🦊 fox"], needed: "yes" },
  };
  const accounts = [
    { id: idOf(2, 4, 0), name: "All fields", customFields: values, ...times },
    { id: idOf(2, 4, 1), name: "Money as a number", customFields: { money: 7, needed: "yes" }, ...times },
    { id: idOf(2, 4, 2), name: "From before a field was needed", ...times },
  ];
  return { ...base(2, "Custom fields", keys.fields), customFields: catalog, accounts };
}

const titles = [
  "Plain",
  "Ünïcödé",
  "e\u0301 combining",
  "مرحبا",
  "שלום",
  "😀👩‍👩‍👧",
  "tab\tand\nline",
  " blanks ",
  "'; DROP TABLE tasks; --",
  "x".repeat(255),
];

/** 1,001 tasks with one `updatedAt`, then a few later ones. */
function syncTorture(): File {
  const tasks = Array.from({ length: 1001 }, (_, index) => ({
    id: idOf(3, 7, index),
    title: titles[index % titles.length],
    ...(index % 3 === 0 ? { description: null, dueDate: null } : { dueDate: "2026-12-31T23:59:59.999Z" }),
    ...(index % 7 === 0 ? { archivedAt: day } : {}),
    ...(index % 5 === 0 ? { assignedTo: idOf(3, 1, 0) } : {}),
    ...times,
  }));
  const later = Array.from({ length: 5 }, (_, index) => {
    return {
      id: idOf(3, 7, 2000 - index),
      title: "Later",
      createdAt: day,
      updatedAt: `2026-01-05T08:00:00.00${index + 1}Z`,
    };
  });
  return { ...base(3, "Sync torture", keys.torture), tasks: [...tasks.toReversed(), ...later] };
}

/** The files by name. */
export const fixtures: Readonly<Record<string, File>> = {
  minimal: base(1, "Minimal", keys.minimal),
  "custom-fields": customFields(),
  "sync-torture": syncTorture(),
};

/** One record per line, so that a change of a record is a change of one line. */
export function fixtureText(file: File): string {
  const members = Object.entries(file).map(([name, value]) => {
    if (!Array.isArray(value)) return `  ${JSON.stringify(name)}: ${JSON.stringify(value)}`;
    return `  ${JSON.stringify(name)}: [\n${value.map((each) => `    ${JSON.stringify(each)}`).join(",\n")}\n  ]`;
  });
  return `{\n${members.join(",\n")}\n}\n`;
}

export function fixtureFile(name: string): URL {
  return new URL(`../fixtures/${name}.json`, import.meta.url);
}

if (import.meta.main) {
  for (const [name, file] of Object.entries(fixtures)) writeFileSync(fixtureFile(name), fixtureText(file));
}
