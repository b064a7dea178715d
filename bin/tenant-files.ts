import { readFileSync } from "node:fs";
import { parseTenantFile, TenantFileRefused } from "../lib/tenant-file/index.ts";
import { shippedTenantFile } from "./shipped.ts";

/** What a tenant file says: one that comes along, by its name, or any other by its path. @throws TenantFileRefused */
export function readTenantFile(name: string): unknown {
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
