// An older Node can parse this file only, so it must not have static imports.
const minNode = 24;
const { node } = process.versions;

if (Number.parseInt(node, 10) < minNode) {
  process.stderr.write(`crm-integrations requires Node ${minNode} or later. This is Node ${node}.\n`);
  process.exitCode = 1;
} else {
  await import("./program.ts");
}

export {};
