import { serve } from "../../../lib/http/server.ts";
import { createApi } from "../../../lib/index.ts";
import { memoryStorage } from "../../../lib/storage/memory.ts";

// Starts the API and closes it. Bun implements the servers of Node differently.
const api = createApi({ storage: memoryStorage() });
const server = await serve(api, { host: "127.0.0.1", port: 0 });
const { status } = await fetch(`${server.url}/integrations/v1/me`);
if (status !== 401) throw new Error(`GET /me without a key returned ${status}`);
const timer = setTimeout(() => {
  throw new Error("close() doesn't end");
}, 10_000);
await server.close();
await api.close();
clearTimeout(timer);
