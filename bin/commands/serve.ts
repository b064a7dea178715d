import { type AdminAuth, createApi, crmApp, systemClock } from "#lib";
import type { FetchHandler } from "#lib/node";
import type { LoadedTenant } from "#lib/tenant-file";
import { FixtureApi, fixtureHeaders, readTenantFiles, TestClock } from "#lib/testing";
import { command } from "../cli/command.ts";
import { UsageError } from "../cli/errors.ts";
import { tryPrint } from "../cli/output-errors.ts";
import {
  booleanSetting,
  integerSetting,
  listSetting,
  parseAddress,
  type SettingValues,
  stringSetting,
} from "../cli/setting.ts";
import { databaseSettings, type OpenDatabase, openDatabase, openMemory } from "../database/database.ts";
import { defaultConnections } from "../database/postgres-database.ts";
import { adminSecretAuth, adminSettings } from "../server/admin-auth.ts";
import { assertBackupDir, backupSettings, scheduleBackups } from "../server/backup-schedule.ts";
import { banner, readyMessage } from "../server/banner.ts";
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

export const serveSettings = {
  ...databaseSettings,
  databaseConnections: integerSetting("N", "size of the connection pool of PostgreSQL", {
    min: 2,
    max: 1000,
    preset: defaultConnections,
  }),
  listen: stringSetting("HOST:PORT", "address to listen on; port 0 selects a free port", { default: "127.0.0.1:8080" }),
  fixtures: listSetting(
    "FILE",
    'tenant files to load ("demo" is included); without --data or --database, the database is in memory',
  ),
  ...firstTenantSettings,
  intoExisting: booleanSetting("allow --fixtures to load into a database with other tenants"),
  json: booleanSetting("print JSON as the first line on stdout: url, baseUrl, keys, pid"),
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
  assertBackupDir(values);
  await assertFirstTenant(values);
  const observer = await createObserver(values);
  // The test API supports neither CORS nor compression nor Redis.
  const isPlain = values.limiter === undefined && values.corsOrigin.length === 0 && !values.compress;
  const isForTests = isInMemory(values) && isLoopback(host) && isPlain;
  const { app, close, loaded, headers, folder, afterListening, ...database } = isForTests
    ? await openFixtures(values, observer)
    : await open(values, observer);
  const backups = scheduleBackups(values, folder, (err) =>
    observer.hooks.logger.error({ err }, "scheduled backup failed"),
  );
  const server = await observer.serve(app, { host, port, drainMs: values.drainSeconds * 1000, headers });
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
  const info = { url: server.url, baseUrl: server.url + basePath, ...database };
  const tenants = first === undefined ? loaded : [...loaded, first];
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
  /** Headers of every response. */
  readonly headers: Readonly<Record<string, string>>;
  /** File or address for messages. Undefined if in memory. */
  readonly database: string | undefined;
  /** The data folder. Undefined if in memory or in PostgreSQL. */
  readonly folder: string | undefined;
  readonly isNew: boolean;
};

async function open(values: ServeValues, observer: Observer): Promise<Opened> {
  const { data, database, databaseConnections: connections, maxInFlight } = values;
  const files = values.fixtures.flatMap(readTenantFiles);
  const opened: OpenDatabase = isInMemory(values)
    ? openMemory()
    : await openDatabase({ data, database }, { create: true, connections, onCommit: observer.onCommit });
  const { folder, name, isNew } = opened;
  const storage = observer.attach(opened);
  const adminAuth = adminAuthFrom(values, folder);
  const loaded = await loadFixtures(opened, storage, files, values.intoExisting);
  const {
    rateLimiter,
    authFailureLimiter,
    counts,
    close: closeLimiters,
  } = await openRateLimiters(values, observer.hooks.logger);
  if (counts !== undefined) observer.watchLimiter(counts);
  const api = createApi({
    storage,
    rateLimiter,
    authFailureLimiter,
    maxInFlight,
    ...observer.hooks,
    ...(adminAuth === undefined ? {} : { adminAuth }),
  });
  return {
    app: crmApp(api, {
      corsOrigins: values.corsOrigin,
      compress: values.compress,
      forwardedPrefix: values.proxies > 0,
    }),
    close: () => api.close().finally(closeLimiters),
    loaded,
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
async function openFixtures(values: ServeValues, observer: Observer): Promise<Opened> {
  const { fixtures, rateLimit, maxInFlight } = values;
  const adminAuth = adminAuthFrom(values, undefined);
  const api = await FixtureApi.open({
    files: fixtures.flatMap(readTenantFiles),
    clock: new TestClock(undefined, systemClock),
    rateLimit,
    api: { maxInFlight, ...observer.hooks, ...(adminAuth === undefined ? {} : { adminAuth }) },
  });
  const inMemory = { database: undefined, folder: undefined, isNew: false };
  return {
    app: api,
    close: () => api.close(),
    loaded: api.loaded,
    afterListening: async () => ({}),
    headers: fixtureHeaders,
    ...inMemory,
  };
}

/** Returns whether serve uses a database in memory. */
export function isInMemory({ data, database, fixtures }: Omit<ServeValues, "json">): boolean {
  return data === undefined && database === undefined && fixtures.length > 0;
}

/** Returns whether only this machine can reach the host. */
function isLoopback(host: string): boolean {
  return /^(?:localhost|127(?:\.\d{1,3}){3}|::1)$/i.test(host);
}

function adminAuthFrom(values: ServeValues, folder: string | undefined): AdminAuth | undefined {
  const { adminIssuer: issuer, adminAudience: audience, adminSecret, adminJwksUrl: jwksUrl } = values;
  if (adminSecret !== undefined && jwksUrl !== undefined)
    throw new UsageError("Set --admin-secret or --admin-jwks-url, not both.");
  return jwksUrl === undefined ? adminSecretAuth(values, folder) : { issuer, audience, jwksUrl };
}
