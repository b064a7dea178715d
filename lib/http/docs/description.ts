import type { JsonSchema } from "../../model/json-schema.ts";
import { basePath, rootPath } from "../paths.ts";
import { readAsset } from "./assets.ts";

type Content = { readonly "application/json": { readonly example?: unknown } };
type Body = { readonly content?: Content };

/** An operation of the description, with the parts that depend on the tenant. */
export type Operation = {
  readonly requestBody?: Body;
  readonly responses?: Readonly<Record<string, Body>>;
};

/** The OpenAPI 3.1 description, with the parts that depend on the tenant. */
export type Description = {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, JsonSchema>> };
};

let parsed: Description | undefined;

/** Returns the OpenAPI 3.1 description as JSON. */
export function openApiJson(): string {
  return JSON.stringify(readDescription());
}

/** Returns the description. It is the same object each time. */
export function readDescription(): Description {
  parsed ??= JSON.parse(new TextDecoder().decode(readAsset("openapi.json"))) as Description;
  return parsed;
}

/** Returns the JSON of a description with server URLs relative to its own URL, so that they are valid behind any gateway. */
export function toRelativeJson(description: Description): string {
  return JSON.stringify(description)
    .replaceAll(`{"url":"${basePath}"`, '{"url":"."')
    .replaceAll(`{"url":"${rootPath}"`, '{"url":".."');
}

/** The JSON of a description in UTF-8, split after `{"url":"` of each server. Each part but the first starts with a relative URL. */
export type JsonParts = readonly Uint8Array[];

/** Splits JSON from `toRelativeJson` at its server URLs. */
export function toJsonParts(json: string): JsonParts {
  return json.split(/(?<=\{"url":")(?=\.\.?")/).map((part) => Buffer.from(part));
}

/** Returns the JSON of a description with server URLs under a prefix. */
export function joinWithPrefix(
  [start = new Uint8Array(), ...others]: JsonParts,
  prefix: string,
): Uint8Array<ArrayBuffer> {
  const [base, root] = [Buffer.from(prefix + basePath), Buffer.from(prefix + rootPath)];
  const isRoot = (part: Uint8Array): boolean => part[1] === ".".charCodeAt(0);
  const joined = others.flatMap((part) => (isRoot(part) ? [root, part.subarray(2)] : [base, part.subarray(1)]));
  return Buffer.concat([start, ...joined]);
}
