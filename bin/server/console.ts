import { randomBytes } from "node:crypto";
import { resolve } from "node:path";
import type { Api, Storage } from "#lib";
import { type Console, createConsole, readConsoleAssets } from "#lib/console";
import type { FetchHandler } from "#lib/node";
import type { LoadedTenant } from "#lib/tenant-file";
import { UsageError } from "../cli/errors.ts";
import { enumSetting, type SettingValues, stringSetting } from "../cli/setting.ts";
import type { OpenDatabase } from "../database/open-database.ts";
import { findAdmin } from "../tenants/admin.ts";
import { adminSecretAuth, type adminSettings } from "./admin-auth.ts";

/** Setting of every command that prints a sign-in link. */
export const consoleOriginSetting = {
  consoleOrigin: stringSetting(
    "ORIGIN",
    "origin of the console in the browser, such as https://crm.example.com (default: that of the request; in links, that of --listen)",
  ),
} as const;

export const consoleSettings = {
  console: enumSetting(["on", "off"], "whether to serve the console for admins at /console/", "on"),
  ...consoleOriginSetting,
} as const;

type ConsoleValues = SettingValues<typeof consoleSettings>;
type Secrets = SettingValues<typeof adminSettings>;

/** The console of a server. The API behind it can be replaced. */
export type ServedConsole = FetchHandler & Pick<Console, "createSignInLink">;

/**
 * Returns the secret of sign-in links and sessions, which isn't in the database. Undefined for PostgreSQL without
 * `--admin-secret`.
 */
export function consoleSecret(values: Secrets, folder: string | undefined): Uint8Array | undefined {
  return adminSecretAuth(values, folder)?.secret;
}

/** Returns the console, or undefined if it is off. */
export function openConsole(
  values: ConsoleValues & Secrets,
  { currentApi, folder, name }: Pick<OpenDatabase, "folder" | "name"> & { currentApi(): Api },
): ServedConsole | undefined {
  if (values.console === "off") return undefined;
  const { consoleOrigin: origin } = values;
  // The secret of a test database is always the same.
  const secret = name === undefined ? randomBytes(32) : consoleSecret(values, folder);
  const signInCommand = (target: string): string | undefined =>
    name === undefined ? undefined : linkCommand(folder, values.adminSecret !== undefined, target);
  let latest: { readonly api: Api; readonly console: Console } | undefined;
  const current = (): Console => {
    const api = currentApi();
    if (latest?.api !== api) latest = { api, console: createConsole({ api, origin, secret, signInCommand, webauthn }) };
    return latest.console;
  };
  return {
    fetch: (request, env) => current().fetch(request, env),
    createSignInLink: (user, linkOrigin) => current().createSignInLink(user, linkOrigin),
  };
}

/**
 * Imports the library of passkeys on first use. Undefined if this optional package isn't installed. The binary contains
 * it.
 */
const webauthn = hasWebAuthn() ? () => import("@simplewebauthn/server") : undefined;

function hasWebAuthn(): boolean {
  try {
    // The binary has no import.meta.resolve.
    import.meta.resolve?.("@simplewebauthn/server");
    return true;
  } catch {
    return false;
  }
}

/** Origin of the links that the command `console` prints without options. */
const defaultOrigin = "http://127.0.0.1:8080";

/**
 * Returns the command that prints a sign-in link of this server. Anyone can read it, so it has no secret and no address
 * of PostgreSQL.
 */
function linkCommand(folder: string | undefined, hasSecret: boolean, origin: string): string {
  const args = [
    ...(folder === undefined ? ["--database", "URL"] : ["--data", resolve(folder)]),
    ...(hasSecret ? ["--admin-secret", "SECRET"] : []),
    ...(origin === defaultOrigin ? [] : ["--console-origin", origin]),
  ];
  return `crm-integrations console ${args.map(quoteForShell).join(" ")}`;
}

function quoteForShell(text: string): string {
  return /^[\w@%:.,/=+-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

/** Serves `/console` before any other path, because CORS doesn't apply to it. */
export function withConsole(handler: FetchHandler, console: ServedConsole | undefined): FetchHandler {
  if (console === undefined) return handler;
  return {
    fetch: (request, env) => (isConsolePath(request.url) ? console : handler).fetch(request, env),
  };
}

function isConsolePath(url: string): boolean {
  const start = url.indexOf("/", url.indexOf("://") + 3);
  return url.startsWith("/console", start) && /^(?:[/?#]|$)/.test(url.slice(start + "/console".length));
}

/**
 * Returns a sign-in link for the first admin of the tenant that this start created. Undefined if there is none, or no
 * console.
 */
export async function firstSignInLink(
  console: ServedConsole | undefined,
  tenants: readonly LoadedTenant[],
  storage: Storage,
  origin: string,
): Promise<string | undefined> {
  const tenant = tenants.find(({ created }) => created);
  if (console === undefined || tenant === undefined || readConsoleAssets().size === 0) return undefined;
  const user = await findAdmin(storage, tenant.tenantId);
  return user && console.createSignInLink(user, origin);
}

/** Returns the origin in sign-in links: the setting, or the address that the server listens on. */
export function linkOrigin(consoleOrigin: string | undefined, listenUrl: string): string {
  return consoleOrigin ?? localUrl(listenUrl);
}

/** Returns a URL that programs on this machine can open, also if the server listens on all addresses. */
export function localUrl(listenUrl: string): string {
  return listenUrl.replace(/\/\/(?:0\.0\.0\.0|\[::\])(?=:|$)/, "//localhost");
}

/** @throws UsageError if the setting isn't an origin */
export function assertConsoleOrigin(text: string | undefined): void {
  if (text === undefined || (/^https?:/.test(text) && URL.parse(text)?.origin === text)) return;
  throw new UsageError(`--console-origin must be an origin, such as https://crm.example.com, not "${text}".`);
}
