/** Returns the OpenAPI 3.1 description as JSON. */
export declare function openApiJson(): string;
/** Returns the description as the API serves it: the server URLs are relative to its own URL, so they are valid behind any gateway. */
export declare function openApiBytes(): Uint8Array<ArrayBuffer>;
