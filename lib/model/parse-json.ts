import { quote } from "./suggest.ts";
import { pointer } from "./validate.ts";

/** Objects and lists may stand in each other this deep. */
const depthMax = 32;

/** How much a JSON text may hold: keys of one object or entries of one list, and keys and entries in all. */
export type JsonLimits = { readonly maxMembers: number; readonly maxTotalMembers: number };

const requestLimits: JsonLimits = { maxMembers: 1_000, maxTotalMembers: 10_000 };

/** A body that is not what JSON allows or we accept. The message is for the caller. */
export class JsonParseError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "JsonParseError";
  }
}

/**
 * Parses the bytes of a JSON object. Stricter than `JSON.parse`, which keeps the last of two equal keys and, behind a
 * lenient decoder, replaces broken UTF-8. The limits are checked before any value is built, so that a body that
 * exceeds them costs one pass over its text.
 * @throws JsonParseError
 */
export function parseJsonObject(bytes: Uint8Array, limits = requestLimits): Readonly<Record<string, unknown>> {
  if (bytes.length === 0) throw new JsonParseError("The body is empty. Send a JSON object.");
  const text = decode(bytes);
  const duplicate = scan(text, limits);
  const value = parse(text);
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new JsonParseError("The body must be a JSON object, such as {}.");
  }
  if (duplicate !== undefined)
    throw new JsonParseError(`The body has the key ${quote(duplicate)} twice in one object.`);
  return value as Readonly<Record<string, unknown>>;
}

/** It keeps nothing from one text to the next, and its making takes as long as a short text. */
const utf8 = new TextDecoder("utf-8", { fatal: true });

function decode(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes);
  } catch {
    throw new JsonParseError("The body is not valid UTF-8.");
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new JsonParseError(
      "The body is not valid JSON. Look for missing quotes, stray commas and unclosed brackets.",
    );
  }
}

const [doubleQuote, backslash, colon, comma] = [0x22, 0x5c, 0x3a, 0x2c];
const [openObject, closeObject, openList, closeList] = [0x7b, 0x7d, 0x5b, 0x5d];

/** An open object or list: `keys` is absent for a list, `count` is the number of keys or entries so far. */
type Level = { readonly keys: Set<string> | undefined; count: number; lastKey: string };
type Scan = { readonly levels: Level[]; readonly limits: JsonLimits; total: number };

/**
 * Walks a text that may not be JSON and returns the first key that an object has twice. By numbers: signs as texts take
 * thrice as long.
 * @throws JsonParseError if the text exceeds a limit
 */
function scan(text: string, limits: JsonLimits): string | undefined {
  const state: Scan = { levels: [], limits, total: 0 };
  const { levels } = state;
  let level: Level | undefined;
  let duplicate: string | undefined;
  for (let at = nextSign(text, 0); at < text.length; at = nextSign(text, at + 1)) {
    const sign = text.charCodeAt(at);
    if (sign === doubleQuote) {
      const end = stringEnd(text, at);
      if (level?.keys !== undefined && text.charCodeAt(skipSpace(text, end)) === colon) {
        const key = keyOf(text.slice(at, end));
        if (level.keys.has(key)) duplicate ??= key;
        level.keys.add(key);
        level.lastKey = key;
        countMember(state, level);
      }
      at = end - 1;
    } else if (sign === comma) {
      if (level !== undefined && level.keys === undefined) countMember(state, level);
    } else if (sign === openObject || sign === openList) {
      level = { keys: sign === openObject ? new Set<string>() : undefined, count: 0, lastKey: "" };
      if (levels.push(level) > depthMax) {
        throw new JsonParseError(`The body nests objects or lists more than ${depthMax} deep.`);
      }
      if (sign === openList && text.charCodeAt(skipSpace(text, at + 1)) !== closeList) countMember(state, level);
    } else {
      levels.pop();
      level = levels.at(-1);
    }
  }
  return duplicate;
}

/** The next quote, comma or bracket, or the end of the text. A loop of its own stays compiled whatever the bodies are. */
function nextSign(text: string, start: number): number {
  for (let at = start; at < text.length; at++) {
    const sign = text.charCodeAt(at);
    if (sign === doubleQuote || sign === comma || sign === openObject || sign === closeObject) return at;
    if (sign === openList || sign === closeList) return at;
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
    throw new JsonParseError(`The body has more than ${grouped(limits.maxTotalMembers)} keys and list entries.`);
  }
}

function tooManyMembers(levels: readonly Level[], max: number): JsonParseError {
  const what = levels.at(-1)?.keys === undefined ? "entries" : "keys";
  const path = levels.slice(0, -1).map(({ keys, count, lastKey }) => (keys === undefined ? count - 1 : lastKey));
  const place = path.length === 0 ? "" : ` at ${quote(pointer(path))}`;
  return new JsonParseError(`The body has more than ${grouped(max)} ${what}${place}.`);
}

function grouped(count: number): string {
  return count.toLocaleString("en");
}

/** The place after the closing quote of the string that begins here, or the end of the text. */
function stringEnd(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    const sign = text.charCodeAt(at);
    if (sign === doubleQuote) return at + 1;
    if (sign === backslash) at++;
  }
  return text.length;
}

function skipSpace(text: string, start: number): number {
  let at = start;
  while (isSpace(text.charCodeAt(at))) at++;
  return at;
}

function isSpace(sign: number): boolean {
  return sign === 0x20 || sign === 0x0a || sign === 0x0d || sign === 0x09;
}

/** The key as its value reads it. A malformed one is returned as it is, because the text isn't JSON then. */
function keyOf(quoted: string): string {
  if (!quoted.includes("\\")) return quoted.slice(1, -1);
  try {
    return JSON.parse(quoted) as string;
  } catch {
    return quoted;
  }
}
