import type { AddressInfo } from "node:net";
import { createApi } from "crm-integrations";
import { createConsole } from "crm-integrations/console";
import { toExpressMiddleware } from "crm-integrations/express";
import express from "express";
import { demoStorage } from "../demo-storage.ts";

/** An app with the API and the console below /crm. Its page has a link that signs the admin in to the console. */

// Ingrid Solberg of the demo tenant. Your app takes both IDs from its own session, and checks the session before it redirects.
const admin = { tenantId: "01943aa0-bc00-7f06-b989-aece882520fc", userId: "01943aa2-bd4a-7513-bffe-033db0871959" };

const api = createApi({ storage: await demoStorage() });
const crmConsole = createConsole({ api });
const app = express();
app.use("/crm", toExpressMiddleware(crmConsole), toExpressMiddleware(api));
app.get("/", (_, response) => void response.send('<a href="/crm-console">Open the console of the CRM</a>'));
app.get("/crm-console", async ({ protocol, headers: { host } }, response) => {
  response.redirect(await crmConsole.createSignInLink(admin, `${protocol}://${host}/crm`));
});

const server = app.listen(Number(process.env.PORT ?? 3000), "127.0.0.1", () => {
  process.stdout.write(`http://127.0.0.1:${(server.address() as AddressInfo).port}/\n`);
});
process.once("SIGTERM", () => server.close(() => void api.close()));
