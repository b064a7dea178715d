import type { Endpoint } from "../../lib/index.ts";
import { type Kind, models } from "../../lib/model/kinds.ts";
import { type Model, polymorphic } from "../../lib/model/model.ts";
import type { Result } from "../support/harness.ts";
import { type Ask, type Place, placesOf, smallest, takesIdsOnly } from "./asks.ts";
import type { Neighbour } from "./neighbours.ts";
import { inner, samples } from "./shapes.ts";
import { bearer, type Credential, type SharedFile, tokenOf } from "./shared-file.ts";

/** One request of a walk, and what it is sent with. */
export type Step = { readonly ask: Ask; readonly credential: Credential };

/** The tables whose ids make sense under a name, as the models say it: `ownerId` is of users, `grantId` of grants. */
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
 * Makes one tenant's requests, each by chance and from what is in its file by then, so that many of them succeed.
 * It looks into a file in which the tenant is alone.
 */
export class Walker {
  readonly #alone: SharedFile;
  readonly #who: Neighbour;
  readonly #roll: () => number;
  readonly #words: readonly string[];
  readonly #keys: string[];
  readonly #cursors = new Map<string, string[]>();

  constructor(alone: SharedFile, who: Neighbour, words: readonly string[], roll: () => number) {
    this.#alone = alone;
    this.#who = who;
    this.#words = words;
    this.#roll = roll;
    this.#keys = [...Array<string>(9).fill(who.key), ...Object.values(who.keys)];
  }

  /** Now and then it is one that was sent before, by whomever, under its Idempotency-Key. */
  async next(past: readonly Step[]): Promise<Step> {
    const posts = past.filter(({ ask }) => "Idempotency-Key" in ask.headers);
    const again = posts.length > 0 && this.#roll() < 0.15 ? this.#pick(posts).ask : undefined;
    const ask = again ?? this.#ask(this.#pick(this.#alone.api.endpoints));
    return { ask, credential: await this.#credential(ask.endpoint) };
  }

  /** Learns what later requests may send: cursors and keys that were given out. */
  learn({ ask }: Step, { body }: Result): void {
    const { nextCursor, data } = (body ?? {}) as { nextCursor?: string | null; data?: { key?: string | null } };
    const { name } = ask.endpoint;
    if (typeof nextCursor === "string") this.#cursors.set(name, [...(this.#cursors.get(name) ?? []), nextCursor]);
    if (typeof data?.key === "string") this.#keys.push(data.key);
  }

  /** The smallest request, with an id that is there in its path, and up to three things more. */
  #ask(endpoint: Endpoint): Ask {
    let ask = this.#pick(smallest(endpoint, this.#who.id));
    const places = placesOf(endpoint);
    for (const place of places.filter(({ name }) => name.startsWith(":"))) ask = this.#withText(ask, place);
    const options = [...places.filter(({ name }) => !name.startsWith(":")), ...optionsOf(endpoint)];
    const count = Math.floor(this.#roll() * 4);
    for (let more = 0; more < count; more++) {
      const option = this.#pick(options);
      ask = "takes" in option ? this.#withText(ask, option) : this.#withOption(ask, option);
    }
    const once = endpoint.method === "POST" && this.#roll() < 0.4;
    return once ? { ...ask, headers: { ...ask.headers, "Idempotency-Key": this.#pick(commonKeys) } } : ask;
  }

  #withText(ask: Ask, place: Place): Ask {
    const rarely = place.name.toLowerCase().includes("tenant") || place.name === "Idempotency-Key";
    const texts = rarely && this.#roll() < 0.8 ? [] : this.#textsAt(ask.endpoint, place);
    return texts.length === 0 ? ask : this.#pick(place.with(ask, this.#pick(texts)));
  }

  #withOption(ask: Ask, { part, name, schema }: Option): Ask {
    const value = this.#pick(samples(schema));
    return value === undefined ? ask : { ...ask, [part]: { ...(ask[part] as object), [name]: value } };
  }

  #textsAt(endpoint: Endpoint, place: Place): readonly string[] {
    if (place.name === "Idempotency-Key") return commonKeys;
    if (place.name === "?cursor") return this.#cursors.get(endpoint.name) ?? [];
    const ids = idsAt(this.#alone, this.#who, endpoint, place);
    if (ids.length > 0 && this.#roll() < 0.9) return ids;
    // A few of the tenant's texts, so that names meet.
    const isNamed = takesIdsOnly(place) || place.name.startsWith(":");
    return this.#words.filter((word) => (isNamed || word.length < 30) && place.takes(word));
  }

  async #credential({ access }: Endpoint): Promise<Credential> {
    const { admin, member, inactiveAdmin } = this.#who;
    const asAdmin = (access === "admin") === this.#roll() < 0.97;
    if (!asAdmin) return { "x-api-key": this.#pick(this.#keys) };
    return bearer(await tokenOf(this.#who, this.#roll() < 0.9 ? admin : this.#pick([member, inactiveAdmin])));
  }

  #pick<T>(from: readonly T[]): T {
    return from[Math.floor(this.#roll() * from.length)] as T;
  }
}

/** What may be added to a request besides texts: options, numbers, truths. */
type Option = { readonly part: "query" | "body"; readonly name: string; readonly schema: Endpoint["query"][string] };

function optionsOf({ query, body }: Endpoint): Option[] {
  const entries = { query, body: body === undefined ? {} : (inner(body).entries ?? {}) };
  return (["query", "body"] as const).flatMap((part) =>
    Object.entries(entries[part]).map(([name, schema]): Option => ({ part, name, schema })),
  );
}

/** The ids of the tenant that make sense at a place: of a path `/tasks/:id` the beginning says it, elsewhere a name. */
export function idsAt({ watched }: SharedFile, { id: tenant }: Neighbour, { path }: Endpoint, place: Place): string[] {
  const [segment = "", second = ""] = path.slice(1).split("/");
  const [word = ""] = place.name.slice(1).split("/");
  const own = segment === "api-key" ? "api_keys" : segment === "admin" ? second.replaceAll("-", "_") : segment;
  const tables = [":id", "?ids"].includes(place.name) ? [own] : [...(tablesOf.get(word.replace("Ids", "Id")) ?? [])];
  return tables.flatMap((table) => watched.rows(table, tenant).map(({ id }) => String(id)));
}

/** Every tenant uses the same ones. */
const commonKeys = Array.from(
  { length: 12 },
  (_, index) => `0198c0de-0000-4000-8000-${String(index).padStart(12, "0")}`,
);
