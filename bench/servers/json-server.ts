import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { AddressInfo, Server } from "node:net";

/** json-server 0.17 over a file of tasks, without its log. It has no types. */
const jsonServer = createRequire(import.meta.url)("json-server") as {
  create(): { use(...handlers: unknown[]): void; listen(port: number, host: string, done: () => void): Server };
  router(data: object): unknown;
  defaults(options: object): unknown;
};
const app = jsonServer.create();
app.use(jsonServer.defaults({ logger: false, noGzip: true }));
app.use(jsonServer.router(JSON.parse(readFileSync(process.argv[2] ?? "", "utf8")) as object));
const server = app.listen(0, "127.0.0.1", () => {
  const { port } = server.address() as AddressInfo;
  process.stdout.write(`${JSON.stringify({ url: `http://127.0.0.1:${port}` })}\n`);
});
