import { fstatSync, lstatSync, readlinkSync, realpathSync, type Stats, statSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { UsageError } from "../cli/errors.ts";

/** The resolved target of an output file name. */
export type OutputTarget = {
  /** The path with symbolic links resolved. */
  readonly path: string;
  /** Whether it is a file or doesn't exist yet. Otherwise it is a pipe or a device. */
  readonly isFile: boolean;
};

/** @throws UsageError if the target is a folder */
export function resolveOutputTarget(name: string): OutputTarget {
  const found = statSync(name, { throwIfNoEntry: false });
  if (found?.isDirectory()) throw new UsageError(`${name} is a folder. Specify a file.`);
  if (found === undefined) return { path: resolveLink(name), isFile: true };
  return { path: found.isFile() ? realpathSync(name) : name, isFile: found.isFile() };
}

/** Returns whether a path and an open descriptor are the same pipe, device or file. */
export function isDescriptor(name: string, descriptor: number): boolean {
  const found = statSync(name, { throwIfNoEntry: false });
  return found !== undefined && isSame(found, fstatSync(descriptor));
}

/** Returns whether both stats belong to the same file. */
export function isSame(one: Stats, other: Stats): boolean {
  return one.dev === other.dev && one.ino === other.ino;
}

/** Resolves a symbolic link whose target doesn't exist yet. */
function resolveLink(name: string): string {
  const isLink = lstatSync(name, { throwIfNoEntry: false })?.isSymbolicLink() === true;
  return isLink ? resolveLink(resolve(dirname(name), readlinkSync(name))) : name;
}
