import { checkDatabase, type DatabaseCheck, DatabaseError } from "#lib/sqlite";
import { type CheckResult, failed, ok, warning } from "./check-result.ts";

const minuteMs = 60_000;
/** Clock difference between two machines that is normal. */
const maxSkewMs = 2 * minuteMs;
/** A clock outside these years is wrong. */
const [minYear, maxYear] = [2026, 2100];

/** Checks the integrity and schema of the database, and compares the system clock with the newest record. */
export function checkDatabaseFile(file: string, full: boolean, now: number): readonly CheckResult[] {
  try {
    const inspected = checkDatabase({ file, full });
    return [integrity(file, full, inspected), schema(file, inspected), clock(now, inspected.newestAt)];
  } catch (error) {
    if (!(error instanceof DatabaseError)) throw error;
    return [failed("database", error.message), clock(now, undefined)];
  }
}

function integrity(file: string, full: boolean, { errors }: DatabaseCheck): CheckResult {
  const scope = full
    ? "pages, rows, references and indexes"
    : "pages, rows and references (--full also checks the indexes)";
  if (errors.length === 0) return ok("integrity", `no errors in ${scope}`);
  const remedy = "Restore a backup; restore keeps the damaged file.";
  return failed("integrity", `${file} is damaged: ${errors.join("; ")}. ${remedy}`);
}

function schema(file: string, { found, known }: DatabaseCheck): CheckResult {
  if (found === known) return ok("schema", `${found}, current`);
  return warning("schema", `${file} has schema ${found}; this version needs ${known}. Run migrate.`);
}

function clock(now: number, newestAt: number | undefined): CheckResult {
  const time = new Date(now).toISOString();
  const year = new Date(now).getUTCFullYear();
  if (year < minYear || year > maxYear) return failed("clock", `The system clock (${time}) is wrong. Set the clock.`);
  const ahead = (newestAt ?? now) - now;
  if (ahead <= maxSkewMs) return ok("clock", time);
  const difference =
    ahead < 120 * minuteMs ? `${Math.round(ahead / minuteMs)} minutes` : `${Math.round(ahead / minuteMs / 60)} hours`;
  return warning(
    "clock",
    `The system clock (${time}) is ${difference} behind the newest record. Set the clock. Until then, new timestamps continue from the newest record.`,
  );
}
