import { StorageUnavailable, WriteConflict } from "../storage.ts";

/** What PostgreSQL or the way to it says of an error: its code, and for a violated constraint where. */
export type SqlState = { readonly code: string; readonly constraint?: string; readonly table?: string };

/** Classes of SQLSTATE that speak of the place, not of us: another time they may be gone. */
const passingClasses = ["08", "53", "57", "58", "XX", "25006"];
/**
 * Deadlock, serialization failure, completion unknown, lock not available, a transaction that stood still for too long; and
 * what a standby says of a transaction that is to write: nothing else that we ask for is a feature not supported.
 */
const passingCodes = ["40P01", "40001", "40003", "55P03", "25P03", "25P04", "0A000"];
const constraintClass = "23";
/** A division by zero: so a statement of ours fails where it must touch a row and touches none. */
const untouchedCode = "22012";

/** The error's own words about itself; errors without a SQLSTATE come from the connection. */
export function readSqlState(error: unknown): SqlState | undefined {
  if (!(error instanceof Error) || !("code" in error) || typeof error.code !== "string") return undefined;
  return error as Error & SqlState;
}

/** Whether a write was refused: by a constraint, or because it was overtaken. */
export function isRejectedWrite(error: unknown): boolean {
  if (error instanceof WriteConflict || isNoRowMatched(error)) return true;
  return readSqlState(error)?.code.startsWith(constraintClass) === true;
}

/** Whether a statement found no row where there must be one. */
export function isNoRowMatched(error: unknown): boolean {
  return readSqlState(error)?.code === untouchedCode;
}

/** The error as the interface names it: no driver error leaves the adapter where it is the place's fault. */
export function toStorageError(error: unknown): unknown {
  if (!(error instanceof Error) || error.name === "WriteConflict" || error.name === "StorageUnavailable") return error;
  const code = readSqlState(error)?.code;
  const isState = code !== undefined && /^[0-9A-Z]{5}$/.test(code);
  const passing = isState && (passingCodes.includes(code) || passingClasses.some((start) => code.startsWith(start)));
  if (passing || isConnection(error)) {
    return new StorageUnavailable(`The database cannot be used: ${code ?? error.message}.`, { cause: error });
  }
  return error;
}

/** Sockets say ECONNREFUSED and the like; the pool and the client have no codes of their own. */
function isConnection(error: Error): boolean {
  const code = readSqlState(error)?.code;
  if (code !== undefined) return /^E[A-Z]+$/.test(code);
  return "client" in error || error.constructor === Error;
}
