import type { RecordCount, RequestEntry } from "crm-integrations/client";
import { call, type Query, read, readAll } from "../api.ts";
import { collections, type Entity, entities } from "../names.ts";
import { readFailures } from "../requests/failures.ts";
import { href } from "../route.ts";
import { fieldLabel, texts } from "../texts.ts";
import { describeCode, describeFieldError } from "../ui/error-text.ts";
import type { Checks, Integration, Problem } from "./overview.ts";

const text = texts.requests;
const dayMs = 86_400_000;
/** How long rules are checked. The server reads up to 10,000 records for each. */
const maxMs = 1_000;
const maxReasons = 5;

/** Returns the number of records that have changed in the last 24 hours. */
export async function countChanges(signal: AbortSignal): Promise<ReadonlyMap<Entity, RecordCount | undefined>> {
  const query = { updatedSince: dayAgo(), count: true, limit: 1 };
  const counts = entities.map(async (entity) => {
    const { count } = await call("GET", `api/v1/${collections[entity]}`, { query, signal });
    return [entity, count] as const;
  });
  return new Map(await Promise.all(counts));
}

/** Returns the rules that records break, and why the last request of each failing integration failed. */
export async function runChecks(failing: readonly Integration[], signal: AbortSignal): Promise<Checks> {
  const fields = await readAll<Field>("api/admin/custom-fields", {}, signal);
  const [rules, ...reasons] = await Promise.all([
    findBrokenRules(fields, signal),
    ...failing.slice(0, maxReasons).map(async ({ id }) => [id, await findReason(id, fields, signal)] as const),
  ]);
  return { ...rules, reasons: new Map(reasons) };
}

type Rule = {
  readonly id: string;
  readonly entity: Entity;
  readonly field: string;
  readonly when: { readonly stageIds?: readonly string[]; readonly statuses?: readonly string[] } | null;
};
type Field = { readonly entity: Entity; readonly key: string; readonly label: string };
type Impact = { readonly missing: number; readonly checked: number };

async function findBrokenRules(
  fields: readonly Field[],
  signal: AbortSignal,
): Promise<Pick<Checks, "broken" | "unchecked">> {
  const rules = await readAll<Rule>("api/admin/rules", {}, signal);
  const broken: Problem[] = [];
  const end = Date.now() + maxMs;
  // One after the other, because each takes the server up to 0.1 s.
  for (const [index, { id, entity, field, when }] of rules.entries()) {
    if (Date.now() > end) return { broken, unchecked: rules.length - index };
    const query: Query = { entity, field, stageIds: when?.stageIds?.join(), statuses: when?.statuses?.join() };
    const { missing, checked } = await read<Impact>("api/admin/impact", { query, signal });
    if (missing === 0) continue;
    const own = fields.find((each) => each.entity === entity && `customFields.${each.key}` === field);
    const result = texts.setUp.impact.missing(missing, checked);
    const message = `${texts.kinds[entity]}, ${own?.label ?? fieldLabel(field)}: ${result}`;
    broken.push({ message, link: href(["rules", id]) });
  }
  return { broken, unchecked: 0 };
}

async function findReason(integrationId: string, fields: readonly Field[], signal: AbortSignal): Promise<string> {
  const [last] = await readFailures({ integrationId, since: dayAgo(), limit: 1 }, signal);
  return last === undefined ? "" : describeFailure(last, fields);
}

function describeFailure({ code, path, problem }: RequestEntry, custom: readonly Field[]): string {
  const [error] = problem?.errors ?? [];
  const fields = custom
    .filter(({ entity }) => path.split("/").includes(collections[entity]))
    .map(({ key, label }) => ({ path: `/customFields/${key}`, label, input: "text" as const }));
  const parts = [
    ...(code === null ? [] : [describeCode(code)]),
    ...(error ? [describeFieldError({ ...error, message: "" }, { fields })] : []),
    ...(problem?.required ? [`${text.required(problem.required)}.`] : []),
  ];
  return parts.join(" ");
}

function dayAgo(): string {
  return new Date(Date.now() - dayMs).toISOString();
}
