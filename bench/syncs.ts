import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { endianness } from "node:os";
import { join } from "node:path";
import { root } from "./processes.ts";

/** An environment that counts the fsyncs and the written pages of a program, and can slow fsyncs down. */
export type Syncs = { readonly env: Readonly<Record<string, string>>; count(): number; pages(): number };

/** @throws Error if there is no C compiler */
export function watchSyncs(folder: string, slowerMs = 0): Syncs {
  const library = join(folder, "syncs.so");
  execFileSync("gcc", ["-shared", "-fPIC", "-O2", "-o", library, join(root, "bench/syncs.c"), "-ldl"]);
  const file = join(folder, `syncs-${slowerMs}`);
  writeFileSync(file, Buffer.alloc(16));
  const env = { LD_PRELOAD: library, BENCH_SYNCS: file, BENCH_SYNC_MS: String(slowerMs) };
  const at = (place: number) => (): number => {
    const bytes = readFileSync(file);
    return endianness() === "LE" ? bytes.readUInt32LE(place) : bytes.readUInt32BE(place + 4);
  };
  return { env, count: at(0), pages: at(8) };
}
