import { type Api, createApi } from "crm-integrations";
import { toNextHandlers } from "crm-integrations/next";
import { sqliteStorage } from "crm-integrations/sqlite";

// One for the process: Next evaluates a module again whenever it has changed.
const kept = globalThis as { crm?: Api };
kept.crm ??= createApi({ storage: sqliteStorage({ file: "crm-data/crm.db" }) });

export const { GET, HEAD, OPTIONS, POST, PUT, PATCH, DELETE } = toNextHandlers(kept.crm);
