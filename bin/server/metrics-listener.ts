import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Health } from "./health.ts";
import type { Metrics } from "./metrics.ts";

export type MetricsListener = { readonly url: string; close(): void };

/** Serves metrics and health on a separate port that API clients don't need. */
export async function listenForMetrics(
  metrics: Metrics,
  health: Health,
  { host, port }: { readonly host: string; readonly port: number },
): Promise<MetricsListener> {
  const server = createServer(async ({ url = "" }, outgoing) => {
    const [path = ""] = url.split("?");
    if (path === "/healthz" || path === "/readyz") {
      const response = await health.respond(path);
      outgoing.writeHead(response.status, { "Content-Type": "application/json" }).end(response.body);
    } else if (path === "/metrics") {
      const text = await metrics.text();
      outgoing.writeHead(200, { "Content-Type": metrics.type }).end(text);
    } else {
      outgoing.writeHead(404, { "Content-Type": "text/plain" }).end("Not found. Paths: /metrics, /healthz, /readyz.\n");
    }
  });
  server.listen(port, host);
  await once(server, "listening");
  const { address, family, port: chosen } = server.address() as AddressInfo;
  const close = (): void => {
    server.close();
    server.closeAllConnections();
  };
  return { url: `http://${family === "IPv6" ? `[${address}]` : address}:${chosen}/metrics`, close };
}
