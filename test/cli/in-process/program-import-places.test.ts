import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { lstatSync, readFileSync, readlinkSync, symlinkSync } from "node:fs";
import { type TestContext, test } from "node:test";
import { counts, importCrm } from "../../support/import-crm.ts";
import { type Ended, startCommand } from "../../support/program.ts";

const crm = await importCrm();
const good = crm.write("good.csv", "name\nGood\n");
const bad = crm.write("bad.csv", 'name,phone\n"",1\n');

/** A device that accepts everything, as /dev/null does. If it can't be created, undefined, and the test is skipped. */
function sink(t: TestContext, name: string): string | undefined {
  try {
    execFileSync("mknod", [crm.path(name), "c", "1", "3"], { stdio: "pipe" });
    readFileSync(crm.path(name));
    return crm.path(name);
  } catch (error) {
    t.skip(`no device can be made here: ${(error as Error).message}`);
    return undefined;
  }
}

function pipe(name: string): string {
  execFileSync("mkfifo", [crm.path(name)]);
  return crm.path(name);
}

function reader(t: TestContext, file: string): Promise<Ended> {
  return startCommand(t, ["cat", file]).ended;
}

test("rejected rows and exports can be written to a device file", async (t) => {
  const device = sink(t, "null");
  if (device === undefined) return;
  for (const [file, more] of [
    [good, []],
    [good, ["--dry-run"]],
    [bad, ["--dry-run"]],
    [bad, []],
  ] as const) {
    const done = await crm.import(file, "account", "--rejected", device, ...more);
    assert.equal(done.rejected, file === bad ? 1 : 0, done.program.stderr);
    assert.ok(lstatSync(device).isCharacterDevice(), `${file} ${more.join(" ")}`);
  }
  const { code, stderr } = await crm.run("export", [device, "--entity", "account"]);
  assert.deepEqual([code, stderr, lstatSync(device).isCharacterDevice()], [0, "", true]);
  assert.deepEqual([crm.has("null.old"), crm.has("null.part"), crm.has("null.progress.json")], [false, false, false]);
});

test("a named pipe receives the export or the rejected rows, even if there are none", {
  timeout: 60_000,
}, async (t) => {
  const file = pipe("pipe");
  const exported = reader(t, file);
  assert.equal((await crm.run("export", [file, "--entity", "account", "--fields", "name"])).code, 0);
  assert.match((await exported).stdout, /^name\n/);
  const none = reader(t, file);
  assert.equal((await crm.import(good, "account", "--rejected", file)).rejected, 0);
  assert.equal((await none).stdout, "");
  const one = reader(t, file);
  assert.equal((await crm.import(bad, "account", "--rejected", file)).rejected, 1);
  assert.match((await one).stdout, /^name,phone,_line,_errors.*\n,1,2,name is required\./);
  const withoutReader = await crm.run("import", [bad, "--entity", "account", "--rejected", file]);
  assert.deepEqual([withoutReader.code, withoutReader.stdout], [1, ""]);
  assert.match(
    withoutReader.stderr,
    /No process reads .*pipe, the target for rejected rows\. Start the reader first\./,
  );
});

test("a symbolic link is followed: its target is replaced, and earlier rejected rows are renamed", async () => {
  const target = crm.write("target.csv", "as it was");
  symlinkSync(target, crm.path("link.csv"));
  symlinkSync("later.csv", crm.path("dangling.csv"));
  for (const link of ["link.csv", "dangling.csv"])
    assert.equal((await crm.run("export", [crm.path(link), "--entity", "account", "--fields", "name"])).code, 0);
  assert.match(crm.read("target.csv"), /^name\n/);
  assert.equal(crm.read("later.csv"), crm.read("target.csv"));
  assert.equal(readlinkSync(crm.path("link.csv")), target);

  crm.write("target.csv", "older rows");
  await crm.import(good, "account", "--rejected", crm.path("link.csv"));
  assert.deepEqual([crm.read("target.csv"), crm.has("target.csv.old")], ["older rows", false]);
  const done = await crm.import(bad, "account", "--rejected", crm.path("link.csv"));
  assert.equal(done.rejected, 1);
  assert.deepEqual([crm.read("target.csv.old"), readlinkSync(crm.path("link.csv"))], ["older rows", target]);
  assert.match(crm.read("target.csv"), /^name,phone,_line,_errors/);
});

test("--rejected with the imported file or a folder is a usage error", async () => {
  symlinkSync(bad, crm.path("same.csv"));
  const old = crm.write("own.csv.old", crm.read("bad.csv"));
  for (const [file, rejected] of [
    [bad, bad],
    [bad, crm.path("same.csv")],
    [old, crm.path("own.csv")],
  ] as const) {
    const { code, stderr } = await crm.run("import", [file, "--entity", "account", "--rejected", rejected]);
    assert.equal(code, 2, stderr);
    assert.match(stderr, /would overwrite the input .+\. Set another file with --rejected\./);
  }
  assert.equal(crm.read("bad.csv"), 'name,phone\n"",1\n');
  const { code, stderr } = await crm.run("export", [crm.data, "--entity", "account"]);
  assert.deepEqual([code, /data is a folder\. Specify a file\./.test(stderr)], [2, true], stderr);
});

test("an import without rejected rows leaves the file of an earlier import unchanged", async () => {
  const file = crm.write("twice.csv", "name,phone\n,1\nWell,2\n");
  assert.deepEqual(counts(await crm.import(file, "account")), [1, 0, 0, 1]);
  const rejected = crm.read("twice.csv.rejected.csv");
  crm.write("twice.csv", "name\nWell too\n");
  assert.deepEqual(counts(await crm.import(file, "account")), [1, 0, 0, 0]);
  assert.deepEqual([crm.read("twice.csv.rejected.csv"), crm.has("twice.csv.rejected.csv.old")], [rejected, false]);
});
