import { constants } from "node:buffer";
import { readFileSync, statSync } from "node:fs";
import { parseTenantFile, TenantFileRefused } from "../lib/tenant-file/index.ts";
import { shippedTenantFile } from "./shipped.ts";

/** Names that stand for several of the files that come along. */
const sets: Readonly<Record<string, readonly string[]>> = { "two-tenants": ["minimal", "second"] };

/** The longest text that there can be in one piece. */
const sizeMax = constants.MAX_STRING_LENGTH;

/** The tenant files that a name or path stands for. @throws TenantFileRefused */
export function readTenantFiles(name: string): readonly { readonly name: string; readonly content: unknown }[] {
  const names = Object.hasOwn(sets, name) ? (sets[name] ?? []) : [name];
  return names.map((each) => ({ name: each, content: readTenantFile(each) }));
}

/** What a tenant file on stdin says. @throws TenantFileRefused */
export async function readTenantFileFromStdin(): Promise<unknown> {
  const pieces: Uint8Array[] = [];
  let size = 0;
  for await (const piece of process.stdin as AsyncIterable<Uint8Array>) {
    size += piece.length;
    if (size > sizeMax) throw tooLarge("stdin");
    pieces.push(piece);
  }
  return parsed("stdin", Buffer.concat(pieces));
}

/** What a tenant file says: one that comes along, by its name, or any other by its path. @throws TenantFileRefused */
function readTenantFile(name: string): unknown {
  return parsed(name, shippedTenantFile(name) ?? readFile(name));
}

function parsed(name: string, bytes: Uint8Array): unknown {
  try {
    return parseTenantFile(bytes);
  } catch (error) {
    throw error instanceof TenantFileRefused ? new TenantFileRefused(`${name}: ${error.message}`) : error;
  }
}

function readFile(path: string): Uint8Array {
  try {
    if (statSync(path).size > sizeMax) throw tooLarge(path);
    return readFileSync(path);
  } catch (error) {
    if (error instanceof TenantFileRefused) throw error;
    throw new TenantFileRefused(`The tenant file ${path} cannot be read: ${(error as NodeJS.ErrnoException).code}.`);
  }
}

function tooLarge(name: string): TenantFileRefused {
  const way = "A database of any size is moved by backup and restore.";
  return new TenantFileRefused(`${name} is larger than ${sizeMax} bytes, the most that a tenant file may have. ${way}`);
}
