import { readAsset } from "./assets.ts";

/** What the paths of the description are relative to where nothing stands before them. */
const root = '{"url":"/integrations';

let parts: readonly string[] | undefined;

/**
 * The description of the API in OpenAPI 3.1, as JSON. Its servers are relative to the one that it comes from, with
 * this path before `/integrations`.
 */
export function openApiJson(prefix = ""): string {
  parts ??= JSON.stringify(JSON.parse(new TextDecoder().decode(readAsset("openapi.json")))).split(root);
  // One slash at the front: two would make a host of what follows, and clients send their keys there.
  const path = `${prefix}/integrations`.replace(/^[/\\]+/, "/");
  return parts.join(`{"url":${JSON.stringify(path).slice(0, -1)}`);
}
