import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { temporaryFolder } from "./temporary-folder.ts";

/** Starts nginx with the content of its `http` block. It ends with the test. */
export function startNginx(t: TestContext, http: string): void {
  let stop: (() => Promise<unknown>) | undefined;
  // nginx ends before its folder is removed.
  t.after(() => stop?.());
  const folder = temporaryFolder(t);
  const file = join(folder, "nginx.conf");
  const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map(
    (name) => `  ${name}_temp_path ${folder}/${name};`,
  );
  writeFileSync(
    file,
    `daemon off; pid ${folder}/nginx.pid; error_log stderr crit; worker_processes 1;
events {}
http {
  access_log off;
${temporary.join("\n")}
${http}
}`,
  );
  const nginx = spawn("nginx", ["-e", "stderr", "-p", folder, "-c", file], { stdio: ["ignore", "ignore", "inherit"] });
  const ended = once(nginx, "exit");
  stop = () => {
    nginx.kill();
    return ended;
  };
}
