import { shown } from "./hint.ts";

/** Objects and lists may stand in each other this deep. */
const depthMax = 32;

/** A body that is not what JSON allows or we accept. The message is for the caller. */
export class JsonFault extends Error {
  constructor(message: string) {
    super(message);
    this.name = "JsonFault";
  }
}

/**
 * The object that these bytes are in JSON. Stricter than `JSON.parse`, which keeps the last of two equal keys and,
 * behind a lenient decoder, replaces broken UTF-8.
 * @throws JsonFault
 */
export function parseJsonObject(bytes: Uint8Array): Readonly<Record<string, unknown>> {
  if (bytes.length === 0) throw new JsonFault("The body is empty. Send a JSON object.");
  const text = decode(bytes);
  const value = parse(text);
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new JsonFault("The body must be a JSON object, such as {}.");
  }
  scan(text);
  return value as Readonly<Record<string, unknown>>;
}

/** It keeps nothing from one text to the next, and its making takes as long as a short text. */
const utf8 = new TextDecoder("utf-8", { fatal: true });

function decode(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes);
  } catch {
    throw new JsonFault("The body is not valid UTF-8.");
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new JsonFault("The body is not valid JSON. Look for missing quotes, stray commas and unclosed brackets.");
  }
}

const [quote, backslash, colon] = [0x22, 0x5c, 0x3a];
const [openObject, closeObject, openList, closeList] = [0x7b, 0x7d, 0x5b, 0x5d];

/** Walks a text that is known to be JSON, with the keys seen at each level. By numbers: signs as texts take thrice as long. */
function scan(text: string): void {
  const levels: (Set<string> | undefined)[] = [];
  for (let at = 0; at < text.length; at++) {
    const sign = text.charCodeAt(at);
    if (sign === openObject || sign === openList) {
      levels.push(sign === openObject ? new Set() : undefined);
      if (levels.length > depthMax) throw new JsonFault(`The body nests objects or lists more than ${depthMax} deep.`);
    } else if (sign === closeObject || sign === closeList) {
      levels.pop();
    } else if (sign === quote) {
      const end = stringEnd(text, at);
      if (isKey(text, end)) addKey(levels.at(-1), text.slice(at, end));
      at = end - 1;
    }
  }
}

/** The place after the closing quote of the string that begins here. */
function stringEnd(text: string, start: number): number {
  let at = start + 1;
  for (let sign = text.charCodeAt(at); sign !== quote; sign = text.charCodeAt(at)) at += sign === backslash ? 2 : 1;
  return at + 1;
}

function isKey(text: string, after: number): boolean {
  let at = after;
  while (isSpace(text.charCodeAt(at))) at++;
  return text.charCodeAt(at) === colon;
}

function isSpace(sign: number): boolean {
  return sign === 0x20 || sign === 0x0a || sign === 0x0d || sign === 0x09;
}

function addKey(keys: Set<string> | undefined, quoted: string): void {
  const key = quoted.includes("\\") ? (JSON.parse(quoted) as string) : quoted.slice(1, -1);
  if (keys?.has(key)) throw new JsonFault(`The body has the key ${shown(key)} twice in one object.`);
  keys?.add(key);
}
