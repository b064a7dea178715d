import { serve } from "@hono/node-server";
import { createApi } from "crm-integrations";
import { Hono } from "hono";
import { demoStorage } from "../demo-storage.ts";

const api = createApi({ storage: await demoStorage() });
const app = new Hono();
app.route("/crm", api.app());
app.get("/", (c) => c.text("a page of the host"));

const server = serve(
  { fetch: app.fetch, hostname: "127.0.0.1", port: Number(process.env.PORT ?? 3000) },
  ({ port }) => {
    process.stdout.write(`http://127.0.0.1:${port}/crm/integrations/v1\n`);
  },
);
process.once("SIGTERM", () => server.close(() => void api.close()));
