// An older Node can parse this file only, so it must not have static imports.
const { node } = process.versions;
const [major = 0, minor = 0] = node.split(".").map(Number);

if (major < 22 || (major === 22 && minor < 12)) {
  process.stderr.write(`crm-integrations requires Node 22.12 or later. This is Node ${node}.\n`);
  process.exitCode = 1;
} else {
  await import("./program.ts");
}

export {};
