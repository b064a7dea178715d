import { mayRoundNumber, toExactNumber } from "./exact-number.ts";
import { quote } from "./suggest.ts";
import { jsonPointer } from "./validate.ts";

/** Maximum nesting of objects and lists. */
const maxDepth = 32;

/** Limits of a JSON text: the members of one object or list, and all members. A member is a key or a list entry. */
export type JsonLimits = { readonly maxMembers: number; readonly maxTotalMembers: number };

const requestLimits: JsonLimits = { maxMembers: 1_000, maxTotalMembers: 10_000 };

/** Text that is invalid JSON or exceeds a limit. The message is meant for the caller. */
export class JsonParseError extends Error {
  /** The message without its subject, such as "is empty". */
  readonly problem: string;
  /** The key that an object has twice, or where the text stops being JSON. */
  readonly details: { readonly key?: string; readonly line?: number; readonly column?: number };

  constructor(problem: string, details: JsonParseError["details"] = {}) {
    super(`The body ${problem}`);
    this.name = "JsonParseError";
    this.problem = problem;
    this.details = details;
  }
}

/**
 * Parses the bytes of a JSON object. Stricter than `JSON.parse`, which keeps the last of two equal keys and, behind a
 * lenient decoder, replaces broken UTF-8. The limits are checked before any value is built, so that a body that
 * exceeds them costs one pass over its text.
 * @throws JsonParseError
 */
export function parseJsonObject(bytes: Uint8Array, limits = requestLimits): Readonly<Record<string, unknown>> {
  if (bytes.length === 0) throw new JsonParseError("is empty. Send a JSON object.");
  const text = decode(bytes);
  const duplicate = scan(text, limits);
  const value = parse(text);
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new JsonParseError("must be a JSON object, such as {}.");
  }
  if (duplicate !== undefined)
    throw new JsonParseError(`has the key ${quote(duplicate)} twice in one object.`, { key: duplicate });
  return value as Readonly<Record<string, unknown>>;
}

/** Shared, because creating a decoder takes as long as decoding a short text. */
const utf8 = new TextDecoder("utf-8", { fatal: true });

function decode(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes);
  } catch {
    throw new JsonParseError("isn't valid UTF-8.");
  }
}

function parse(text: string): unknown {
  try {
    return mayRoundNumber.test(text) ? JSON.parse(text, rejectRounded) : JSON.parse(text);
  } catch {
    const location = locationOf(text);
    const place = location === undefined ? "" : ` at line ${location.line}, column ${location.column}`;
    const problem = `isn't valid JSON${place}. Look for missing quotes, stray commas and unclosed brackets.`;
    throw new JsonParseError(problem, location);
  }
}

/** Longer texts get no position, because finding it parses the text several times. */
const maxLocatedLength = 64 * 1024;

/** Returns where a text stops being JSON, counted from 1. Undefined if the text is too long. */
function locationOf(text: string): { readonly line: number; readonly column: number } | undefined {
  if (text.length > maxLocatedLength) return undefined;
  let [start, end] = [0, text.length];
  while (start < end) {
    const middle = Math.ceil((start + end) / 2);
    if (isStartOfJson(text.slice(0, middle))) start = middle;
    else end = middle - 1;
  }
  const lines = text.slice(0, start).split("\n");
  return { line: lines.length, column: (lines.at(-1)?.length ?? 0) + 1 };
}

/** Returns whether more text can make this text JSON: JSON.parse finds no error before its end. */
function isStartOfJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch (error) {
    const message = String(error);
    return /end of JSON/.test(message) || message.includes(`at position ${text.length} `);
  }
}

/** Replaces a number that a double can't hold exactly by Infinity, which no field accepts. */
function rejectRounded(_: string, value: unknown, { source }: { readonly source?: string } = {}): unknown {
  return typeof value === "number" && source !== undefined ? toExactNumber(source) : value;
}

