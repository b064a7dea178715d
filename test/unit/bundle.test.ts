import assert from "node:assert/strict";
import { test } from "node:test";
import { runInNewContext } from "node:vm";
import { bundleProgram, toAscii } from "../../build/bundle.ts";

test("toAscii changes no value of a script", () => {
  const code = `[/[øłı]/u.test("ł"), /^[^😀]$/u.test("😀"), /\\s*€$/.exec("5 €")[0], "ü", \`→\${1}\`, { ä: 1 }.ä].join()`;
  const ascii = toAscii(code);
  assert.match(ascii, /^[\0-\x7f]*$/);
  assert.equal(runInNewContext(ascii), "true,false, €,ü,→1,1");
});

test("the script of the binary is in ASCII and has less than 1.6 MB, because it stays in memory", async () => {
  const { code } = await bundleProgram();
  // V8 stores a byte for each character only if all of them are in Latin-1.
  assert.match(code, /^[\0-\x7f]+$/);
  assert.ok(code.length < 1_600_000, `${code.length} bytes`);
});
