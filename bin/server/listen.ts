import type { Api } from "#lib";
import { type FetchHandler, type RunningServer, serve } from "#lib/node";
import { Failure } from "../cli/errors.ts";
import { integerSetting, parseAddress, type SettingValues } from "../cli/setting.ts";
import { systemErrorReason } from "../cli/system-error.ts";
import { version } from "../cli/version.ts";
import { type ServedConsole, withConsole } from "./console.ts";
import { withDocsSite } from "./docs-site.ts";
import type { Health } from "./health.ts";
import { clientAddressReader, withHealthRoutes } from "./health-routes.ts";
import { type mcpSettings, withMcp } from "./mcp.ts";
import type { Metrics } from "./metrics.ts";
import { listenForMetrics } from "./metrics-listener.ts";
import type { Monitoring } from "./monitoring.ts";

export const connectionSettings = {
  proxies: integerSetting("N", "number of trusted proxies in front (X-Forwarded-For, X-Forwarded-Prefix)", {
    min: 0,
    max: 10,
    preset: 0,
  }),
  headersSeconds: integerSetting("N", "seconds to wait for the headers of a request", {
    min: 1,
    max: 3600,
    preset: 10,
  }),
  requestSeconds: integerSetting("N", "seconds to wait for a complete request", { min: 1, max: 3600, preset: 60 }),
  keepAliveSeconds: integerSetting("N", "seconds before an idle connection is closed", {
    min: 1,
    max: 3600,
    preset: 65,
  }),
} as const;

type ListenValues = SettingValues<typeof connectionSettings & typeof mcpSettings> & {
  readonly corsOrigin: readonly string[];
  readonly listen: string;
  readonly metricsListen: string | undefined;
  readonly drainSeconds: number;
};

/** The handlers of a server. */
type Served = {
  readonly app: FetchHandler;
  readonly health: Health;
  /** The version of the database schema. */
  readonly schema: number;
  /** Undefined if it is off. */
  readonly console: ServedConsole | undefined;
  /** The documentation site. Undefined if it is off or isn't built in. */
  readonly docsSite: FetchHandler | undefined;
  /** Headers of every response. */
  readonly headers: Readonly<Record<string, string>>;
  /** Returns the API behind `app`. */
  currentApi(): Api;
};

/**
 * Serves the API with the health endpoints, the MCP server, the console, the documentation, and metrics if enabled.
 * @throws Failure if an address can't be used, such as a port of another program
 */
export async function listen(
  values: ListenValues,
  { app, health, schema, console, docsSite, headers, currentApi }: Served,
  { log, metrics }: Monitoring,
): Promise<RunningServer> {
  const { listen: address, metricsListen } = values;
  const api = metricsListen === undefined ? app : withMetrics(app, metrics);
  const routes = withHealthRoutes(api, {
    ...{ health, schema },
    ...{ hasConsole: console !== undefined, hasDocs: docsSite !== undefined },
  });
  const handler = withDocsSite(withConsole(withMcp(routes, values, { app: api, currentApi }), console), docsSite);
  const remoteAddress = clientAddressReader(values.proxies);
  const server = await waitForListening(
    "--listen",
    address,
    serve(handler, {
      ...parseAddress(address, "--listen"),
      headers,
      drainMs: values.drainSeconds * 1000,
      headersTimeoutMs: values.headersSeconds * 1000,
      requestTimeoutMs: values.requestSeconds * 1000,
      keepAliveTimeoutMs: values.keepAliveSeconds * 1000,
      ...(remoteAddress === undefined ? {} : { remoteAddress }),
    }),
  );
  const listener =
    metricsListen === undefined
      ? undefined
      : await waitForListening(
          "--metrics-listen",
          metricsListen,
          listenForMetrics(metrics, health, parseAddress(metricsListen, "--metrics-listen")),
        );
  log.info({ url: server.url, metricsUrl: listener?.url, version, pid: process.pid }, "serving");
  if (process.getuid?.() === 0) log.warn({}, rootWarning);
  const close = async (): Promise<void> => {
    health.close();
    log.info({}, "stopping");
    await server.close();
    listener?.close();
  };
  return { ...server, close };
}

const rootWarning = "running as root; use a dedicated user (`crm-integrations service` prints a systemd unit)";

/** Waits for a server to listen. @throws Failure if it can't use the address, such as a port of another program */
async function waitForListening<T>(flag: string, address: string | undefined, listening: Promise<T>): Promise<T> {
  try {
    return await listening;
  } catch (error) {
    const { syscall } = error as NodeJS.ErrnoException;
    if (syscall !== "listen" && syscall !== "getaddrinfo") throw error;
    const remedy = `Choose another address with ${flag}. Port 0 selects a free port.`;
    throw new Failure(`Cannot listen on ${address}: ${systemErrorReason(error)}. ${remedy}`);
  }
}

function withMetrics(api: FetchHandler, metrics: Metrics): FetchHandler {
  return { fetch: (request, env) => metrics.trackInFlight(async () => api.fetch(request, env)) };
}
