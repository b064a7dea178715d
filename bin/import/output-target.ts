import { fstatSync, lstatSync, readlinkSync, realpathSync, type Stats, statSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { UsageError } from "../cli/errors.ts";

/** What a name that is written to stands for. */
export type OutputTarget = {
  /** Where its links lead. */
  readonly path: string;
  /** Whether that is a file, or may become one; else it is a pipe or a device, which is written to as it is. */
  readonly isFile: boolean;
};

/** @throws UsageError where it is a folder */
export function resolveOutputTarget(name: string): OutputTarget {
  const found = statSync(name, { throwIfNoEntry: false });
  if (found?.isDirectory()) throw new UsageError(`${name} is a folder. Name a file in it.`);
  if (found === undefined) return { path: linkedTo(name), isFile: true };
  return { path: found.isFile() ? realpathSync(name) : name, isFile: found.isFile() };
}

/** Whether the name and an open descriptor are the same pipe, device or file. */
export function isDescriptor(name: string, descriptor: number): boolean {
  const found = statSync(name, { throwIfNoEntry: false });
  return found !== undefined && isSame(found, fstatSync(descriptor));
}

export function isSame(one: Stats, other: Stats): boolean {
  return one.dev === other.dev && one.ino === other.ino;
}

/** Where a link leads to which nothing is there yet. */
function linkedTo(name: string): string {
  const isLink = lstatSync(name, { throwIfNoEntry: false })?.isSymbolicLink() === true;
  return isLink ? linkedTo(resolve(dirname(name), readlinkSync(name))) : name;
}
