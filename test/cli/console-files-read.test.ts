import assert from "node:assert/strict";
import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { test } from "node:test";
import { openConsole } from "../../bin/server/console.ts";
import { createApi } from "../../lib/index.ts";
import { memoryStorage } from "../../lib/storage/memory.ts";

test("a server reads the files of the console at the first request for one", async (t) => {
  const looked = t.mock.method(fs, "existsSync");
  syncBuiltinESMExports();
  t.after(() => {
    looked.mock.restore();
    syncBuiltinESMExports();
  });
  const listReads = (): number =>
    looked.mock.calls.filter(({ arguments: [path] }) => String(path).endsWith("/dist/console/files.json")).length;
  const api = createApi({ storage: memoryStorage() });
  t.after(() => api.close());
  const values = { console: "on", consoleOrigin: undefined, adminSecret: undefined } as const;
  const database = { currentApi: () => api, folder: undefined, name: undefined };
  const console = openConsole({ ...values } as Parameters<typeof openConsole>[0], database);
  assert.ok(console);
  await console.fetch(new Request("http://localhost/console/api/session"), {});
  assert.equal(listReads(), 0);
  for (let count = 0; count < 2; count++) await console.fetch(new Request("http://localhost/console/"), {});
  assert.equal(listReads(), 1);
});
