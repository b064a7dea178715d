import { serve } from "../../lib/http/index.ts";
import { type AdminAuth, createApi, type Storage, systemClock, uuidV7 } from "../../lib/index.ts";
import { type LoadedTenant, loadTenantFile, TenantFileRefused } from "../../lib/tenant-file/index.ts";
import { adminSecretAuth, adminSettings } from "../admin-auth.ts";
import { banner, firstAdminEmail, greeting } from "../banner.ts";
import { command } from "../command.ts";
import { databaseSettings, type OpenDatabase, openMemory, openStorage } from "../database.ts";
import { limiterSettings, openLimiters } from "../limiter.ts";
import { logger } from "../logger.ts";
import { newTenantFile } from "../new-tenant.ts";
import { connectionsDefault } from "../postgres-database.ts";
import { flag, type Values, wholeNumber, word, words } from "../setting.ts";
import { readTenantFiles } from "../tenant-files.ts";
import { UsageError } from "../usage.ts";

export const serveSettings = {
  ...databaseSettings,
  databaseConnections: wholeNumber("N", "connections to PostgreSQL at a time", {
    min: 2,
    max: 1000,
    preset: connectionsDefault,
  }),
  listen: word("HOST:PORT", "where to listen; port 0 picks a free one", { default: "127.0.0.1:8080" }),
  fixtures: words("FILE", 'load tenant files ("demo" comes along); without --data or --database: in memory'),
  json: flag("the first line on stdout is JSON: url, baseUrl, keys, pid"),
  ...limiterSettings,
  inFlightMax: wholeNumber("N", "requests under way at a time; more get 503", { min: 1, max: 100_000, preset: 2000 }),
  drainSeconds: wholeNumber("N", "how long what was begun may take when it stops", { min: 0, max: 3600, preset: 10 }),
  ...adminSettings,
  adminJwksUrl: word("URL", "the address of their issuer's keys, in place of a secret"),
} as const;

type ServeValues = Values<typeof serveSettings>;

const basePath = "/integrations/v1";

export const serveCommand = command({
  name: "serve",
  summary: "Serve the API until it is told to stop (SIGTERM, Ctrl-C)",
  operands: "[FILE...]",
  settings: serveSettings,
  examples: [
    "crm-integrations serve --fixtures demo",
    "crm-integrations serve --data /var/lib/crm --listen 127.0.0.1:8080",
  ],
  run: async (values, operands) => {
    if (operands.length > 0 && values.fixtures.length === 0) throw new UsageError(`What is "${operands[0]}" for?`);
    await run({ ...values, fixtures: [...values.fixtures, ...operands] });
  },
});

/** Opens the database, loads what is to be loaded, listens, and stops at the first SIGTERM or SIGINT. */
async function run(values: ServeValues): Promise<void> {
  const { host, port } = addressOf(values.listen);
  const files = values.fixtures.flatMap(readTenantFiles);
  const place = await databaseOf(values);
  const { storage } = place;
  const adminAuth = adminAuthFrom(values, place.folder);
  const { tenants, first } = await place.alone(() => filled(storage, files));
  const limiters = await openLimiters(values);
  const api = createApi({
    storage,
    limiter: limiters.limiter,
    failureLimiter: limiters.failureLimiter,
    inFlightMax: values.inFlightMax,
    logger,
    ...(adminAuth === undefined ? {} : { adminAuth }),
  });
  const server = await serve(api, { host, port, drainMs: values.drainSeconds * 1000 });
  const stop = async (): Promise<void> => {
    await server.close();
    await api.close();
    limiters.close();
    process.exit(0);
  };
  for (const signal of ["SIGTERM", "SIGINT"] as const) process.once(signal, () => void stop());
  const loaded = first === undefined ? tenants : [...tenants, first];
  const { name, isNew } = place;
  const shown = { url: server.url, baseUrl: server.url + basePath, database: name, isNew };
  process.stdout.write(values.json ? greeting(shown, loaded) : banner(shown, loaded, first));
}

/** In memory where there are tenant files and no place is named. */
async function databaseOf({ data, database, databaseConnections, fixtures }: ServeValues): Promise<OpenDatabase> {
  if (data === undefined && database === undefined && fixtures.length > 0) return openMemory();
  return openStorage({ data, database }, { make: true, connections: databaseConnections });
}

async function filled(
  storage: Storage,
  files: ReturnType<typeof readTenantFiles>,
): Promise<{ readonly tenants: readonly LoadedTenant[]; readonly first: LoadedTenant | undefined }> {
  const tools = { clock: systemClock, newId: () => uuidV7(Date.now()) };
  const tenants: LoadedTenant[] = [];
  for (const { name, content } of files) tenants.push(await named(name, () => loadTenantFile(storage, content, tools)));
  return { tenants, first: await firstTenant(storage) };
}

/** A database without a tenant gets one: whoever starts the program for the first time can call it at once. */
async function firstTenant(storage: Storage): Promise<LoadedTenant | undefined> {
  if ((await storage.tenants()).length > 0) return undefined;
  const content = newTenantFile({ name: "My company", adminName: "Administrator", adminEmail: firstAdminEmail });
  return loadTenantFile(storage, content, { clock: systemClock, newId: () => uuidV7(Date.now()) });
}

function adminAuthFrom(values: ServeValues, folder: string | undefined): AdminAuth | undefined {
  const { adminIssuer: issuer, adminAudience: audience, adminSecret, adminJwksUrl: jwksUrl } = values;
  if (adminSecret !== undefined && jwksUrl !== undefined)
    throw new UsageError("Give --admin-secret or --admin-jwks-url, not both.");
  return jwksUrl === undefined ? adminSecretAuth(values, folder) : { issuer, audience, jwksUrl };
}

function addressOf(listen: string): { host: string; port: number } {
  const match = /^(?:\[([^\]]+)\]|([^:]*)):(\d{1,5})$/.exec(listen);
  const port = Number(match?.[3]);
  if (match === null || port > 65535)
    throw new UsageError(`--listen takes HOST:PORT, such as 127.0.0.1:8080, not "${listen}".`);
  return { host: match[1] ?? (match[2] || "127.0.0.1"), port };
}

async function named<T>(name: string, load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch (error) {
    throw error instanceof TenantFileRefused
      ? new TenantFileRefused(`${name}: ${error.message}`, error.findings)
      : error;
  }
}
