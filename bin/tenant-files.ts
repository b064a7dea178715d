import { readFileSync } from "node:fs";
import { parseTenantFile, TenantFileRefused } from "../lib/tenant-file/index.ts";
import { shippedTenantFile } from "./shipped.ts";

/** Names that stand for several of the files that come along. */
const sets: Readonly<Record<string, readonly string[]>> = { "two-tenants": ["minimal", "second"] };

/** The tenant files that a name or path stands for. @throws TenantFileRefused */
export function readTenantFiles(name: string): readonly { readonly name: string; readonly content: unknown }[] {
  const names = Object.hasOwn(sets, name) ? (sets[name] ?? []) : [name];
  return names.map((each) => ({ name: each, content: readTenantFile(each) }));
}

/** What a tenant file says: one that comes along, by its name, or any other by its path. @throws TenantFileRefused */
function readTenantFile(name: string): unknown {
  const bytes = shippedTenantFile(name) ?? readFile(name);
  try {
    return parseTenantFile(bytes);
  } catch (error) {
    throw error instanceof TenantFileRefused ? new TenantFileRefused(`${name}: ${error.message}`) : error;
  }
}

function readFile(path: string): Uint8Array {
  try {
    return readFileSync(path);
  } catch (error) {
    throw new TenantFileRefused(`The tenant file ${path} cannot be read: ${(error as NodeJS.ErrnoException).code}.`);
  }
}
