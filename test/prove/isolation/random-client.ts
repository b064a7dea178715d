import type { Endpoint } from "../../../lib/index.ts";
import { type Kind, models } from "../../../lib/model/kinds.ts";
import { type Model, polymorphic } from "../../../lib/model/model.ts";
import type { Result } from "../../support/harness.ts";
import { inner, samples } from "../schema-samples.ts";
import { acceptsIdsOnly, inputsOf, type RequestInput, smallest, type TestCall } from "./requests.ts";
import { bearer, type Credential, type SharedFile, tokenOf } from "./shared-database.ts";
import type { TestTenant } from "./tenants.ts";

/** A call of a random sequence, with its credential. */
export type Step = { readonly call: TestCall; readonly credential: Credential };

/** The tables whose IDs fit a name, from the models: `ownerId` is an ID of users, `grantId` of grants. */
const tablesOf = new Map<string, Set<string>>();
const kinds = Object.values(models) as readonly Model<Kind>[];
for (const { kind, plural, fields } of kinds) {
  note(`${kind}Id`, plural);
  for (const [name, { reference, schema }] of Object.entries(fields)) {
    const named =
      reference === polymorphic ? samples(schema).map((value) => (value as { type: string }).type) : [reference];
    for (const target of kinds.filter(({ kind }) => named.includes(kind))) {
      for (const each of [name, `${name}Id`]) note(each.replace("Ids", "Id"), target.plural);
    }
  }
}

function note(name: string, table: string): void {
  tablesOf.set(name, (tablesOf.get(name) ?? new Set()).add(table));
}

/**
 * Creates random calls of one tenant from the current rows of its database, so that many of them succeed. The database
 * has no other tenant.
 */
export class RandomClient {
  readonly #alone: SharedFile;
  readonly #tenant: TestTenant;
  readonly #random: () => number;
  readonly #words: readonly string[];
  readonly #keys: string[];
  readonly #cursors = new Map<string, string[]>();

  constructor(alone: SharedFile, tenant: TestTenant, words: readonly string[], random: () => number) {
    this.#alone = alone;
    this.#tenant = tenant;
    this.#words = words;
    this.#random = random;
    this.#keys = [...Array<string>(9).fill(tenant.key), ...Object.values(tenant.keys)];
  }

