import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, globSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { run, temporaryFolder } from "./serve-demo.ts";

/**
 * `npm run test:package` after `npm run build`: the package as others get it, in a project of theirs. Nothing of this
 * checkout is reached but its dependencies.
 */

const root = fileURLToPath(new URL("..", import.meta.url));
const project = temporaryFolder();
const modules = join(project, "node_modules");
const { exports, files } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
  exports: Readonly<Record<string, { default: string } | string>>;
  files: readonly string[];
};
const doors = Object.keys(exports).filter((door) => typeof exports[door] !== "string");
const names = doors.map((door) => `crm-integrations${door.slice(1)}`);

mkdirSync(join(modules, "crm-integrations"), { recursive: true });
for (const name of readdirSync(join(root, "node_modules"))) {
  symlinkSync(join(root, "node_modules", name), join(modules, name));
}
for (const file of ["package.json", "README.md", ...files]) {
  cpSync(join(root, file), join(modules, "crm-integrations", file), { recursive: true });
}
for (const file of ["examples", "fixtures"]) cpSync(join(root, file), join(project, file), { recursive: true });
writeFileSync(join(project, "package.json"), '{ "type": "module" }');

/** Runs Node in the project, on TypeScript as it is. */
function node(...args: string[]) {
  return run(
    process.execPath,
    args.map((arg) => (arg.endsWith(".ts") ? join(project, arg) : arg)),
  );
}

test("every door opens, to import and to require", async () => {
  const imports = names.map((name, index) => `import * as door${index} from "${name}";`);
  const list = names.map((_, index) => `Object.keys(door${index}).length > 0`);
  writeFileSync(join(project, "doors.ts"), `${imports.join("\n")}\nprocess.stdout.write(JSON.stringify([${list}]));\n`);
  const all = JSON.stringify(names.map(() => true));
  const imported = await node("doors.ts");
  assert.deepEqual([imported.stdout, imported.stderr], [all, ""]);
  const required = `${JSON.stringify(names)}.map((name) => Object.keys(require(name)).length > 0)`;
  writeFileSync(join(project, "doors.cts"), `process.stdout.write(JSON.stringify(${required}));\n`);
  const { stdout } = await run(process.execPath, [join(project, "doors.cts")]);
  assert.equal(stdout, all);
});

test("the types of every door hold in a strict project, our declarations included", async () => {
  const compilerOptions = { module: "nodenext", target: "es2024", strict: true, noEmit: true, types: ["node"] };
  const options = { ...compilerOptions, allowImportingTsExtensions: true };
  const include = ["doors.ts", ...globSync("examples/*/server.ts", { cwd: root })];
  writeFileSync(join(project, "tsconfig.json"), JSON.stringify({ compilerOptions: options, include }));
  const { stdout } = await run(process.execPath, [join(root, "node_modules/typescript/bin/tsc"), "-p", project]);
  assert.deepEqual(
    stdout.split("\n").filter((line) => line.includes("crm-integrations") || line.startsWith("examples")),
    [],
  );
});

for (const server of globSync("examples/*/server.ts", { cwd: root }).sort()) {
  test(`${server} runs from the package`, { timeout: 60_000 }, async (t) => {
    const env = { ...process.env, PORT: "0" };
    const child = spawn(process.execPath, [join(project, server)], { env, stdio: ["ignore", "pipe", "pipe"] });
    t.after(() => child.kill("SIGKILL"));
    const [said, closed] = [text(child.stderr), once(child, "close")];
    const ended = closed.then(async () => assert.fail(`it ended before it served: ${await said}`));
    ended.catch(() => {});
    const [base] = (await Promise.race([once(createInterface(child.stdout), "line"), ended])) as [string];
    assert.equal((await fetch(`${base}/me`)).status, 401);
    child.kill("SIGTERM");
    assert.deepEqual([await closed, await said], [[0, null], ""]);
  });
}
