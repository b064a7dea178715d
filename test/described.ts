import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { Reader } from "./openapi/reader.ts";
import { requestProblems } from "./openapi/request-problems.ts";
import { type Exchange, responseProblems } from "./openapi/response-problems.ts";

/** The description that answers and requests are compared with, read when it is first needed. */
export function openApiReader(): Reader {
  reader ??= new Reader(JSON.parse(readFileSync(new URL("../docs/openapi.json", import.meta.url), "utf8")));
  return reader;
}
let reader: Reader | undefined;

/** No error takes more bytes than these, whatever is wrong. */
const errorBytesMax = 4_096;

export function assertShort({ status, text }: Pick<Exchange, "status" | "text">): void {
  const bytes = Buffer.byteLength(text);
  assert.ok(status < 400 || bytes <= errorBytesMax, `an error of ${bytes} bytes: ${text.slice(0, 500)}`);
}

/**
 * Fails where an answer, or a request that was accepted, is not one that docs/openapi.json describes, and where an error
 * is too long.
 */
export function assertDescribed(answered: Exchange): void {
  assertShort(answered);
  const problems = [...responseProblems(openApiReader(), answered), ...requestProblems(openApiReader(), answered)];
  const what = `${answered.method} ${answered.url} was answered ${answered.status} ${answered.text.slice(0, 500)}`;
  assert.deepEqual(problems, [], `${what}\nbut docs/openapi.json says otherwise: ${problems.join("; ")}`);
}

/** `fetch`, whose answers must be described. */
export async function describedFetch(url: string | URL, init: RequestInit = {}): Promise<Response> {
  const sent = typeof init.body === "string" ? parsed(init.body) : undefined;
  return described({ method: init.method ?? "GET", url: String(url), sent }, await fetch(url, init));
}

/** The same answer, once it was compared with the description. */
export async function described(
  request: Pick<Exchange, "method" | "url" | "sent">,
  response: Response,
): Promise<Response> {
  const { status, headers } = response;
  assertDescribed({ ...request, status, headers, text: await response.clone().text() });
  return response;
}

/** What was sent, where it is JSON. */
export function parsed(sent: string | Uint8Array): unknown {
  try {
    return JSON.parse(typeof sent === "string" ? sent : new TextDecoder().decode(sent));
  } catch {
    return undefined;
  }
}
