import { type Api, type ApiOptions, createApi, type Storage, systemClock } from "#lib";
import type { FetchHandler } from "#lib/node";
import { schemaVersion } from "#lib/sqlite";
import type { LoadedTenant } from "#lib/tenant-file";
import { FixtureApi, fixtureHeaders, readTenantFiles, TestClock } from "#lib/testing";
import type { ProgramProcess } from "../cli/program-process.ts";
import { openDatabase, openMemory } from "../database/database.ts";
import { DiskSpaceLowError, type FreeSpace, unlimitedSpace } from "../database/free-space-monitor.ts";
import type { OpenDatabase, OpenRequestLog } from "../database/open-database.ts";
import { adminAuthFrom } from "./admin-auth.ts";
import { scheduleBackups } from "./backup-schedule.ts";
import { Health } from "./health.ts";
import { createFirstTenant, findNotices, loadFixtures, type Notices } from "./initial-data.ts";
import { type Monitoring, monitorDatabase } from "./monitoring.ts";
import { openRateLimiters } from "./rate-limiters.ts";
import { isInMemory, type ServeValues } from "./serve-settings.ts";
import { System } from "./system.ts";
import { webhookOptions } from "./webhooks.ts";

/** An API with its database, and the tenants of `--fixtures`. */
export type ServedApi = Pick<OpenDatabase, "folder" | "name" | "isNew" | "schema"> & {
  readonly app: FetchHandler;
  readonly health: Health;
  readonly backups: ReturnType<typeof scheduleBackups>;
  readonly loaded: readonly LoadedTenant[];
  /** Headers of every response. */
  readonly headers: Readonly<Record<string, string>>;
  /** Returns the API. A reset of the test API replaces it. */
  currentApi(): Api;
  currentStorage(): Storage;
  /** Creates the first tenant if there is none. Returns it, if so, with the notices for the operator. */
  prepareTenants(): Promise<{ readonly created: readonly LoadedTenant[]; readonly notices: Notices }>;
  /** Starts the delivery of webhooks, unless it is off. */
  deliverWebhooks(): void;
  close(): Promise<void>;
};

/** Opens the database and its API. Loads the tenant files of `--fixtures`. */
export async function openStoredApi(
  values: ServeValues,
  program: ProgramProcess,
  monitoring: Monitoring,
): Promise<ServedApi> {
  const files = values.fixtures.flatMap(readTenantFiles);
  const database = await openServedDatabase(values, program, monitoring);
  const { folder, name, isNew } = database;
  const { storage, health, freeSpace } = monitorDatabase(database, values, monitoring);
  const adminAuth = adminAuthFrom(values, folder);
  const loaded = await loadFixtures(database, storage, files, values.intoExisting);
  const backups = openBackups(values, program, folder, monitoring);
  const file = folder === undefined ? undefined : name;
  const system = new System({ storage: () => storage, file, freeSpace, health, backups: backups.schedule });
  const hooks = hooksOf(monitoring, system);
  const { close, counts, ...limiters } = await openRateLimiters(values, hooks.logger);
  if (counts !== undefined) monitoring.metrics.addLimiter(counts);
  const { maxInFlight, eventDays, compress, corsOrigin: corsOrigins } = values;
  const requestLog = openServedLog(values, database, freeSpace);
  const api = createApi({
    ...{ storage, system, maxInFlight, eventDays, webhooks: webhookOptions(values), ...limiters, ...hooks },
    ...(adminAuth && { adminAuth }),
    ...(requestLog && { requestLog }),
  });
  monitoring.metrics.addApi(() => api.counts());
  const { schedule } = backups;
  if (schedule !== undefined) monitoring.metrics.addBackups(() => schedule.status());
  return {
    ...{
      folder,
      name,
      isNew,
      health,
      backups,
      loaded,
      headers: {},
      currentApi: () => api,
      currentStorage: () => storage,
      schema: database.schema,
    },
    app: api.app({ corsOrigins, compress, forwardedPrefix: values.proxies > 0 }),
    async prepareTenants() {
      const created = await createFirstTenant(database, storage, values);
      return { created, notices: await findNotices(database, storage) };
    },
    deliverWebhooks() {
      if (values.webhooks === "off") return;
      // A SQLite database has one server, which continues after a crash without waiting for its own leases.
      const owner = values.database === undefined ? { owner: "server" } : {};
      api.deliverWebhooks({
        ...owner,
        onAttempt: monitoring.metrics.onWebhookAttempt,
        onPaused: monitoring.metrics.onWebhookPaused,
      });
    },
    close: () =>
      api.close().finally(() => {
        requestLog?.close();
        return close();
      }),
  };
}

