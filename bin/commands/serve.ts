import { type AdminAuth, createApi, crmApp, systemClock } from "#lib";
import type { FetchHandler } from "#lib/node";
import type { LoadedTenant } from "#lib/tenant-file";
import { FixtureApi, fixtureHeaders, readTenantFiles, TestClock } from "#lib/testing";
import { command } from "../cli/command.ts";
import { printOnce } from "../cli/output.ts";
import { booleanSetting, integerSetting, listSetting, stringSetting, type Values } from "../cli/setting.ts";
import { UsageError } from "../cli/usage.ts";
import { databaseSettings, type OpenDatabase, openMemory, openStorage } from "../database/database.ts";
import { connectionsDefault } from "../database/postgres-database.ts";
import { addressOf } from "../server/address.ts";
import { adminSecretAuth, adminSettings } from "../server/admin-auth.ts";
import { assertBackupDir, backupSettings, scheduleBackups } from "../server/backup-schedule.ts";
import { banner, readyMessage } from "../server/banner.ts";
import { limiterSettings, openLimiters } from "../server/limiter.ts";
import { type Observer, observe, observeSettings } from "../server/observe.ts";
import { createFirstTenant, loadFixtures, type Notices, noticesOf } from "../server/start-up.ts";

export const serveSettings = {
  ...databaseSettings,
  databaseConnections: integerSetting("N", "connections to PostgreSQL at a time", {
    min: 2,
    max: 1000,
    preset: connectionsDefault,
  }),
  listen: stringSetting("HOST:PORT", "where to listen; port 0 picks a free one", { default: "127.0.0.1:8080" }),
  fixtures: listSetting("FILE", 'load tenant files ("demo" comes along); without --data or --database: in memory'),
  intoExisting: booleanSetting("let --fixtures load into a database that has other tenants"),
  json: booleanSetting("the first line on stdout is JSON: url, baseUrl, keys, pid"),
  ...limiterSettings,
  corsOrigin: listSetting("ORIGIN", "origins of browser apps that may call the API, such as https://app.example.com"),
  compress: booleanSetting("compress responses over 1 KiB for clients that accept gzip"),
  inFlightMax: integerSetting("N", "requests under way at a time; more get 503", {
    min: 1,
    max: 100_000,
    preset: 2000,
  }),
  drainSeconds: integerSetting("N", "how long what was begun may take when it stops", {
    min: 0,
    max: 3600,
    preset: 10,
  }),
  ...observeSettings,
  ...adminSettings,
  adminJwksUrl: stringSetting("URL", "the address of their issuer's keys, in place of a secret"),
  ...backupSettings,
} as const;

export type ServeValues = Values<typeof serveSettings>;

const basePath = "/integrations/v1";

export const serveCommand = command({
  name: "serve",
  summary: "Serve the API until it is told to stop (SIGTERM, Ctrl-C)",
  details: "Each FILE is one more of those that --fixtures names.",
  operands: "[FILE...]",
  settings: serveSettings,
  examples: [
    "crm-integrations serve --fixtures demo",
    "crm-integrations serve --data /var/lib/crm --listen 127.0.0.1:8080",
  ],
  run: async (values, operands) => {
    if (operands.length > 0 && values.fixtures.length === 0)
      throw new UsageError(`What is "${operands[0]}" for? A tenant file is loaded by --fixtures ${operands[0]}.`);
    await run({ ...values, fixtures: [...values.fixtures, ...operands] });
  },
});

/** Opens what is to be served, listens, and stops at the first SIGTERM or SIGINT. */
async function run(values: ServeValues): Promise<void> {
  const { host, port } = addressOf(values.listen, "--listen");
  assertBackupDir(values);
  const watch = await observe(values);
  // The API for tests has no browser apps and no compression.
  const isPlain = values.limiter === undefined && values.corsOrigin.length === 0 && !values.compress;
  const isForTests = isInMemory(values) && isLoopback(host) && isPlain;
  const { app, close, loaded, headers, folder, afterListening, ...place } = isForTests
    ? await openFixtures(values, watch)
    : await open(values, watch);
  const backups = scheduleBackups(values, folder, (err) =>
    watch.hooks.logger.error({ err }, "scheduled backup failed"),
  );
  const server = await watch.serve(app, { host, port, drainMs: values.drainSeconds * 1000, headers });
  backups.start();
  // If the port is taken, no tenant is created, so its API key isn't lost.
  const starting = afterListening();
  const stop = async (): Promise<void> => {
    await Promise.allSettled([starting]);
    await Promise.all([server.close(), backups.stop()]);
    await close();
    await watch.close();
    process.exit(0);
  };
  for (const signal of ["SIGTERM", "SIGINT"] as const) process.once(signal, () => void stop());
  const { first, notices } = await starting;
  for (const message of notices?.warnings ?? []) watch.warn(message);
  const shown = { url: server.url, baseUrl: server.url + basePath, ...place };
  const tenants = first === undefined ? loaded : [...loaded, first];
  const lost = await printOnce(values.json ? readyMessage(shown, tenants) : banner(shown, tenants, first, notices));
  // Who serves goes on: callers need no first lines.
  if (lost !== undefined)
    watch.hooks.logger.error({ code: lost }, "stdout takes nothing; a key shown there is lost: key create");
}

