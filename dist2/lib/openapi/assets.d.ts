/** Files that come along, by name: where each stands in a package that was built and, where it differs, in a checkout. */
declare const places: {
    readonly "openapi.json": readonly ["../docs/openapi.json", "docs/openapi.json"];
    readonly "swagger-ui.css": readonly ["swagger-ui/swagger-ui.css", "node_modules/swagger-ui-dist/swagger-ui.css"];
    readonly "swagger-ui-bundle.js": readonly ["swagger-ui/swagger-ui-bundle.js", "node_modules/swagger-ui-dist/swagger-ui-bundle.js"];
};
export type AssetName = keyof typeof places;
/** What the file contains, read when it is asked for. The binary carries the files inside. */
export declare function readAsset(name: AssetName): Uint8Array<ArrayBuffer>;
export {};
