import { createApi } from "crm-integrations";
import { toFastifyPlugin } from "crm-integrations/fastify";
import fastify from "fastify";
import { demoStorage } from "../demo-storage.ts";

const api = createApi({ storage: await demoStorage() });
const app = fastify();
app.register(toFastifyPlugin(api), { prefix: "/crm" });
app.addHook("onClose", () => api.close());
app.get("/", async () => "a page of the host");

const address = await app.listen({ host: "127.0.0.1", port: Number(process.env.PORT ?? 3000) });
process.stdout.write(`${address}/crm/integrations/v1\n`);
process.once("SIGTERM", () => void app.close());
