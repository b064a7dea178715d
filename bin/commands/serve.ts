import { type Api, createApi, crmApp, systemClock } from "#lib";
import type { FetchHandler } from "#lib/node";
import type { LoadedTenant } from "#lib/tenant-file";
import { FixtureApi, fixtureHeaders, readTenantFiles, TestClock } from "#lib/testing";
import { command } from "../cli/command.ts";
import { UsageError } from "../cli/errors.ts";
import { tryPrint } from "../cli/output-errors.ts";
import {
  booleanSetting,
  enumSetting,
  integerSetting,
  isLoopback,
  listSetting,
  parseAddress,
  type SettingValues,
  stringSetting,
} from "../cli/setting.ts";
import { databaseSettings, type OpenDatabase, openDatabase, openMemory } from "../database/database.ts";
import { defaultConnections } from "../database/postgres-database.ts";
import { adminAuthFrom, adminSettings } from "../server/admin-auth.ts";
import { assertBackupDir, backupSettings, scheduleBackups } from "../server/backup-schedule.ts";
import { banner, readyMessage } from "../server/banner.ts";
import { assertConsoleOrigin, consoleSettings, firstSignInLink, linkOrigin, openConsole } from "../server/console.ts";
import {
  assertFirstTenant,
  createFirstTenant,
  findNotices,
  firstTenantSettings,
  loadFixtures,
  type Notices,
} from "../server/initial-data.ts";
import { createObserver, type Observer, observerSettings } from "../server/observer.ts";
import { openRateLimiters, rateLimiterSettings } from "../server/rate-limiters.ts";
import { System } from "../server/system.ts";

export const serveSettings = {
  ...databaseSettings,
  databaseConnections: integerSetting("N", "size of the connection pool of PostgreSQL", {
    min: 2,
    max: 1000,
    preset: defaultConnections,
  }),
  search: enumSetting(
    ["unchanged", "on", "off"],
    "index for GET /search; off removes it, on builds it from all records",
    "unchanged",
  ),
  cacheMb: integerSetting(
    "N",
    "MiB of memory for pages of the SQLite database; fewer save memory, more speed up reads",
    {
      min: 1,
      max: 1_000_000,
      preset: 64,
    },
  ),
  listen: stringSetting("HOST:PORT", "address to listen on; port 0 selects a free port", { default: "127.0.0.1:8080" }),
  fixtures: listSetting(
    "FILE",
    'tenant files to load ("demo" is included); without --data or --database, the database is in memory',
  ),
  ...firstTenantSettings,
  intoExisting: booleanSetting("allow --fixtures to load into a database with other tenants"),
  json: booleanSetting("print JSON as the first line on stdout: url, baseUrl, keys, pid, signInLink"),
  ...rateLimiterSettings,
  corsOrigin: listSetting("ORIGIN", "origins of browser apps that can call the API, such as https://app.example.com"),
  compress: booleanSetting("compress responses over 1 KiB for clients that accept gzip"),
  maxInFlight: integerSetting("N", "concurrent requests; more are rejected with 503", {
    min: 1,
    max: 100_000,
    preset: 2000,
  }),
  drainSeconds: integerSetting("N", "seconds to wait for open requests at shutdown", {
    min: 0,
    max: 3600,
    preset: 10,
  }),
  ...observerSettings,
  ...adminSettings,
  adminJwksUrl: stringSetting("URL", "URL of the public keys that verify admin tokens, instead of a secret"),
  ...consoleSettings,
  ...backupSettings,
} as const;

export type ServeValues = SettingValues<typeof serveSettings>;

const basePath = "/integrations/v1";

export const serveCommand = command({
  name: "serve",
  summary: "Run the server until SIGTERM or Ctrl-C",
  details: "Each FILE is added to --fixtures.",
  operands: "[FILE...]",
  settings: serveSettings,
  examples: [
    "crm-integrations serve --fixtures demo",
    "crm-integrations serve --data /var/lib/crm --listen 127.0.0.1:8080",
  ],
  run: async (values, operands) => {
    if (operands.length > 0 && values.fixtures.length === 0)
      throw new UsageError(
        `Unexpected argument '${operands[0]}'. To load a tenant file, use --fixtures ${operands[0]}.`,
      );
    await run({ ...values, fixtures: [...values.fixtures, ...operands] });
  },
});

