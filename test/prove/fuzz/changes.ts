import fc from "fast-check";
import { junk } from "./values.ts";

/** One change that makes a body invalid, at one value. */
type Change = {
  readonly at: number;
  readonly how: "put" | "drop" | "add" | "wrap" | "twice" | "flood";
  readonly key: string;
  readonly value: unknown;
};

const unusualKeys = [
  "__proto__",
  "constructor",
  "toString",
  "",
  "tenantId",
  "id",
  "titel",
  "custom_fields",
  "archivedAt",
  "k".repeat(300),
  "\ud800",
  "a/b~c",
];
const change: fc.Arbitrary<Change> = fc.record({
  at: fc.nat(50),
  how: fc.constantFrom("put", "put", "put", "drop", "add", "wrap", "twice", "flood"),
  key: fc.oneof(fc.constantFrom(...unusualKeys), fc.string({ unit: "grapheme", maxLength: 8 })),
  value: junk,
});
/** No changes for more than half of the requests. */
export const changes = fc.oneof(
  { weight: 3, arbitrary: fc.constant([]) },
  { weight: 2, arbitrary: fc.array(change, { minLength: 1, maxLength: 4 }) },
);

type Member = { readonly holder: Record<string, unknown> | unknown[]; readonly key: string };

function membersOf(value: unknown): Member[] {
  if (typeof value !== "object" || value === null) return [];
  const holder = value as Record<string, unknown>;
  return Object.keys(holder).flatMap((key) => [{ holder, key }, ...membersOf(holder[key])]);
}

/** Returns the JSON of a body after these changes. */
export function changedJson(body: unknown, all: readonly Change[]): string {
  const whole: { body: unknown } = { body: structuredClone(body) };
  let twice = false;
  for (const { at, how, key, value: shared } of all) {
    const value = structuredClone(shared);
    const members = membersOf(whole);
    const { holder, key: name } = members[at % members.length] ?? {
      holder: whole as Record<string, unknown>,
      key: "body",
    };
    const there = (holder as Record<string, unknown>)[name];
    if (how === "put") set(holder, name, value);
    else if (how === "drop") Reflect.deleteProperty(holder, name);
    else if (how === "wrap") set(holder, name, [there]);
    else if (how === "twice") twice = true;
    else if (typeof there === "object" && there !== null) {
      const keys = how === "add" ? [key] : Array.from({ length: 60 }, (_, n) => `${key}${n}${"\u0001é".repeat(60)}`);
      for (const each of keys) set(there, each, value);
    }
  }
  const json = JSON.stringify(whole.body) ?? "";
  const written = json.replace(/"#([^"]*)#"/g, "$1");
  return twice ? written.replace(/^\{("[^"]*":)/, "{$1null,$1") : written;
}

/** Sets a member as JSON.parse does: `__proto__` is a member like any other, and a list has only elements. */
function set(holder: object, key: string, value: unknown): void {
  const name = Array.isArray(holder) && !Object.keys(holder).includes(key) ? holder.length : key;
  Object.defineProperty(holder, name, { value, enumerable: true, configurable: true, writable: true });
}

/** Rare changes of the text of a body. */
export const brokenText = fc.tuple(
  fc.constantFrom("cut", "flip", "after", "before"),
  fc.nat(200),
  fc.constantFrom("}", ",", "\0", "\ufeff", "//", "NaN"),
);
export function broken(json: string, [how, at, what]: readonly [string, number, string]): string {
  const position = json.length === 0 ? 0 : at % json.length;
  if (how === "cut") return json.slice(0, position);
  if (how === "after") return json + what;
  if (how === "before") return what + json;
  return (
    json.slice(0, position) +
    String.fromCharCode((json.charCodeAt(position) || 32) ^ (1 << (at % 7))) +
    json.slice(position + 1)
  );
}
