import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { freePort } from "../../support/free-port.ts";
import { assertWorksBehind } from "../../support/gateway.ts";
import { serving, tenantFolder } from "../../support/program.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import { testTenant } from "../../support/tenants.ts";
import { hasCommand } from "./small-disk.ts";

const tenant = testTenant(1);

function configuration(folder: string, port: number, target: string, forwarded: boolean): string {
  const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map(
    (name) => `  ${name}_temp_path ${folder}/${name};`,
  );
  return `daemon off; pid ${folder}/nginx.pid; error_log stderr; worker_processes 1;
events {}
http {
  access_log off;
${temporary.join("\n")}
  server {
    listen 127.0.0.1:${port};
    location /crm/ {
      proxy_pass ${target}/;
      proxy_http_version 1.1;
      proxy_set_header Connection "";
      proxy_set_header Host $host;
      ${forwarded ? "proxy_set_header X-Forwarded-Prefix /crm;" : ""}
    }
  }
}`;
}

for (const forwarded of [false, true]) {
  test(`nginx may remove a prefix, ${forwarded ? "and name it in" : "without"} X-Forwarded-Prefix`, async (t) => {
    if (!hasCommand(t, "nginx", "-v")) return;
    const { file } = tenantFolder(tenant, t);
    const folder = temporaryFolder(t);
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
    writeFileSync(join(folder, "nginx.conf"), configuration(folder, port, greeting.url, forwarded));
    const nginx = spawn("nginx", ["-e", "stderr", "-p", folder, "-c", join(folder, "nginx.conf")], {
      stdio: ["ignore", "ignore", "inherit"],
    });
    const ended = once(nginx, "exit");
    try {
      const url = `http://127.0.0.1:${port}/crm`;
      const isReady = async () => (await fetch(`${url}/integrations/v1/openapi.json`).catch(() => undefined))?.ok;
      while (!(await isReady())) await wait(50);
      await assertWorksBehind(url, tenant.key);
    } finally {
      nginx.kill();
      await ended;
    }
  });
}