const [doubleQuote, backslash, colon, comma] = [0x22, 0x5c, 0x3a, 0x2c];
const [openObject, closeObject, openList, closeList] = [0x7b, 0x7d, 0x5b, 0x5d];

/** An open object or list: `keys` is absent for a list, `count` is the number of keys or entries so far. */
type Level = { readonly keys: Set<string> | undefined; count: number; lastKey: string };
type Scan = { readonly levels: Level[]; readonly limits: JsonLimits; total: number };

/**
 * Scans a text, which may be invalid JSON, and returns the first key that an object has twice. Compares character
 * codes, because comparing characters takes three times as long.
 * @throws JsonParseError if the text exceeds a limit
 */
function scan(text: string, limits: JsonLimits): string | undefined {
  const state: Scan = { levels: [], limits, total: 0 };
  const { levels } = state;
  let level: Level | undefined;
  let duplicate: string | undefined;
  for (let at = nextToken(text, 0); at < text.length; at = nextToken(text, at + 1)) {
    const code = text.charCodeAt(at);
    if (code === doubleQuote) {
      const end = stringEnd(text, at);
      if (level?.keys !== undefined && text.charCodeAt(skipSpace(text, end)) === colon) {
        const key = keyOf(text.slice(at, end));
        if (level.keys.has(key)) duplicate ??= key;
        level.keys.add(key);
        level.lastKey = key;
        countMember(state, level);
      }
      at = end - 1;
    } else if (code === comma) {
      if (level !== undefined && level.keys === undefined) countMember(state, level);
    } else if (code === openObject || code === openList) {
      level = { keys: code === openObject ? new Set<string>() : undefined, count: 0, lastKey: "" };
      if (levels.push(level) > maxDepth) {
        throw new JsonParseError(`nests objects or lists more than ${maxDepth} deep.`);
      }
      if (code === openList && text.charCodeAt(skipSpace(text, at + 1)) !== closeList) countMember(state, level);
    } else {
      levels.pop();
      level = levels.at(-1);
    }
  }
  return duplicate;
}

/** Returns the index of the next quote, comma or bracket, or the end of the text. */
function nextToken(text: string, start: number): number {
  for (let at = start; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === doubleQuote || code === comma || code === openObject || code === closeObject) return at;
    if (code === openList || code === closeList) return at;
  }
  return text.length;
}

/** @throws JsonParseError if the object or list, or the whole text, has more members than a limit allows */
function countMember(state: Scan, level: Level): void {
  const { levels, limits } = state;
  level.count++;
  state.total++;
  if (level.count > limits.maxMembers) throw tooManyMembers(levels, limits.maxMembers);
  if (state.total > limits.maxTotalMembers) {
    throw new JsonParseError(`has more than ${formatCount(limits.maxTotalMembers)} keys and list entries.`);
  }
}

function tooManyMembers(levels: readonly Level[], max: number): JsonParseError {
  const noun = levels.at(-1)?.keys === undefined ? "entries" : "keys";
  const path = levels.slice(0, -1).map(({ keys, count, lastKey }) => (keys === undefined ? count - 1 : lastKey));
  const location = path.length === 0 ? "" : ` at ${quote(jsonPointer(path))}`;
  return new JsonParseError(`has more than ${formatCount(max)} ${noun}${location}.`);
}

function formatCount(count: number): string {
  return count.toLocaleString("en");
}

/** Returns the index after the closing quote of the string that starts here, or the end of the text. */
function stringEnd(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === doubleQuote) return at + 1;
    if (code === backslash) at++;
  }
  return text.length;
}

function skipSpace(text: string, start: number): number {
  let at = start;
  while (isSpace(text.charCodeAt(at))) at++;
  return at;
}

function isSpace(code: number): boolean {
  return code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;
}

/** Returns the key of a quoted string. A malformed string is returned unchanged, because the text isn't JSON then. */
function keyOf(quoted: string): string {
  if (!quoted.includes("\\")) return quoted.slice(1, -1);
  try {
    return JSON.parse(quoted) as string;
  } catch {
    return quoted;
  }
}
