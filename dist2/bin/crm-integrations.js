#!/usr/bin/env node
const needed = 24;
const { node } = process.versions;
if (Number.parseInt(node, 10) < needed) {
  process.stderr.write(`crm-integrations needs Node ${needed} or later; this is ${node}.
`);
  process.exitCode = 1;
} else {
  await import("./program.js");
}
