// Only this file may be read by an older Node: it must not import anything statically.
const needed = 24;
const { node } = process.versions;

if (Number.parseInt(node, 10) < needed) {
  process.stderr.write(`crm-integrations needs Node ${needed} or later; this is ${node}.\n`);
  process.exitCode = 1;
} else {
  await import("./program.ts");
}

export {};
