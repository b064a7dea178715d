import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { endianness } from "node:os";
import { join } from "node:path";
import { root } from "./processes.ts";

/** Returns an environment that counts the fsyncs of a program and can slow them down. */
export type Syncs = { readonly env: Readonly<Record<string, string>>; count(): number };

/** @throws Error if there is no C compiler */
export function watchSyncs(folder: string, slowerMs = 0): Syncs {
  const library = join(folder, "syncs.so");
  execFileSync("gcc", ["-shared", "-fPIC", "-O2", "-o", library, join(root, "bench/syncs.c"), "-ldl"]);
  const file = join(folder, `syncs-${slowerMs}`);
  writeFileSync(file, Buffer.alloc(8));
  const env = { LD_PRELOAD: library, BENCH_SYNCS: file, BENCH_SYNC_MS: String(slowerMs) };
  const offset = endianness() === "LE" ? 0 : 4;
  return { env, count: () => readFileSync(file).readUInt32LE(offset) };
}
