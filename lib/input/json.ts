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

function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
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

/** Walks a text that is known to be JSON, with the keys seen at each level. */
function scan(text: string): void {
  const levels: (Set<string> | undefined)[] = [];
  for (let at = 0; at < text.length; at++) {
    const sign = text[at];
    if (sign === "{" || sign === "[") {
      levels.push(sign === "{" ? new Set() : undefined);
      if (levels.length > depthMax) throw new JsonFault(`The body nests objects or lists more than ${depthMax} deep.`);
    } else if (sign === "}" || sign === "]") {
      levels.pop();
    } else if (sign === '"') {
      const end = stringEnd(text, at);
      if (isKey(text, end)) addKey(levels.at(-1), text.slice(at, end));
      at = end - 1;
    }
  }
}

/** The place after the closing quote of the string that begins here. */
function stringEnd(text: string, start: number): number {
  let at = start + 1;
  while (text[at] !== '"') at += text[at] === "\\" ? 2 : 1;
  return at + 1;
}

function isKey(text: string, after: number): boolean {
  let at = after;
  while (text[at] === " " || text[at] === "\n" || text[at] === "\r" || text[at] === "\t") at++;
  return text[at] === ":";
}

function addKey(keys: Set<string> | undefined, quoted: string): void {
  const key = JSON.parse(quoted) as string;
  if (keys?.has(key)) throw new JsonFault(`The body has the key ${quoted.slice(0, 60)} twice in one object.`);
  keys?.add(key);
}