/** Opens the request log in the database. It doesn't use the disk space that it must leave free. */
function openServedLog(
  { requestLogDays }: ServeValues,
  database: OpenDatabase,
  freeSpace: FreeSpace,
): OpenRequestLog | undefined {
  const log = requestLogDays === 0 ? undefined : database.openRequestLog(requestLogDays);
  if (log === undefined) return undefined;
  const append: OpenRequestLog["append"] = async (entries) => {
    if (freeSpace.isLow) throw new DiskSpaceLowError("Disk space is low.");
    await log.append(entries);
  };
  return { ...log, append };
}

async function openServedDatabase(
  values: ServeValues,
  program: ProgramProcess,
  { log, metrics: { onCommit } }: Monitoring,
): Promise<OpenDatabase> {
  if (isInMemory(values)) return openMemory();
  const { data, database, databaseConnections: connections, cacheMb } = values;
  const search = values.search === "unchanged" ? undefined : values.search === "on";
  return openDatabase({ data, database }, program, {
    ...{ create: true, connections, onCommit, search, cacheMb },
    // The worker starts under load, when stderr has only lines of the log.
    onCommitWorkerError: (err) => log.warn({ err }, "cannot start the commit worker; reads wait for commits"),
  });
}

/** Opens the test API of a database in memory, which can be reset and can inject faults. */
export async function openTestApi(
  values: ServeValues,
  program: ProgramProcess,
  monitoring: Monitoring,
): Promise<ServedApi> {
  const { fixtures, rateLimit, maxInFlight, eventDays } = values;
  const adminAuth = adminAuthFrom(values, undefined);
  const isPossible = async (): Promise<void> => {};
  const health = new Health({ reads: isPossible, writes: isPossible });
  const backups = openBackups(values, program, undefined, monitoring);
  const currentStorage = (): Storage => fixtureApi.storage;
  const system = new System({
    storage: currentStorage,
    file: undefined,
    freeSpace: unlimitedSpace,
    health,
    backups: undefined,
  });
  const fixtureApi = await FixtureApi.open({
    files: fixtures.flatMap(readTenantFiles),
    clock: new TestClock(undefined, systemClock),
    rateLimit,
    api: {
      ...{ maxInFlight, eventDays, system, webhooks: webhookOptions(values), ...hooksOf(monitoring, system) },
      ...(adminAuth && { adminAuth }),
    },
  });
  monitoring.metrics.addApi(() => fixtureApi.api.counts());
  const noNotices = { warnings: [], hasTestKeys: false, createKey: undefined };
  return {
    ...{
      folder: undefined,
      name: undefined,
      isNew: false,
      health,
      backups,
      headers: fixtureHeaders,
      schema: schemaVersion,
    },
    app: fixtureApi,
    loaded: fixtureApi.loaded,
    currentApi: () => fixtureApi.api,
    currentStorage,
    prepareTenants: async () => ({ created: [], notices: noNotices }),
    deliverWebhooks() {
      if (values.webhooks === "on") fixtureApi.deliverWebhooks();
    },
    close: () => fixtureApi.close(),
  };
}

function openBackups(values: ServeValues, program: ProgramProcess, folder: string | undefined, { log }: Monitoring) {
  return scheduleBackups(program, values, folder, (err) => log.error({ err }, "backup failed"));
}

/** Returns the options of `createApi` that log and count requests. */
function hooksOf({ log, metrics }: Monitoring, system: System): Required<Pick<ApiOptions, "logger" | "onRequest">> {
  return {
    // A low disk space is logged once, not for each rejected request.
    logger: { error: (fields, message) => fields.err instanceof DiskSpaceLowError || log.error(fields, message) },
    onRequest(summary) {
      log.request(summary);
      system.onRequest(summary);
      metrics.onRequest(summary);
    },
  };
}
