import type { AddressInfo } from "node:net";
import { createApi } from "crm-integrations";
import { toExpressMiddleware } from "crm-integrations/express";
import express from "express";
import { demoStorage } from "../demo-storage.ts";

const api = createApi({ storage: await demoStorage() });
const app = express();
app.use("/crm", toExpressMiddleware(api));
app.use(express.json());
app.get("/", (_, response) => void response.send("a page of the host"));

const server = app.listen(Number(process.env.PORT ?? 3000), "127.0.0.1", () => {
  process.stdout.write(`http://127.0.0.1:${(server.address() as AddressInfo).port}/crm/integrations/v1\n`);
});
process.once("SIGTERM", () => server.close(() => void api.close()));
