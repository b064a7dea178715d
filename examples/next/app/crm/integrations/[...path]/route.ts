import { type Api, createApi } from "crm-integrations";
import { toNextHandlers } from "crm-integrations/next";
import { sqliteStorage } from "crm-integrations/sqlite";

// Keep one API per process: in development, Next.js evaluates a changed module again.
const globals = globalThis as { crm?: Api };
globals.crm ??= createApi({ storage: sqliteStorage({ file: "crm-data/crm.db" }) });

export const { GET, HEAD, OPTIONS, POST, PUT, PATCH, DELETE } = toNextHandlers(globals.crm);