  /** Sometimes repeats an earlier call with its Idempotency-Key. */
  async next(past: readonly Step[]): Promise<Step> {
    const posts = past.filter(({ call }) => "Idempotency-Key" in call.headers);
    const again = posts.length > 0 && this.#random() < 0.15 ? this.#pick(posts).call : undefined;
    const call = again ?? this.#call(this.#pick(this.#alone.api.endpoints));
    return { call, credential: await this.#credential(call.endpoint) };
  }

  /** Remembers cursors and API keys for later calls. */
  remember({ call }: Step, { body }: Result): void {
    const { nextCursor, data } = (body ?? {}) as { nextCursor?: string | null; data?: { key?: string | null } };
    const { name } = call.endpoint;
    if (typeof nextCursor === "string") this.#cursors.set(name, [...(this.#cursors.get(name) ?? []), nextCursor]);
    if (typeof data?.key === "string") this.#keys.push(data.key);
  }

  /** Returns the smallest call with existing IDs, and up to three more inputs. */
  #call(endpoint: Endpoint): TestCall {
    let call = this.#pick(smallest(endpoint, this.#tenant.id));
    const inputs = inputsOf(endpoint);
    for (const input of inputs) if (needsId(call, input)) call = this.#withText(call, input);
    if (this.#random() < 0.5) call = { ...call, ...this.#relatedIds(endpoint) };
    const options = [...inputs.filter(({ name }) => !name.startsWith(":")), ...optionsOf(endpoint)];
    const count = Math.floor(this.#random() * 4);
    for (let more = 0; more < count; more++) {
      const option = this.#pick(options);
      call = "accepts" in option ? this.#withText(call, option) : this.#withOption(call, option);
    }
    const once = endpoint.method === "POST" && this.#random() < 0.4;
    return once ? { ...call, headers: { ...call.headers, "Idempotency-Key": this.#pick(commonKeys) } } : call;
  }

  /** Returns IDs that belong together, which chance rarely finds. */
  #relatedIds({ path }: Endpoint): Partial<TestCall> {
    const rows = (table: string) =>
      this.#alone.watched.rows(table, this.#tenant.id).filter(({ archived_at: archivedAt }) => !archivedAt);
    if (path.endsWith("/reorder-stages")) {
      const id = this.#pick(rows("stages"))?.pipeline_id;
      const stages = rows("stages").filter((stage) => stage.pipeline_id === id);
      return { params: { id: String(id) }, body: { stageIds: stages.map((stage) => stage.id).toReversed() } };
    }
    if (path.endsWith("/redeliver")) {
      const webhook = this.#pick(rows("webhooks").filter((row) => row.integration_id !== null));
      const event = this.#pick(rows("events").filter((row) => String(row.type).startsWith("account.")));
      return { params: { id: String(webhook?.id) }, body: { eventId: event?.id ?? webhook?.id } };
    }
    return {};
  }

  #withText(call: TestCall, input: RequestInput): TestCall {
    const rarely = input.name.toLowerCase().includes("tenant") || input.name === "Idempotency-Key";
    const texts = rarely && this.#random() < 0.8 ? [] : this.#textsAt(call.endpoint, input);
    return texts.length === 0 ? call : this.#pick(input.with(call, this.#pick(texts)));
  }

  #withOption(call: TestCall, { part, name, schema }: Option): TestCall {
    const value = this.#pick(samples(schema));
    return value === undefined ? call : { ...call, [part]: { ...(call[part] as object), [name]: value } };
  }

  #textsAt(endpoint: Endpoint, input: RequestInput): readonly string[] {
    if (input.name === "Idempotency-Key") return commonKeys;
    if (input.name === "?cursor") return this.#cursors.get(endpoint.name) ?? [];
    const ids = idsAt(this.#alone, this.#tenant, endpoint, input);
    if (ids.length > 0 && this.#random() < 0.9) return ids;
    // Only a few texts of the tenant, so that names collide.
    const isNamed = acceptsIdsOnly(input) || input.name.startsWith(":");
    return this.#words.filter((word) => (isNamed || word.length < 30) && input.accepts(word));
  }

  async #credential({ access }: Endpoint): Promise<Credential> {
    const { admin, member, inactiveAdmin } = this.#tenant;
    const asAdmin = (access === "admin") === this.#random() < 0.97;
    if (!asAdmin) return { "x-api-key": this.#pick(this.#keys) };
    return bearer(await tokenOf(this.#tenant, this.#random() < 0.9 ? admin : this.#pick([member, inactiveAdmin])));
  }

  #pick<T>(from: readonly T[]): T {
    return from[Math.floor(this.#random() * from.length)] as T;
  }
}

/** Whether the smallest call has an unknown ID in an input. */
function needsId({ body }: TestCall, input: RequestInput): boolean {
  if (input.name.startsWith(":")) return true;
  const names = input.name.split("/").slice(1);
  const value = names.reduce<unknown>((each, name) => (each as Record<string, unknown> | undefined)?.[name], body);
  return value !== undefined && acceptsIdsOnly(input);
}

/** Values for inputs that are not texts: options, numbers, booleans. */
type Option = { readonly part: "query" | "body"; readonly name: string; readonly schema: Endpoint["query"][string] };

function optionsOf({ query, body }: Endpoint): Option[] {
  const entries = { query, body: body === undefined ? {} : (inner(body).entries ?? {}) };
  return (["query", "body"] as const).flatMap((part) =>
    Object.entries(entries[part]).map(([name, schema]): Option => ({ part, name, schema })),
  );
}

/** The IDs of the tenant that fit an input, by the start of the path or by the name. */
export function idsAt(
  { watched }: SharedFile,
  { id: tenant }: TestTenant,
  { path }: Endpoint,
  input: RequestInput,
): string[] {
  // The request log has requests with the ID of the tenant.
  if (input.name === ":requestId") return [tenant];
  const [segment = "", second = ""] = path.slice(1).split("/");
  const [word = ""] = input.name.slice(1).split("/");
  const own = segment === "api-key" ? "api_keys" : segment === "admin" ? second.replaceAll("-", "_") : segment;
  const tables = [":id", "?ids"].includes(input.name) ? [own] : [...(tablesOf.get(word.replace("Ids", "Id")) ?? [])];
  return tables.flatMap((table) => watched.rows(table, tenant).map(({ id }) => String(id)));
}

/** Idempotency keys that all tenants use. */
const commonKeys = Array.from(
  { length: 12 },
  (_, index) => `0198c0de-0000-4000-8000-${String(index).padStart(12, "0")}`,
);
