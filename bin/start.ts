// Its module runs before those of the program, which take longer.
import "./early-signals.ts";
import { main } from "./program.ts";

/**
 * Runs the program in this process. Only this module and early-signals.ts read the arguments, the environment and the
 * signals.
 */

// The keys that verify admin tokens are fetched over HTTPS, so certificates must be checked.
if (process.env.NODE_TLS_REJECT_UNAUTHORIZED === "0") {
  delete process.env.NODE_TLS_REJECT_UNAUTHORIZED;
  process.stderr.write(
    "crm-integrations: NODE_TLS_REJECT_UNAUTHORIZED is ignored. To add certificate authorities, set NODE_EXTRA_CA_CERTS=FILE.\n",
  );
}

process.title = "crm-integrations";

void main(process.argv.slice(2), process).then((code) => {
  // Output that waits for the reader of a pipe would be lost, and so would an error of that output.
  process.stdout.write("", () => setImmediate(() => process.exit(code)));
});