/** What is served, and the tenants of `--fixtures`. */
type Opened = {
  readonly app: FetchHandler;
  close(): Promise<void>;
  readonly loaded: readonly LoadedTenant[];
  /** Creates the first tenant if there is none, and returns what the operator must know. */
  afterListening(): Promise<{ readonly first?: LoadedTenant | undefined; readonly notices?: Notices }>;
  /** On every answer. */
  readonly headers: Readonly<Record<string, string>>;
  /** What to call the database; undefined in memory. */
  readonly database: string | undefined;
  /** The data folder; undefined in memory and on PostgreSQL. */
  readonly folder: string | undefined;
  readonly isNew: boolean;
};

async function open(values: ServeValues, watch: Observer): Promise<Opened> {
  const { data, database, databaseConnections: connections, inFlightMax: maxInFlight } = values;
  const files = values.fixtures.flatMap(readTenantFiles);
  const place: OpenDatabase = isInMemory(values)
    ? openMemory()
    : await openStorage({ data, database }, { make: true, connections, onCommit: watch.onCommit });
  const { folder, name, isNew } = place;
  const storage = watch.over(place);
  const adminAuth = adminAuthFrom(values, folder);
  const loaded = await loadFixtures(place, storage, files, values.intoExisting);
  const {
    rateLimiter,
    authFailureLimiter,
    counts,
    close: closeLimiters,
  } = await openLimiters(values, watch.hooks.logger);
  if (counts !== undefined) watch.watchLimits(counts);
  const api = createApi({
    storage,
    rateLimiter,
    authFailureLimiter,
    maxInFlight,
    ...watch.hooks,
    ...(adminAuth === undefined ? {} : { adminAuth }),
  });
  return {
    app: crmApp(api, { corsOrigins: values.corsOrigin, compress: values.compress }),
    close: () => api.close().finally(closeLimiters),
    loaded,
    async afterListening() {
      const first = await createFirstTenant(place, storage);
      return { first, notices: await noticesOf(place, storage) };
    },
    headers: {},
    database: name,
    folder,
    isNew,
  };
}

/** For testers of this machine: what is in memory can be put back, and made to fail. */
async function openFixtures(values: ServeValues, watch: Observer): Promise<Opened> {
  const { fixtures, rateLimit, inFlightMax: maxInFlight } = values;
  const adminAuth = adminAuthFrom(values, undefined);
  const api = await FixtureApi.open({
    files: fixtures.flatMap(readTenantFiles),
    clock: new TestClock(undefined, systemClock),
    rateLimit,
    api: { maxInFlight, ...watch.hooks, ...(adminAuth === undefined ? {} : { adminAuth }) },
  });
  const nowhere = { database: undefined, folder: undefined, isNew: false };
  return {
    app: api,
    close: () => api.close(),
    loaded: api.loaded,
    afterListening: async () => ({}),
    headers: fixtureHeaders,
    ...nowhere,
  };
}

/** Whether the records are gone with the server. */
export function isInMemory({ data, database, fixtures }: Omit<ServeValues, "json">): boolean {
  return data === undefined && database === undefined && fixtures.length > 0;
}

/** Whether only this machine can reach it. */
function isLoopback(host: string): boolean {
  return /^(?:localhost|127(?:\.\d{1,3}){3}|::1)$/i.test(host);
}

function adminAuthFrom(values: ServeValues, folder: string | undefined): AdminAuth | undefined {
  const { adminIssuer: issuer, adminAudience: audience, adminSecret, adminJwksUrl: jwksUrl } = values;
  if (adminSecret !== undefined && jwksUrl !== undefined)
    throw new UsageError("Give --admin-secret or --admin-jwks-url, not both.");
  return jwksUrl === undefined ? adminSecretAuth(values, folder) : { issuer, audience, jwksUrl };
}
