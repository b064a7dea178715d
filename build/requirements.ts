import { spawnSync } from "node:child_process";

/** The oldest versions of the C and C++ libraries with which a Linux file loads. */
export type Requirements = { readonly glibc?: string; readonly glibcxx?: string };

/** Reads from a Linux file which libraries it needs. Returns nothing if objdump (binutils) is not installed. */
export function requirementsOf(file: string): Requirements {
  const { stdout, status } = spawnSync("objdump", ["-T", file], { encoding: "utf8", maxBuffer: 256 * 1024 * 1024 });
  if (status !== 0) return {};
  const newest = (library: string): string => {
    const versions = [...stdout.matchAll(new RegExp(`\\b${library}_([0-9.]+)`, "g"))].map(
      ([, version = ""]) => version,
    );
    return versions.reduce((a, b) => (a.localeCompare(b, "en", { numeric: true }) < 0 ? b : a), "0");
  };
  return { glibc: newest("GLIBC"), glibcxx: newest("GLIBCXX") };
}
