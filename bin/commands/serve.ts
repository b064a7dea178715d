import { command } from "../cli/command.ts";
import { UsageError } from "../cli/errors.ts";
import { tryPrint } from "../cli/output-errors.ts";
import type { ProgramProcess } from "../cli/program-process.ts";
import { isLoopback, parseAddress } from "../cli/setting.ts";
import { assertBackupDir } from "../server/backup-schedule.ts";
import { banner, readyMessage } from "../server/banner.ts";
import { assertConsoleOrigin, firstSignInLink, linkOrigin, openConsole } from "../server/console.ts";
import { openDocsSite } from "../server/docs-site.ts";
import { assertFirstTenant } from "../server/initial-data.ts";
import { listen } from "../server/listen.ts";
import { openMonitoring } from "../server/monitoring.ts";
import { limitWorkerMemory, releaseMemory } from "../server/release-memory.ts";
import { isInMemory, type ServeValues, serveSettings } from "../server/serve-settings.ts";
import { openStoredApi, openTestApi } from "../server/served-api.ts";
import { assertWebhookAllow } from "../server/webhooks.ts";

const basePath = "/integrations/v1";
/** Time until everything that a start loads is loaded. */
const startMs = 1_000;

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
  logsWarnings: true,
  run: async (values, operands, program, origins, warnings) => {
    if (operands.length > 0 && values.fixtures.length === 0)
      throw new UsageError(
        `Unexpected argument '${operands[0]}'. To load a tenant file, use --fixtures ${operands[0]}.`,
      );
    await assertFirstTenant(values, origins);
    await run({ ...values, fixtures: [...values.fixtures, ...operands] }, program, warnings);
  },
});

/** Serves until the first SIGTERM or SIGINT. */
async function run(values: ServeValues, program: ProgramProcess, warnings: readonly string[]): Promise<void> {
  assertSettings(values);
  const monitoring = await openMonitoring(values, program);
  const { log } = monitoring;
  for (const message of warnings) log.warn({}, message);
  limitWorkerMemory();
  const open = isForTests(values) ? openTestApi : openStoredApi;
  const api = await open(values, program, monitoring);
  const { app, health, schema, headers, backups, currentApi } = api;
  const console = openConsole(values, api);
  const docsSite = openDocsSite(values);
  const server = await listen(values, { app, health, schema, headers, console, docsSite, currentApi }, monitoring);
  backups.start();
  // If the port is taken, no tenant is created, so its API key isn't lost.
  const preparing = api.prepareTenants();
  const { promise: stopped, resolve, reject } = Promise.withResolvers<void>();
  const stop = async (): Promise<void> => {
    await Promise.allSettled([preparing]);
    await Promise.all([server.close(), backups.stop()]);
    await api.close();
    await log.close();
  };
  for (const signal of ["SIGTERM", "SIGINT"] as const) program.once(signal, () => void stop().then(resolve, reject));
  const { created, notices } = await preparing;
  for (const message of notices.warnings) log.warn({}, message);
  const tenants = [...api.loaded, ...created];
  const origin = linkOrigin(values.consoleOrigin, server.url);
  const signInLink = await firstSignInLink(console, tenants, api.currentStorage(), origin);
  const { name: database, isNew } = api;
  const info = { url: server.url, baseUrl: server.url + basePath, database, isNew, signInLink };
  const text = values.json
    ? readyMessage(info, tenants)
    : banner(info, { loaded: api.loaded, created, adminEmail: values.adminEmail }, notices);
  const errorCode = await tryPrint(program.stdout, text);
  // The server works without its startup text.
  if (errorCode !== undefined)
    log.error(
      { code: errorCode },
      "cannot write to stdout; if an API key was printed, create a new one with `key create`",
    );
  api.deliverWebhooks();
  setTimeout(releaseMemory, startMs).unref();
  await stopped;
}

/** Checks the settings before a database is created. @throws UsageError */
function assertSettings(values: ServeValues): void {
  parseAddress(values.listen, "--listen");
  if (isInMemory(values) && values.search !== "unchanged")
    throw new UsageError("--search requires a stored database. Set --data or --database.");
  assertBackupDir(values);
  assertWebhookAllow(values);
  assertConsoleOrigin(values.consoleOrigin);
}

/** Returns whether to serve the test API. It supports neither CORS nor compression nor Redis. */
function isForTests(values: ServeValues): boolean {
  const isPlain = values.limiter === undefined && values.corsOrigin.length === 0 && !values.compress;
  return isPlain && isInMemory(values) && isLoopback(parseAddress(values.listen, "--listen").host);
}
