import { execFileSync } from "node:child_process";
import { noCitus } from "./support/citus-cluster.ts";

/** `npm run test:citus` runs test/citus on clusters of its own, or prints why it doesn't. */
if (noCitus) {
  process.stdout.write(`skipped: ${noCitus}\n`);
  process.exit(0);
}
execFileSync(process.execPath, ["--import", "tsx", "test/run.ts", "citus"], { stdio: "inherit" });
