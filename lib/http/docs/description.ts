import { readAsset } from "./assets.ts";

let bytes: Uint8Array<ArrayBuffer> | undefined;

/** Returns the OpenAPI 3.1 description as JSON. */
export function openApiJson(): string {
  return JSON.stringify(JSON.parse(new TextDecoder().decode(readAsset("openapi.json"))));
}

/** Returns the description as the API serves it: the server URLs are relative to its own URL, so they are valid behind any gateway. */
export function openApiBytes(): Uint8Array<ArrayBuffer> {
  const relative = (text: string) =>
    text.replaceAll('{"url":"/integrations/v1"', '{"url":"."').replaceAll('{"url":"/integrations"', '{"url":".."');
  bytes ??= new TextEncoder().encode(relative(openApiJson()));
  return bytes;
}
