import { randomBytes, randomUUID } from "node:crypto";
import { join } from "node:path";
import { makeApiKey } from "../../lib/auth/api-key.ts";
import { createApi, memoryRateLimiter, systemClock } from "../../lib/index.ts";
import { sqliteStorage } from "../../lib/storage/sqlite/index.ts";
import { loadTenantFile } from "../../lib/tenant-file/index.ts";
import type { Bench, Question } from "../bench.ts";
import { median } from "../load.ts";
import type { Row } from "../results.ts";

const maxBytes = 1024 * 1024;
const maxBlockedMs = 30;
const tenantId = "01950001-0000-7000-9000-000000000001";
const idempotencyKey = "0197a3c2-7b1e-7cc0-8d3f-2f6f1f0c9a11";
const optionLength = 50;
const options = Array.from({ length: 200 }, (_, index) => `Σ${index}`.padEnd(optionLength, "abcdefghij"));
const asciiOptions = options.map((option) => option.replace("Σ", "s"));

/** A tenant whose custom fields make suggestions and comparisons as expensive as possible. */
const tenant = {
  tenant: { id: tenantId, name: "Bodies" },
  users: [{ name: "Ana", email: "ana@example.com", role: "admin" }],
  customFields: [
    ...Array.from({ length: 20 }, (_, index) => ({
      ...{ entity: "account", key: `topics${index}`, label: "Topics", type: "multi_list" },
      options: index % 2 === 0 ? options : asciiOptions,
    })),
    { entity: "account", key: "notes", label: "Notes", type: "text", maxLength: 65_536 },
    { entity: "account", key: "budget", label: "Budget", type: "currency" },
  ],
  integrations: [
    {
      name: "ERP",
      scopes: ["accounts:write", "opportunities:read", "opportunities:write"],
      keys: [{ key: makeApiKey("test", randomBytes) }],
    },
  ],
};

const text = (part: string): string => part.repeat(Math.floor((maxBytes - 1_000) / Buffer.byteLength(part)));
const listOf = (part: string): string => `[${text(`${part},`)}${part}]`;
const many = (count: number, part: (index: number) => string): string =>
  Array.from({ length: count }, (_, index) => part(index)).join(",");
const account = (fields: string): readonly [string, string] => ["/accounts", `{"name":"Acme",${fields}}`];
const opportunity = (fields: string): readonly [string, string] => ["/opportunities", `{"name":"Deal",${fields}}`];
const topics = (entry: (index: number) => string): readonly [string, string] =>
  account(`"customFields":{${many(20, (field) => `"topics${field}":[${many(49, entry)}]`)}}`);

/** Requests of about 1 MiB that are expensive to reject. Each name says what is wrong with the body. */
const requests: Readonly<Record<string, readonly [path: string, body: string]>> = {
  "90,000 unknown keys": account(many(90_000, (index) => `"k${index}":0`)),
  "60,000 unknown custom fields": account(`"customFields":{${many(60_000, (index) => `"name${index}":0`)}}`),
  "100,000 wrong entries of a multi_list": account(`"customFields":{"topics0":[${many(100_000, (i) => `"t${i}"`)}]}`),
  "lists nested 500,000 deep": account(`"address":${"[".repeat(500_000)}${"]".repeat(500_000)}`),
  "objects nested 100,000 deep": account(`"address":${'{"a":'.repeat(100_000)}0${"}".repeat(100_000)}`),
  "100,000 wrong contactIds": opportunity(`"contactIds":[${many(100_000, (index) => `"c${index}"`)}]`),
  "100,000 wrong email addresses": [
    "/contacts/opportunities/active",
    `{"tenantId":"${tenantId}","emails":[${many(100_000, (index) => `"e${index}"`)}]}`,
  ],
  "999 unknown keys of 1,000 characters": account(many(999, (index) => `"${`k${index}`.padEnd(1_000, "x")}":0`)),
  "999 unknown keys of 40 characters": account(many(999, (index) => `"${`k${index}`.padEnd(40, "name")}":0`)),
  "999 unknown custom fields of 40 characters": account(
    `"customFields":{${many(999, (index) => `"${`k${index}`.padEnd(40, "topics")}":0`)}}`,
  ),
  "999 keys with escapes": account(many(999, (index) => `"${"\\u0041".repeat(160)}${index}":0`)),
  "980 options with the longest suggestions": topics((i) => `"${`s${i}`.padEnd(40, "abcdefghji")}"`),
  "980 long texts with sigmas for options": topics((i) => `"${`Σ${i}`.padEnd(500, "Σσς")}"`),
  "980 long texts that normalize for options": topics((i) => `"${`${i}`.padEnd(340, "ﷺ")}"`),
  "340 lists of 1,000 empty lists": account(`"address":[${many(340, () => `[${many(999, () => "[]")}]`)}]`),
  "150 lists of 1,000 small objects": account(`"address":[${many(130, () => `[${many(999, () => '{"a":0}')}]`)}]`),
  "numbers of 770 digits": account(`"address":[${many(999, (i) => `0.${i}${"7".repeat(1_000)}`)}]`),
  "a number of 1,000,000 digits": opportunity(`"amount":${text("7")}`),
  "a website of 1 MiB without a dot": account(`"website":"${text("x")}"`),
  "a description of surrogate pairs": account(`"description":"${text("👩")}"`),
  "a description of control characters": account(`"description":"${text("\\u0001")}"`),
  "a custom text of surrogate pairs": account(`"customFields":{"notes":"${text("👩")}"}`),
  "a custom option of ligatures": account(`"customFields":{"topics0":["${text("ﷺ")}"]}`),
  "a currency of 1 MiB": opportunity(`"currency":"${text("ß")}"`),
  "a custom currency of 1 MiB": account(`"customFields":{"budget":{"amount":1,"currency":"${text("ß")}"}}`),
  "an email address of 1 MiB": account(`"email":"a@${text("a.")}"`),
  "an email address of spaces": account(`"email":"${text(" ")}"`),
  "a website of 1 MiB": account(`"website":"${text("a.")}"`),
  "a date-time of 1 MiB": opportunity(`"expectedCloseDate":"2026-01-01T00:00:00.${text("1")}Z"`),
  "a status of 1 MiB": opportunity(`"status":"${text("open ")}"`),
  "an unknown key with a text of ligatures": account(`"name2":"${text("ﷺ")}"`),
  "a key of 1 MiB": account(`"${text("x")}":0`),
  "an escaped key of 1 MiB": account(`"${text("\\u0041")}":0`),
  "a text that doesn't end": account(`"description":"${text("\\\\")}`),
  "a list of commas": ["/accounts", listOf("")],
};

