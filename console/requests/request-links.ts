import type { RequestEntry } from "crm-integrations/client";
import { readAll } from "../api.ts";
import { collections, type Entity, entities } from "../names.ts";
import { href } from "../route.ts";
import { texts } from "../texts.ts";
import { fieldName } from "../ui/error-text.ts";
import { isId } from "../ui/record-id.ts";

const text = texts.requests;

type Integration = { readonly id: string; readonly name: string };
type Field = { readonly id: string; readonly entity: string; readonly key: string; readonly label: string };
type Rule = { readonly id: string; readonly entity: string; readonly field: string };

/** The set-up that explains requests: names of integrations, and what requires a value. */
export type RequestContext = {
  readonly integrations: readonly Integration[];
  readonly fields: readonly Field[];
  readonly rules: readonly Rule[];
};

export async function loadRequestContext(signal: AbortSignal): Promise<RequestContext> {
  const archived = { includeArchived: true };
  const [integrations, fields, rules] = await Promise.all([
    readAll<Integration>("api/admin/integrations", archived, signal),
    readAll<Field>("api/admin/custom-fields", {}, signal),
    readAll<Rule>("api/admin/rules", {}, signal),
  ]);
  return { integrations, fields, rules };
}

export type Link = { readonly label: string; readonly href: string };

/** Screens of the set-up by the first part of the path below `/admin`. */
const setUpScreens: Readonly<Record<string, string>> = {
  users: "users",
  pipelines: "pipelines",
  "custom-fields": "fields",
  rules: "rules",
  integrations: "integrations",
  grants: "grants",
  webhooks: "webhooks",
};

/** Returns links to everything in the console that a request concerns, each once. */
export function linksOf(entry: RequestEntry, { fields, rules }: RequestContext): readonly Link[] {
  const screen = screenOf(entry);
  const entity = entities.find((each) => collections[each] === screen);
  const { problem, changes } = entry;
  const ids = [idOf(entry), ...(problem?.existingId ? [problem.existingId] : []), ...changes.ids.slice(0, 3)];
  const records = screen === undefined ? [] : ids.flatMap((id) => (id === undefined ? [] : [recordLink(screen, id)]));
  const errors = entity === undefined ? [] : (problem?.errors ?? []);
  const ofErrors = errors.flatMap(({ path, code }) => errorLinks(entity as Entity, path, code, fields, rules));
  const ofScope =
    entry.code === "insufficient_scope" && entry.integrationId !== null
      ? [{ label: text.openIntegration, href: href(["integrations", entry.integrationId], { tab: "permissions" }) }]
      : [];
  return [...new Map([...records, ...ofErrors, ...ofScope].map((link) => [link.href, link])).values()];
}

function recordLink(screen: string, id: string): Link {
  return { label: text.openRecord(id), href: href([screen, id]) };
}

/** Returns the screen of the records that a request is about. */
function screenOf({ path }: RequestEntry): string | undefined {
  const [first = "", second = ""] = path.slice(1).split(/[/?]/);
  if (first === "admin") return setUpScreens[second];
  return entities.some((entity) => collections[entity] === first) ? first : undefined;
}

function idOf({ path }: RequestEntry): string | undefined {
  return path.split(/[/?]/).find(isId);
}

function errorLinks(
  entity: Entity,
  path: string,
  code: string,
  fields: readonly Field[],
  rules: readonly Rule[],
): readonly Link[] {
  const name = fieldName(path).replace(/^operations\.\d+\.data\./, "");
  const key = /^customFields\.([^.]+)/.exec(name)?.[1];
  const field = fields.find((each) => each.entity === entity && each.key === key);
  const rule = code.startsWith("required")
    ? rules.find((each) => each.entity === entity && each.field === name)
    : undefined;
  return [
    ...(field ? [{ label: text.openField(field.label), href: href(["fields", field.id]) }] : []),
    ...(rule ? [{ label: text.openRule(name), href: href(["rules", rule.id]) }] : []),
  ];
}
