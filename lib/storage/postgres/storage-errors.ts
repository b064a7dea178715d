import { StorageUnavailable, WriteConflict } from "../storage.ts";

/** An error with an SQLSTATE, and with the violated constraint if there is one. */
export type SqlError = { readonly code: string; readonly constraint?: string; readonly table?: string };

/** Start of the SQLSTATEs of transient errors: connection, resources, intervention, system, internal, read-only. */
const transientClasses = ["08", "53", "57", "58", "XX", "25006"];
/**
 * Further transient SQLSTATEs: deadlock, serialization failure, unknown completion, lock timeout, and the two idle
 * timeouts. 0A000 (feature not supported) is what a standby reports for BEGIN READ WRITE; no other statement causes it.
 */
const transientCodes = ["40P01", "40001", "40003", "55P03", "25P03", "25P04", "0A000"];
/** Not supported: a standby reports it for BEGIN READ WRITE, and Citus for a lock in several shards. */
const notSupported = "0A000";
/** Codes of a statement that fails because of the default transaction mode, of other transactions, or of Citus. */
const repeatableCodes = ["40001", "40P01", "25006", notSupported];
const constraintClass = "23";
/** Statements divide by the number of matched rows, so that they fail if they match none. */
const divisionByZero = "22012";

/** Returns the error if it has a code: an SQLSTATE, or a code such as ECONNREFUSED. */
export function toSqlError(error: unknown): SqlError | undefined {
  if (!(error instanceof Error) || !("code" in error) || typeof error.code !== "string") return undefined;
  return error as Error & SqlError;
}

/** Returns `true` if a write violates a constraint or is stale. */
export function isRejectedWrite(error: unknown): boolean {
  if (error instanceof WriteConflict || isNoRowMatched(error)) return true;
  return toSqlError(error)?.code.startsWith(constraintClass) === true;
}

/** Returns `true` if the database doesn't support a statement. */
export function isNotSupported(error: unknown): boolean {
  return toSqlError(error)?.code === notSupported;
}

/** Returns `true` if a statement failed because it matched no row. */
export function isNoRowMatched(error: unknown): boolean {
  return toSqlError(error)?.code === divisionByZero;
}

/**
 * Returns `true` if nothing was committed, and a repetition in another transaction may succeed or give a better error.
 */
export function isRolledBack(error: unknown): boolean {
  return toStorageUnavailable(error) === error || repeatableCodes.includes(toSqlError(error)?.code ?? "");
}

/** Converts transient errors of the driver to StorageUnavailable. Returns other errors unchanged. */
export function toStorageUnavailable(error: unknown): unknown {
  if (!(error instanceof Error) || error.name === "WriteConflict" || error.name === "StorageUnavailable") return error;
  const code = toSqlError(error)?.code;
  const isSqlState = code !== undefined && /^[0-9A-Z]{5}$/.test(code);
  const isTransient =
    isSqlState && (transientCodes.includes(code) || transientClasses.some((start) => code.startsWith(start)));
  if (!isTransient && !isConnectionError(error)) return error;
  return new StorageUnavailable(`The database can't be used: ${code ?? error.message}.`, { cause: error });
}

/** Sockets set codes such as ECONNREFUSED. Errors of the pool and of the client have no code. */
function isConnectionError(error: Error): boolean {
  const code = toSqlError(error)?.code;
  if (code !== undefined) return /^E[A-Z]+$/.test(code);
  return "client" in error || error.constructor === Error;
}