/** Measures how long the event loop is blocked while the server rejects a body of 1 MiB. */
export const bodies: Question = async ({ folder, rounds }) => {
  const blocks = await longestBlocks(join(folder, "bodies.db"), Math.max(5, rounds));
  const [name, blockedMs] = blocks.toSorted(([, a], [, b]) => b - a)[0] ?? ["", Number.NaN];
  const row: Row = {
    question: "Bodies",
    name: `Longest block of the event loop by one of ${blocks.length} rejected bodies`,
    goal: { atMost: maxBlockedMs },
    reached: blockedMs,
    spread: [Math.min(...blocks.map(([, each]) => each)), blockedMs],
    unit: "ms",
    note: name,
  };
  return [row];
};

/** Returns how long each body blocks the event loop (median, ms), with and without an idempotency key. */
export async function longestBlocks(
  file: string,
  rounds: Bench["rounds"],
): Promise<[name: string, blockedMs: number][]> {
  const storage = sqliteStorage({ file });
  const loaded = await loadTenantFile(storage, tenant, { clock: systemClock, newId: randomUUID });
  const rateLimiter = memoryRateLimiter({ limit: 1_000_000, windowMs: 60_000, clock: systemClock });
  const api = createApi({ storage, rateLimiter });
  const headers = { "x-api-key": loaded.keys[0]?.key ?? "", "content-type": "application/json" };
  const blocks: [string, number][] = [];
  try {
    for (const [name, [path, text]] of Object.entries(requests)) {
      const body = Buffer.from(text);
      if (body.length > maxBytes) throw new RangeError(`${name}: ${body.length} bytes`);
      for (const [label, extraHeaders] of [
        [name, {}],
        [`${name}, with an idempotency key`, { "idempotency-key": idempotencyKey }],
      ] as const) {
        const send = async (): Promise<void> => {
          const url = `http://bench.test/integrations/v1${path}`;
          const response = await api.fetch(
            new Request(url, { method: "POST", headers: { ...headers, ...extraHeaders }, body }),
          );
          if (response.status >= 500) throw new Error(`${label}: ${response.status}`);
        };
        const blockedMs: number[] = [];
        for (let round = 0; round < rounds; round++) blockedMs.push(await longestBlock(send));
        blocks.push([label, median(blockedMs)]);
      }
    }
  } finally {
    await api.close();
  }
  return blocks;
}

/**
 * Returns the CPU time (ms) of the longest turn of the event loop during the work. Unlike elapsed time, it hardly
 * depends on the other load of the machine.
 */
async function longestBlock(work: () => Promise<void>): Promise<number> {
  let [longest, last, isDone] = [0, threadCpuMs(), false];
  const turn = (): void => {
    const now = threadCpuMs();
    longest = Math.max(longest, now - last);
    last = now;
    if (!isDone) setImmediate(turn);
  };
  setImmediate(turn);
  await work();
  await new Promise((resolve) => setImmediate(resolve));
  isDone = true;
  return longest;
}

function threadCpuMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}
