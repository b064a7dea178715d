import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { suite, test } from "node:test";
import { unable } from "./power-loss-crm.ts";
import { type Arrives, Disk } from "./power-loss-disk.ts";
import type { Event } from "./power-loss-log.ts";
import { contentOf, record, recordedContentOf } from "./power-loss-run.ts";

const untraced = spawnSync("strace", ["-o", "/dev/null", "true"]).status !== 0 && "needs strace";

const nothing: Arrives = () => false;
const everything: Arrives = () => true;
const [root, file, other] = [1, 2, 3];

/** A disk after these events, in an empty folder. */
function diskAfter(...events: readonly Event[]): Disk {
  const disk = new Disk();
  for (const event of [{ kind: "start", inode: root } as const, ...events]) disk.play(event);
  return disk;
}

/** The names that are there, each with its content. */
function left(disk: Disk, arrives: Arrives): Record<string, string> {
  const { files } = disk.after(arrives, () => 0x7e);
  return Object.fromEntries([...files].map(([path, bytes]) => [path, bytes.toString("latin1")]));
}

const create = (path: string, inode = file): Event => ({ kind: "create", inode, path });
const write = (text: string, offset = 0, inode = file): Event => {
  return { kind: "write", inode, offset, bytes: Buffer.from(text) };
};
const sync = (inode: number): Event => ({ kind: "sync", inode });

suite("a disk that promises as little as it may", () => {
  test("fsync persists the bytes of a file and the entries of a folder, and nothing else", () => {
    const unsynced = diskAfter(create("a"), write("one"));
    assert.deepEqual([left(unsynced, nothing), left(unsynced, everything)], [{}, { a: "one" }]);
    const bytes = diskAfter(create("a"), write("one"), sync(file));
    assert.deepEqual([left(bytes, nothing), left(bytes, everything)], [{}, { a: "one" }]);
    const names = diskAfter(create("a"), write("one"), sync(root));
    assert.deepEqual([left(names, nothing), left(names, everything)], [{ a: "" }, { a: "one" }]);
    const both = diskAfter(create("a"), write("one"), sync(root), sync(file));
    assert.deepEqual([left(both, nothing), left(both, everything)], [{ a: "one" }, { a: "one" }]);
    const again = diskAfter(create("a"), write("one"), sync(root), sync(file), write("two"));
    assert.deepEqual([left(again, nothing), left(again, everything)], [{ a: "one" }, { a: "two" }]);
  });

  test("a write tears at sector boundaries, and missing sectors read as garbage within the file size", () => {
    const [x, y] = ["x".repeat(512), "y".repeat(512)];
    const disk = diskAfter(create("a"), sync(root), write(x + y));
    const second: Arrives = (_, part) => part === "size" || part === 1;
    assert.deepEqual(left(disk, second), { a: "~".repeat(512) + y });
    const short: Arrives = (_, part) => part !== "size";
    assert.deepEqual(left(disk, short), { a: "" });
  });

  test("a sector holds one complete version, and a write leaves the other bytes unchanged", () => {
    const disk = diskAfter(create("a"), sync(root), write("abcdef"), sync(file), write("XY", 1), write("Z", 4));
    const place = { first: 5, second: 6 };
    const until =
      (last: number): Arrives =>
      (change) =>
        change <= last;
    assert.deepEqual(left(disk, until(place.first)), { a: "aXYdef" });
    assert.deepEqual(left(disk, until(place.second)), { a: "aXYdZf" });
    const later: Arrives = (change) => change === place.second;
    assert.deepEqual(left(disk, later), { a: "aXYdZf" });
  });

  test("a truncated file has its content from one point in time", () => {
    const resize = (size: number): Event => ({ kind: "resize", inode: file, size });
    const disk = diskAfter(create("a"), sync(root), write("abcdef"), sync(file), resize(2), write("Z", 3));
    const moments = [4, 5, 6].map((last) => left(disk, (change) => change <= last));
    assert.deepEqual(moments, [{ a: "abcdef" }, { a: "ab" }, { a: "ab\0Z" }]);
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
    assert.deepEqual([left(renamed, nothing), left(renamed, everything)], [{ a: "one", b: "two" }, { b: "one" }]);
    const moved = diskAfter(...two, { kind: "link", inode: file, path: "c" }, { kind: "unlink", path: "a" });
    assert.deepEqual(
      [8, 9].map((change) => left(moved, (each) => each === change)),
      [{ a: "one", b: "two", c: "one" }, { b: "two" }],
    );
  });

  test("a folder whose directory entry wasn't synced is lost with its content", () => {
    const inner: Event[] = [{ kind: "folder", inode: 4, path: "d" }, create("d/a"), write("one"), sync(file), sync(4)];
    assert.deepEqual(left(diskAfter(...inner), nothing), {});
    assert.deepEqual(left(diskAfter(...inner, sync(root)), nothing), { "d/a": "one" });
  });
});

/** The calls of a kind that the system saw for the folder and that did something. */
function traced(trace: string, folder: string, call: string): number {
  const begins = new RegExp(`^\\d+ +(?:${call})\\((?:\\d+<|AT_FDCWD<[^>]*>, )?"?${folder}`);
  return trace.split("\n").filter((line) => begins.test(line) && !/ = -1 /.test(line)).length;
}

test("the recorder records every system call that strace sees", {
  skip: unable() ?? untraced,
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
  const run = await record(t, [{ servers: 1, writes: 5, end: "stopped" }], { launcher });
  const text = readFileSync(trace, "utf8");
  const seen = Object.entries(calls).map(([name, call]) => [name, traced(text, run.machine.root, call)]);
  const count = (...kinds: Event["kind"][]): number => run.events.filter(({ kind }) => kinds.includes(kind)).length;
  const told = { writes: count("write"), syncs: count("sync"), sizes: count("resize") };
  assert.deepEqual(Object.fromEntries(seen), { ...told, names: count("rename", "link", "unlink", "folder") });
  assert.deepEqual(recordedContentOf(run), contentOf(run));
});