/** Opens the database and listens. The first SIGTERM or SIGINT stops the server. */
async function run(values: ServeValues): Promise<void> {
  const { host, port } = parseAddress(values.listen, "--listen");
  if (isInMemory(values) && values.search !== "unchanged")
    throw new UsageError("--search requires a stored database. Set --data or --database.");
  assertBackupDir(values);
  assertConsoleOrigin(values.consoleOrigin);
  await assertFirstTenant(values);
  const system = new System();
  const observer = await createObserver(values, system.onRequest);
  // The test API supports neither CORS nor compression nor Redis.
  const isPlain = values.limiter === undefined && values.corsOrigin.length === 0 && !values.compress;
  const isForTests = isInMemory(values) && isLoopback(host) && isPlain;
  const opened = isForTests ? await openFixtures(values, observer, system) : await open(values, observer, system);
  const { app, close, loaded, headers, folder, afterListening, currentApi, ...database } = opened;
  const console = openConsole(values, opened);
  const backups = scheduleBackups(values, folder, (err) => observer.hooks.logger.error({ err }, "backup failed"));
  system.watch({
    storage: () => currentApi().runtime.storage,
    file: folder === undefined ? undefined : database.database,
    observer,
    backups: backups.schedule,
  });
  const server = await observer.serve(app, console, { host, port, drainMs: values.drainSeconds * 1000, headers });
  backups.start();
  // If the port is taken, no tenant is created, so its API key isn't lost.
  const starting = afterListening();
  const stop = async (): Promise<void> => {
    await Promise.allSettled([starting]);
    await Promise.all([server.close(), backups.stop()]);
    await close();
    await observer.close();
    process.exit(0);
  };
  for (const signal of ["SIGTERM", "SIGINT"] as const) process.once(signal, () => void stop());
  const { first, notices } = await starting;
  for (const message of notices?.warnings ?? []) observer.warn(message);
  const tenants = first === undefined ? loaded : [...loaded, first];
  const origin = linkOrigin(values.consoleOrigin, server.url);
  const signInLink = await firstSignInLink(console, tenants, currentApi().runtime.storage, origin);
  const info = { url: server.url, baseUrl: server.url + basePath, signInLink, ...database };
  const errorCode = await tryPrint(
    values.json
      ? readyMessage(info, tenants)
      : banner(info, tenants, first && { ...first, adminEmail: values.adminEmail }, notices),
  );
  // The server works without its startup text.
  if (errorCode !== undefined)
    observer.hooks.logger.error(
      { code: errorCode },
      "cannot write to stdout; if an API key was printed, create a new one with `key create`",
    );
}

/** The API of an open database, and the tenants of `--fixtures`. */
type Opened = {
  readonly app: FetchHandler;
  close(): Promise<void>;
  readonly loaded: readonly LoadedTenant[];
  /** Creates the first tenant if there is none. Returns it with the notices for the operator. */
  afterListening(): Promise<{ readonly first?: LoadedTenant | undefined; readonly notices?: Notices }>;
  /** Returns the API. A reset of the test API replaces it. */
  currentApi(): Api;
  /** Headers of every response. */
  readonly headers: Readonly<Record<string, string>>;
  /** File or address for messages. Undefined if in memory. */
  readonly database: string | undefined;
  /** The data folder. Undefined if in memory or in PostgreSQL. */
  readonly folder: string | undefined;
  readonly isNew: boolean;
};

async function open(values: ServeValues, observer: Observer, system: System): Promise<Opened> {
  const { data, database, databaseConnections: connections, cacheMb, maxInFlight } = values;
  const files = values.fixtures.flatMap(readTenantFiles);
  const search = values.search === "unchanged" ? undefined : values.search === "on";
  const { onCommit } = observer;
  const opened: OpenDatabase = isInMemory(values)
    ? openMemory()
    : await openDatabase({ data, database }, { create: true, connections, onCommit, search, cacheMb });
  const { folder, name, isNew } = opened;
  const storage = observer.attach(opened);
  const adminAuth = adminAuthFrom(values, folder);
  const loaded = await loadFixtures(opened, storage, files, values.intoExisting);
  const limiters = await openRateLimiters(values, observer.hooks.logger);
  if (limiters.counts !== undefined) observer.watchLimiter(limiters.counts);
  const api = createApi({
    storage,
    rateLimiter: limiters.rateLimiter,
    authFailureLimiter: limiters.authFailureLimiter,
    maxInFlight,
    system,
    ...observer.hooks,
    ...(adminAuth === undefined ? {} : { adminAuth }),
  });
  return {
    app: crmApp(api, {
      corsOrigins: values.corsOrigin,
      compress: values.compress,
      forwardedPrefix: values.proxies > 0,
    }),
    close: () => api.close().finally(limiters.close),
    loaded,
    currentApi: () => api,
    async afterListening() {
      const first = await createFirstTenant(opened, storage, values);
      return { first, notices: await findNotices(opened, storage) };
    },
    headers: {},
    database: name,
    folder,
    isNew,
  };
}

/** Opens the test API of a database in memory, which can be reset and can inject faults. */
async function openFixtures(values: ServeValues, observer: Observer, system: System): Promise<Opened> {
  const { fixtures, rateLimit, maxInFlight } = values;
  const adminAuth = adminAuthFrom(values, undefined);
  const api = await FixtureApi.open({
    files: fixtures.flatMap(readTenantFiles),
    clock: new TestClock(undefined, systemClock),
    rateLimit,
    api: { maxInFlight, system, ...observer.hooks, ...(adminAuth === undefined ? {} : { adminAuth }) },
  });
  const inMemory = { database: undefined, folder: undefined, isNew: false };
  return {
    app: api,
    close: () => api.close(),
    loaded: api.loaded,
    currentApi: () => api.api,
    afterListening: async () => ({}),
    headers: fixtureHeaders,
    ...inMemory,
  };
}

/** Returns whether serve uses a database in memory. */
export function isInMemory({ data, database, fixtures }: Omit<ServeValues, "json">): boolean {
  return data === undefined && database === undefined && fixtures.length > 0;
}
