export { type Console, type ConsoleOptions, createConsole } from "./create-console.ts";
export { type ConsoleAsset, type ConsoleAssets, readConsoleAssets } from "./static-files.ts";
export type { WebAuthn } from "./webauthn.ts";
