// An older Node can parse this file only, so the build must include all static imports.
import "./early-signals.ts";

const { node } = process.versions;
const [major = 0, minor = 0] = node.split(".").map(Number);

if (major < 22 || (major === 22 && minor < 14)) {
  process.stderr.write(`crm-integrations requires Node 22.14 or later. This is Node ${node}.\n`);
  process.exitCode = 1;
} else {
  await import("./start.ts");
}
