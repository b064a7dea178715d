import { existsSync } from "node:fs";
import { type AdminAuth, createApi, memoryLimiter, type Storage, systemClock, uuidV7 } from "../../lib/index.ts";
import { sqliteStorage } from "../../lib/sqlite/index.ts";
import { type LoadedTenant, loadTenantFile, TenantFileRefused } from "../../lib/tenant-file/index.ts";
import { addressOf } from "../address.ts";
import { banner, firstAdminEmail, greeting } from "../banner.ts";
import { command } from "../command.ts";
import { adminAuthOf, databaseFile, dataDefault } from "../data-folder.ts";
import { newTenantFile } from "../new-tenant.ts";
import { observe, observeSettings } from "../observe.ts";
import { flag, type Values, wholeNumber, word, words } from "../setting.ts";
import { readTenantFiles } from "../tenant-files.ts";
import { UsageError } from "../usage.ts";

export const serveSettings = {
  data: word("DIR", `the folder of the database (default: ${dataDefault}; made if missing)`),
  listen: word("HOST:PORT", "where to listen; port 0 picks a free one", { default: "127.0.0.1:8080" }),
  fixtures: words("FILE", 'load tenant files ("demo" comes along); without --data: in memory'),
  json: flag("the first line on stdout is JSON: url, baseUrl, keys, pid"),
  rateLimit: wholeNumber("N", "requests a minute per key; a fifth as many failed authentications per address", {
    min: 1,
    max: 99_999,
    preset: 300,
  }),
  inFlightMax: wholeNumber("N", "requests under way at a time; more get 503", { min: 1, max: 100_000, preset: 2000 }),
  drainSeconds: wholeNumber("N", "how long what was begun may take when it stops", { min: 0, max: 3600, preset: 10 }),
  ...observeSettings,
  adminIssuer: word("TEXT", "the issuer of administrators' tokens", { default: "crm-integrations" }),
  adminAudience: word("TEXT", "their audience", { default: "crm-integrations-admin" }),
  adminSecret: word("TEXT", "their secret (default: one of the data folder)", { secret: true }),
  adminJwksUrl: word("URL", "the address of their issuer's keys, in place of a secret"),
} as const;

type ServeValues = Values<typeof serveSettings>;

const basePath = "/integrations/v1";
const minuteMs = 60_000;
/** So many requests are accepted per key for each authentication that may fail per address. */
const failuresShare = 5;

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
  const { host, port } = addressOf(values.listen, "--listen");
  const inMemory = values.data === undefined && values.fixtures.length > 0;
  const folder = values.data ?? dataDefault;
  const file = inMemory ? ":memory:" : databaseFile(folder);
  const files = values.fixtures.flatMap(readTenantFiles);
  const isNew = !inMemory && !existsSync(file);
  const watch = await observe(values, inMemory ? undefined : { file, folder });
  const storage = watch.guarded(sqliteStorage({ file, onCommit: watch.onCommit }));
  const tools = { clock: systemClock, newId: () => uuidV7(Date.now()) };
  const tenants: LoadedTenant[] = [];
  for (const { name, content } of files) tenants.push(await named(name, () => loadTenantFile(storage, content, tools)));
  const first = await firstTenant(storage);
  const adminAuth = adminAuthFrom(values, inMemory ? undefined : folder);
  const perMinute = (limit: number) => memoryLimiter({ limit, windowMs: minuteMs, clock: systemClock });
  const api = createApi({
    storage,
    limiter: perMinute(values.rateLimit),
    failureLimiter: perMinute(Math.ceil(values.rateLimit / failuresShare)),
    inFlightMax: values.inFlightMax,
    ...watch.hooks,
    ...(adminAuth === undefined ? {} : { adminAuth }),
  });
  const server = await watch.serve(api, storage, { host, port, drainMs: values.drainSeconds * 1000 });
  const stop = async (): Promise<void> => {
    await server.close();
    await api.close();
    await watch.close();
    process.exit(0);
  };
  for (const signal of ["SIGTERM", "SIGINT"] as const) process.once(signal, () => void stop());
  const loaded = first === undefined ? tenants : [...tenants, first];
  const place = { url: server.url, baseUrl: server.url + basePath, file: inMemory ? undefined : file, isNew };
  process.stdout.write(values.json ? greeting(place, loaded) : banner(place, loaded, first));
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
  if (jwksUrl !== undefined) return { issuer, audience, jwksUrl };
  const secret = adminSecret === undefined ? undefined : new TextEncoder().encode(adminSecret);
  if (secret !== undefined && secret.length < 32) throw new UsageError("--admin-secret needs 32 bytes or more.");
  if (secret !== undefined) return { issuer, audience, secret };
  return folder === undefined ? undefined : { ...adminAuthOf(folder), issuer, audience };
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
