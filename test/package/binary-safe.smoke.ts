import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import * as fs from "node:fs";
import { type TestContext, test } from "node:test";
import { smallDisk } from "../prove/failures/small-disk.ts";
import { Binary } from "./binary.ts";

const binary = new Binary();
const shipped = fs.readFileSync(`node_modules/better-sqlite3/prebuilds/${process.platform}-${process.arch}.node`);
fs.mkdirSync(binary.at("tmp"));
const env = { TMPDIR: binary.at("tmp") };
const addon = binary.at("data", "native", "better_sqlite3.node");
const demo = ["--data", "data", "--fixtures", "demo"];

async function startAndStop(t: TestContext, more: NodeJS.ProcessEnv = {}): Promise<void> {
  const { stop } = await binary.serve(t, demo, { ...env, ...more });
  const { code, stderr } = await stop();
  assert.equal(code, 0, stderr);
}

function noexecDisk(t: TestContext): string | undefined {
  const disk = smallDisk(t, 32_768);
  if (disk !== undefined) assert.equal(spawnSync("mount", ["-o", "remount,noexec", disk]).status, 0);
  return disk;
}

test("the SQLite addon is written once with private permissions and leaves no other files", async (t) => {
  await startAndStop(t);
  const before = fs.statSync(addon);
  assert.deepEqual([before.mode & 0o777, fs.statSync(binary.at("data", "native")).mode & 0o777], [0o500, 0o700]);
  assert.ok(fs.readFileSync(addon).equals(shipped));
  await startAndStop(t);
  assert.equal(fs.statSync(addon).ino, before.ino);
  assert.deepEqual(fs.readdirSync(env.TMPDIR), []);
});

test("an addon file that differs or that other users can write to is replaced", async (t) => {
  const faults: Readonly<Record<string, () => void>> = {
    cut: () => fs.truncateSync(addon, 1000),
    changed: () => {
      const bytes = Buffer.from(shipped);
      bytes[bytes.length - 1] = (bytes.at(-1) ?? 0) ^ 1;
      fs.rmSync(addon);
      fs.writeFileSync(addon, bytes, { mode: 0o500 });
    },
    open: () => fs.chmodSync(addon, 0o777),
    link: () => {
      fs.renameSync(addon, binary.at("elsewhere.node"));
      fs.symlinkSync(binary.at("elsewhere.node"), addon);
    },
  };
  for (const [name, inject] of Object.entries(faults)) {
    inject();
    await startAndStop(t);
    const found = fs.lstatSync(addon);
    assert.deepEqual([found.isFile(), found.mode & 0o777], [true, 0o500], name);
    assert.ok(fs.readFileSync(addon).equals(shipped), name);
  }
});

test("a folder that other users can write to is rejected", async (t) => {
  fs.chmodSync(binary.at("data", "native"), 0o777);
  fs.writeFileSync(addon.replace("better", "other"), "");
  fs.truncateSync(addon, 1000);
  await startAndStop(t);
  assert.equal(fs.statSync(addon).size, 1000);
  fs.chmodSync(binary.at("data", "native"), 0o700);
});

test("on a noexec disk the binary uses a temporary folder, and if that is noexec too, the error says what to do", async (t) => {
  const disk = noexecDisk(t);
  if (disk === undefined) return;
  const data = ["--data", `${disk}/data`, "--min-free-mb", "1"];
  const { greeting, stop } = await binary.serve(t, data, env);
  assert.equal((await fetch(`${greeting.url}/readyz`)).status, 200);
  assert.equal((await stop()).code, 0);
  const file = `${disk}/data/native/better_sqlite3.node`;
  const rejected = binary.run(["serve", "--listen", "127.0.0.1:0", ...data], { TMPDIR: disk });
  assert.deepEqual([rejected.code, rejected.stdout], [1, ""]);
  const [before, after, ...more] = rejected.stderr.split(new RegExp(`${disk}/crm-integrations-[^/]+/`));
  assert.deepEqual(
    [before, after, more],
    [
      `crm-integrations: Cannot load SQLite from a file: ${file} is on a disk that is mounted noexec; `,
      "better_sqlite3.node is on a disk that is mounted noexec. " +
        "Set TMPDIR to a folder that allows executable files.\n",
      [],
    ],
  );
});

test("Node environment variables don't change what the binary runs", async (t) => {
  const evil = binary.at("evil.cjs");
  fs.writeFileSync(evil, `require("node:fs").writeFileSync(${JSON.stringify(binary.at("evil.txt"))}, "ran")`);
  for (const options of [`--require ${evil}`, `--import ${evil}`, "--inspect-brk=127.0.0.1:0", "--no-such-option"]) {
    const { code, stdout, stderr } = binary.run(["version"], { NODE_OPTIONS: options });
    assert.deepEqual([code, stderr], [0, ""], options);
    assert.match(stdout, /^crm-integrations /);
  }
  assert.equal(binary.run([`--node-options=--require ${evil}`, "version"]).code, 2);
  const unsafe = binary.run(["version"], { NODE_TLS_REJECT_UNAUTHORIZED: "0" });
  assert.match(unsafe.stderr, /^crm-integrations: NODE_TLS_REJECT_UNAUTHORIZED is ignored\. .*\n$/);
  assert.equal(binary.run(["version"], { NODE_PATH: binary.folder, NODE_EXTRA_CA_CERTS: "/none" }).code, 0);
  await startAndStop(t, { NODE_OPTIONS: `--require ${evil}` });
  assert.ok(!fs.existsSync(binary.at("evil.txt")));
});

test("SIGUSR1 doesn't open the Node debugger", async (t) => {
  const { greeting, child, stop } = await binary.serve(t, demo, env);
  child.kill("SIGUSR1");
  for (let times = 0; times < 20; times++) assert.equal((await fetch(`${greeting.url}/healthz`)).status, 200);
  const { code, stderr } = await stop();
  assert.equal(code, 0);
  assert.ok(!stderr.includes("Debugger"), stderr);
});

test("a secret in the data folder that other users can read is rejected, and the message says how to fix it", () => {
  const secret = "data/admin.secret";
  fs.chmodSync(binary.at(secret), 0o644);
  const rejected = binary.run(["serve", "--listen", "127.0.0.1:0", ...demo], env);
  assert.deepEqual(rejected, {
    code: 1,
    stdout: "",
    stderr: `crm-integrations: ${secret} contains a secret and other users can access it (mode 644). Run: chmod 600 ${secret}\n`,
  });
  fs.chmodSync(binary.at(secret), 0o600);
});

test("a secret that root shares with the program's group is accepted, and no other shared secret is", (t) => {
  if (process.getuid?.() !== 0) return t.skip("only root can change the owner");
  const otherUser = { uid: 65_534, gid: 65_534 };
  const secret = binary.at("handed");
  fs.chmodSync(binary.folder, 0o755);
  fs.writeFileSync(secret, "s".repeat(40));
  const rights = [
    [0o440, 0, 0],
    [0o640, 0, 0],
    [0o444, 0, 1],
    [0o660, 0, 1],
    [0o440, 65_534, 1],
    [0o400, 65_534, 0],
  ] as const;
  for (const [mode, uid, code] of rights) {
    fs.chmodSync(secret, mode);
    fs.chownSync(secret, uid, otherUser.gid);
    const { code: found, stderr } = binary.run(["config"], { ...env, CRM_ADMIN_SECRET_FILE: secret }, otherUser);
    assert.equal(found, code, `mode ${mode.toString(8)} of ${uid}: ${stderr}`);
  }
});
