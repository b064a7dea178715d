import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { suite, test } from "node:test";
import { Disk, type Persists } from "./disk.ts";
import type { Event } from "./event-log.ts";
import { skipReason } from "./machine.ts";
import { contentOf, recordedContentOf, recordRun } from "./run.ts";

const straceMissing = spawnSync("strace", ["-o", "/dev/null", "true"]).status !== 0 && "needs strace";

const nothing: Persists = () => false;
const everything: Persists = () => true;
const [root, file, other] = [1, 2, 3];

/** Applies these events to an empty disk. */
function diskAfter(...events: readonly Event[]): Disk {
  const disk = new Disk();
  for (const event of [{ kind: "start", inode: root } as const, ...events]) disk.play(event);
  return disk;
}

/** Returns the content of each file after a power loss. */
function contentAfterLoss(disk: Disk, persists: Persists): Record<string, string> {
  const { files } = disk.after(persists, () => 0x7e);
  return Object.fromEntries([...files].map(([path, bytes]) => [path, bytes.toString("latin1")]));
}

const create = (path: string, inode = file): Event => ({ kind: "create", inode, path });
const write = (text: string, offset = 0, inode = file): Event => {
  return { kind: "write", inode, offset, bytes: Buffer.from(text) };
};
const sync = (inode: number): Event => ({ kind: "sync", inode });

suite("the model of a disk", () => {
  test("fsync persists the bytes of a file and the entries of a folder, and nothing else", () => {
    const unsynced = diskAfter(create("a"), write("one"));
    assert.deepEqual([contentAfterLoss(unsynced, nothing), contentAfterLoss(unsynced, everything)], [{}, { a: "one" }]);
    const bytes = diskAfter(create("a"), write("one"), sync(file));
    assert.deepEqual([contentAfterLoss(bytes, nothing), contentAfterLoss(bytes, everything)], [{}, { a: "one" }]);
    const names = diskAfter(create("a"), write("one"), sync(root));
    assert.deepEqual(
      [contentAfterLoss(names, nothing), contentAfterLoss(names, everything)],
      [{ a: "" }, { a: "one" }],
    );
    const both = diskAfter(create("a"), write("one"), sync(root), sync(file));
    assert.deepEqual(
      [contentAfterLoss(both, nothing), contentAfterLoss(both, everything)],
      [{ a: "one" }, { a: "one" }],
    );
    const again = diskAfter(create("a"), write("one"), sync(root), sync(file), write("two"));
    assert.deepEqual(
      [contentAfterLoss(again, nothing), contentAfterLoss(again, everything)],
      [{ a: "one" }, { a: "two" }],
    );
  });

  test("a write tears at sector boundaries, and missing sectors read as garbage within the file size", () => {
    const [x, y] = ["x".repeat(512), "y".repeat(512)];
    const disk = diskAfter(create("a"), sync(root), write(x + y));
    const second: Persists = (_, part) => part === "size" || part === 1;
    assert.deepEqual(contentAfterLoss(disk, second), { a: "~".repeat(512) + y });
    const short: Persists = (_, part) => part !== "size";
    assert.deepEqual(contentAfterLoss(disk, short), { a: "" });
  });

  test("a sector holds one complete version, and a write leaves the other bytes unchanged", () => {
    const disk = diskAfter(create("a"), sync(root), write("abcdef"), sync(file), write("XY", 1), write("Z", 4));
    const position = { first: 5, second: 6 };
    const upTo =
      (last: number): Persists =>
      (change) =>
        change <= last;
    assert.deepEqual(contentAfterLoss(disk, upTo(position.first)), { a: "aXYdef" });
    assert.deepEqual(contentAfterLoss(disk, upTo(position.second)), { a: "aXYdZf" });
    const onlySecond: Persists = (change) => change === position.second;
    assert.deepEqual(contentAfterLoss(disk, onlySecond), { a: "aXYdZf" });
  });

  test("a truncated file has its content from one point in time", () => {
    const resize = (size: number): Event => ({ kind: "resize", inode: file, size });
    const disk = diskAfter(create("a"), sync(root), write("abcdef"), sync(file), resize(2), write("Z", 3));
    const states = [4, 5, 6].map((last) => contentAfterLoss(disk, (change) => change <= last));
    assert.deepEqual(states, [{ a: "abcdef" }, { a: "ab" }, { a: "ab\0Z" }]);
  });

  test("a rename is atomic, and links and removals are independent", () => {
    const two = [
      create("a"),
      write("one"),
      sync(file),
      create("b", other),
      write("two", 0, other),
      sync(other),
      sync(root),
    ];
    const renamed = diskAfter(...two, { kind: "rename", from: "a", to: "b" });
    assert.deepEqual(
      [contentAfterLoss(renamed, nothing), contentAfterLoss(renamed, everything)],
      [{ a: "one", b: "two" }, { b: "one" }],
    );
    const moved = diskAfter(...two, { kind: "link", inode: file, path: "c" }, { kind: "unlink", path: "a" });
    assert.deepEqual(
      [8, 9].map((change) => contentAfterLoss(moved, (each) => each === change)),
      [{ a: "one", b: "two", c: "one" }, { b: "two" }],
    );
  });

  test("a folder whose directory entry wasn't synced is lost with its content", () => {
    const inner: Event[] = [{ kind: "folder", inode: 4, path: "d" }, create("d/a"), write("one"), sync(file), sync(4)];
    assert.deepEqual(contentAfterLoss(diskAfter(...inner), nothing), {});
    assert.deepEqual(contentAfterLoss(diskAfter(...inner, sync(root)), nothing), { "d/a": "one" });
  });
});

/** Counts the successful system calls of a kind for the folder. */
function traced(trace: string, folder: string, call: string): number {
  const begins = new RegExp(`^\\d+ +(?:${call})\\((?:\\d+<|AT_FDCWD<[^>]*>, )?"?${folder}`);
  return trace.split("\n").filter((line) => begins.test(line) && !/ = -1 /.test(line)).length;
}

test("the recorder records every system call that strace sees", {
  skip: skipReason() ?? straceMissing,
  timeout: 300_000,
}, async (t) => {
  const trace = join(tmpdir(), `crm-power-trace-${process.pid}`);
  t.after(() => rmSync(trace, { force: true }));
  const calls = {
    writes: "write|writev|pwrite64|pwritev|pwritev2",
    syncs: "fsync|fdatasync|sync_file_range|msync",
    sizes: "ftruncate|truncate|fallocate|copy_file_range|sendfile",
    names: "rename|renameat|renameat2|link|linkat|unlink|unlinkat|mkdir|mkdirat|rmdir|symlink|symlinkat",
  };
  const all = Object.values(calls).join("|").replaceAll("|", ",");
  const launcher = ["strace", "-f", "-y", "-A", "--seccomp-bpf", "-e", `trace=${all}`, "-o", trace];
  const run = await recordRun(t, [{ servers: 1, writes: 5, end: "stopped" }], { launcher });
  const text = readFileSync(trace, "utf8");
  const seen = Object.entries(calls).map(([name, call]) => [name, traced(text, run.machine.root, call)]);
  const count = (...kinds: Event["kind"][]): number => run.events.filter(({ kind }) => kinds.includes(kind)).length;
  const recorded = { writes: count("write"), syncs: count("sync"), sizes: count("resize") };
  assert.deepEqual(Object.fromEntries(seen), { ...recorded, names: count("rename", "link", "unlink", "folder") });
  assert.deepEqual(recordedContentOf(run), contentOf(run));
});
