import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { parseJsonObject } from "../../lib/model/parse-json.ts";
import { Reader } from "../openapi/reader.ts";
import { requestProblems } from "../openapi/request-problems.ts";
import { type Exchange, responseProblems } from "../openapi/response-problems.ts";

/** Returns a reader of docs/openapi.json. Loads the file on first use. */
export function openApiReader(): Reader {
  reader ??= new Reader(JSON.parse(readFileSync(new URL("../../docs/openapi.json", import.meta.url), "utf8")));
  return reader;
}
let reader: Reader | undefined;

/** Maximum size of an error response. */
const maxErrorBytes = 65_536;

/** Asserts that an error response isn't longer than `maxErrorBytes`. */
export function assertShort({ status, text }: Pick<Exchange, "status" | "text">): void {
  const bytes = Buffer.byteLength(text);
  assert.ok(status < 400 || bytes <= maxErrorBytes, `an error of ${bytes} bytes: ${text.slice(0, 500)}`);
}

/** Asserts that a request and its response match docs/openapi.json, and that an error isn't too long. */
export function assertDescribed(exchange: Exchange): void {
  assertShort(exchange);
  const problems = [...responseProblems(openApiReader(), exchange), ...requestProblems(openApiReader(), exchange)];
  const what = `${exchange.method} ${exchange.url} returned ${exchange.status} ${exchange.text.slice(0, 500)}`;
  assert.deepEqual(problems, [], `${what}\nwhich doesn't match docs/openapi.json: ${problems.join("; ")}`);
}

/** Calls `fetch`, and asserts that the exchange matches the description. */
export async function describedFetch(url: string | URL, init: RequestInit = {}): Promise<Response> {
  const sent = typeof init.body === "string" ? parsed(init.body) : undefined;
  return described({ method: init.method ?? "GET", url: String(url), sent }, await fetch(url, init));
}

/** Returns the response after comparing it with the description. */
export async function described(
  request: Pick<Exchange, "method" | "url" | "sent">,
  response: Response,
): Promise<Response> {
  const { status, headers } = response;
  assertDescribed({ ...request, status, headers, text: await response.clone().text() });
  return response;
}

/** Parses a request body. Returns undefined if it isn't JSON. A number that a double can't hold is Infinity. */
export function parsed(sent: string | Uint8Array): unknown {
  try {
    const bytes = Buffer.from(sent as string);
    const value: unknown = JSON.parse(new TextDecoder().decode(bytes));
    // Other values, and objects over the limits of a request, are parsed without the check of numbers.
    const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
    return isObject ? (parseObject(bytes) ?? value) : value;
  } catch {
    return undefined;
  }
}

function parseObject(bytes: Uint8Array): unknown {
  try {
    return parseJsonObject(bytes);
  } catch {
    return undefined;
  }
}
