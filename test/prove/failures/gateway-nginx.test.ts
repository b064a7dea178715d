import { test } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { freePort } from "../../support/free-port.ts";
import { assertWorksBehind } from "../../support/gateway.ts";
import { startNginx } from "../../support/nginx.ts";
import { serving, tenantFolder } from "../../support/program.ts";
import { testTenant } from "../../support/tenants.ts";
import { hasCommand } from "./small-disk.ts";

const tenant = testTenant(1);

const location = (port: number, target: string, forwarded: boolean): string => `
  server {
    listen 127.0.0.1:${port};
    location /crm/ {
      proxy_pass ${target}/;
      proxy_http_version 1.1;
      proxy_set_header Connection "";
      proxy_set_header Host $host;
      ${forwarded ? "proxy_set_header X-Forwarded-Prefix /crm;" : ""}
    }
  }`;

for (const forwarded of [false, true]) {
  test(`nginx may remove a prefix, ${forwarded ? "and name it in" : "without"} X-Forwarded-Prefix`, async (t) => {
    if (!hasCommand(t, "nginx", "-v")) return;
    const { file } = tenantFolder(tenant, t);
    const { greeting } = await serving(
      t,
      "--fixtures",
      file,
      "--proxies",
      forwarded ? "1" : "0",
      "--rate-limit",
      "300",
    );
    const port = await freePort();
    startNginx(t, location(port, greeting.url, forwarded));
    const url = `http://127.0.0.1:${port}/crm`;
    const isReady = async () => (await fetch(`${url}/integrations/v1/openapi.json`).catch(() => undefined))?.ok;
    while (!(await isReady())) await wait(50);
    await assertWorksBehind(url, tenant.key);
  });
}
