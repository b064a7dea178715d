import type { ApiKey, Counts, RequestTotal } from "crm-integrations/client";
import { language } from "../language.ts";
import { href } from "../route.ts";
import { texts } from "../texts.ts";
import { describeTime } from "../ui/time.tsx";
import { describeProblems, type System } from "./describe-system.ts";

const text = texts.overview;
/** How long before its end a key needs attention. */
const expiryNoticeMs = 14 * 86_400_000;

/** An integration with API keys, and its requests of the last 24 hours. */
export type Integration = {
  readonly id: string;
  readonly name: string;
  readonly lastUsedAt: string | null;
  readonly requests: number;
  readonly failures: number;
};

export type Overview = {
  readonly counts: Counts;
  readonly integrations: readonly Integration[];
  /** Requests of each of the last 24 hours. */
  readonly hours: readonly RequestTotal[];
  readonly keys: readonly ApiKey[];
  /** Undefined if the server doesn't report its state. */
  readonly system: System | undefined;
};

/** The results of the checks that run after the first data is shown. */
export type Checks = {
  /** Rules that records break. */
  readonly broken: readonly Problem[];
  /** The number of rules that weren't checked. */
  readonly unchecked: number;
  /** Why the last failed request of an integration failed, by its ID. */
  readonly reasons: ReadonlyMap<string, string>;
};

export type Problem = {
  readonly message: string;
  readonly link?: string;
  /** The same while the message changes. The default is the message. */
  readonly key?: string;
};

/** Returns the integrations with API keys by name. */
export function toIntegrations(keys: readonly ApiKey[], totals: readonly RequestTotal[]): readonly Integration[] {
  const owners = [...Map.groupBy(keys, ({ integrationId }) => integrationId)];
  const integrations = owners.map(([id, owned]) => {
    const { count = 0, clientErrors = 0, serverErrors = 0 } = totals.find(({ key }) => key === id) ?? {};
    const lastUses = owned.flatMap(({ lastUsedAt }) => lastUsedAt ?? []).sort();
    return {
      id,
      name: owned[0]?.integrationName ?? id,
      lastUsedAt: lastUses.at(-1) ?? null,
      requests: count,
      failures: clientErrors + serverErrors,
    };
  });
  return integrations.sort((a, b) => a.name.localeCompare(b.name, language));
}

/** Returns the integrations that had failures in the last 24 hours. */
export function failingOf({ integrations }: Overview): readonly Integration[] {
  return integrations.filter(({ failures }) => failures > 0);
}

/** Returns what an admin should look at: problems of the server, failed requests, broken rules, and keys that expire. */
export function problemsOf(overview: Overview, checks: Checks | undefined, now: number): readonly Problem[] {
  const { keys, system } = overview;
  const serverProblems = system ? describeProblems(system) : [];
  const expiring = keys.filter(
    ({ status, expiresAt }) =>
      status === "active" && expiresAt !== null && Date.parse(expiresAt) - now < expiryNoticeMs,
  );
  return [
    ...serverProblems.map((message) => ({ message, link: href(["system"]) })),
    ...failingOf(overview).map(({ id, name, requests, failures }) => ({
      message: text.failing(name, failures, requests, checks?.reasons.get(id) ?? ""),
      link: href(["requests"], { integrationId: id }),
      key: id,
    })),
    ...(checks?.broken ?? []),
    ...expiring.map(({ integrationId, integrationName, expiresAt }) => ({
      message: text.expiring(integrationName, describeTime(expiresAt ?? "", now)),
      link: href(["integrations", integrationId]),
    })),
  ];
}
