import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { createApi } from "crm-integrations";
import { toNodeListener } from "crm-integrations/node";
import { demoStorage } from "../demo-storage.ts";

const api = createApi({ storage: await demoStorage() });
const server = createServer(toNodeListener(api));

server.listen(Number(process.env.PORT ?? 3000), "127.0.0.1", () => {
  process.stdout.write(`http://127.0.0.1:${(server.address() as AddressInfo).port}/integrations/v1\n`);
});
process.once("SIGTERM", () => server.close(() => void api.close()));
