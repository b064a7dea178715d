import { checkDatabase, type DatabaseCheck, DatabaseError } from "#lib/sqlite";
import { type CheckResult, failed, ok, warning } from "./check-result.ts";

const minuteMs = 60_000;
/** Clocks of two machines differ by so much without anybody being at fault. */
const skewMaxMs = 2 * minuteMs;
/** Before this was written, and after whoever reads this. */
const [yearMin, yearMax] = [2026, 2100];

/** What a look through the database tells: integrity, schema, and this machine's clock beside its newest record. */
export function checkDatabaseFile(file: string, full: boolean, now: number): readonly CheckResult[] {
  try {
    const inspected = checkDatabase({ file, full });
    return [integrity(file, full, inspected), schema(file, inspected), clock(now, inspected.newestAt)];
  } catch (error) {
    if (!(error instanceof DatabaseError)) throw error;
    return [failed("database", error.message), clock(now, undefined)];
  }
}

function integrity(file: string, full: boolean, { faults }: DatabaseCheck): CheckResult {
  const looked = full
    ? "pages, rows, references, indexes and lists"
    : "pages, rows and references (--full: indexes and lists too)";
  if (faults.length === 0) return ok("integrity", `${looked} are as they must be`);
  const way = "Restore a backup; the file that is there is kept beside it.";
  return failed("integrity", `${file} is damaged: ${faults.join("; ")}. ${way}`);
}

function schema(file: string, { found, known }: DatabaseCheck): CheckResult {
  if (found === known) return ok("schema", `${found}, the one of this version`);
  return warning("schema", `${file} has schema ${found}, this version ${known}. Bring it up to date: migrate.`);
}

function clock(now: number, newestAt: number | undefined): CheckResult {
  const time = new Date(now).toISOString();
  const year = new Date(now).getUTCFullYear();
  if (year < yearMin || year > yearMax) return failed("clock", `It is ${time} by this machine. Set its clock.`);
  const ahead = (newestAt ?? now) - now;
  if (ahead <= skewMaxMs) return ok("clock", time);
  const by =
    ahead < 120 * minuteMs ? `${Math.round(ahead / minuteMs)} minutes` : `${Math.round(ahead / minuteMs / 60)} hours`;
  return warning(
    "clock",
    `It is ${time} by this machine, ${by} before the newest record. Set the clock; until then records get later times than it shows.`,
  );
}
