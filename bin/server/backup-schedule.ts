import { spawn } from "node:child_process";
import { constants as access, accessSync, existsSync, readdirSync, rmSync, statSync } from "node:fs";
import { constants, setPriority } from "node:os";
import { join, resolve } from "node:path";
import type { BackupStatus } from "#lib";
import { mkdirPrivate } from "#lib/sqlite";
import { childEnvironment, programCommandLine } from "../cli/child-process.ts";
import { Failure, UsageError } from "../cli/errors.ts";
import { fileTimestamp, parseFileTimestamp } from "../cli/format.ts";
import type { ProgramProcess } from "../cli/program-process.ts";
import { integerSetting, type SettingValues, stringSetting } from "../cli/setting.ts";
import { systemErrorReason } from "../cli/system-error.ts";
import { backupErrorCode } from "./backup-error-code.ts";

export const backupSettings = {
  backupEvery: integerSetting("HOURS", "hours between scheduled backups; 0 disables them", {
    min: 0,
    max: 8760,
    preset: 0,
  }),
  backupKeep: integerSetting("N", "number of backups to keep, of the scheduled ones and of those of admins", {
    min: 1,
    max: 10_000,
    preset: 7,
  }),
  backupDir: stringSetting("DIR", "folder of backups (default: backups in the data folder)"),
} as const;

/** Returns the default folder of backups. */
export function defaultBackupDir(data: string): string {
  return join(data, "backups");
}

type BackupOptions = {
  /** The data folder whose database is backed up. */
  readonly data: string;
  readonly dir: string;
  readonly everyMs: number;
  readonly keep: number;
  /** The command that starts this program. */
  readonly command: readonly [program: string, ...args: string[]];
  readonly env: NodeJS.ProcessEnv;
  readonly report: (error: unknown) => void;
};

const [hourMs, checkIntervalMs] = [3_600_000, 60_000];
/** The start of the file name: `scheduled`, or `requested` by an admin. */
type BackupTrigger = "scheduled" | "requested";
/** The names of backups. No other file is removed. */
const backupName = /^(scheduled|requested)-([\dTZ-]+)\.db$/;
/** Age at which a temporary file belongs to a process that was killed. */
const abandonedAfterMs = hourMs;

/**
 * Creates backups on a schedule, and when an admin asks for one. An overdue backup starts at once. A failed backup is
 * reported, and the next one runs at its normal time.
 * @throws UsageError if the database isn't in a folder
 * @throws Failure if the backup folder isn't writable
 */
export function scheduleBackups(
  program: ProgramProcess,
  values: SettingValues<typeof backupSettings>,
  data: string | undefined,
  report: BackupOptions["report"],
): { readonly schedule: BackupSchedule | undefined; start(): void; stop(): Promise<void> } {
  if (data === undefined && values.backupEvery === 0) return { schedule: undefined, start() {}, stop: async () => {} };
  if (data === undefined) throw new UsageError("--backup-every requires a database in a folder. Set --data.");
  const dir = values.backupDir ?? defaultBackupDir(data);
  if (values.backupEvery > 0) assertWritable(dir);
  const options = {
    data,
    dir,
    everyMs: values.backupEvery * hourMs,
    keep: values.backupKeep,
    command: programCommandLine(program),
    env: childEnvironment(program),
    report,
  };
  const schedule = new BackupSchedule(options);
  const check = (): void => void schedule.backUpIfDue(Date.now());
  let timer: NodeJS.Timeout | undefined;
  return {
    schedule,
    start() {
      if (values.backupEvery === 0) return;
      // A long timeout would be late after the clock is set or the machine sleeps.
      timer = setInterval(check, checkIntervalMs).unref();
      check();
    },
    stop() {
      clearInterval(timer);
      return schedule.stop();
    },
  };
}

/** Checks `--backup-dir` before a database is created. @throws Failure if it isn't writable */
export function assertBackupDir({ backupEvery, backupDir }: SettingValues<typeof backupSettings>): void {
  if (backupEvery > 0 && backupDir !== undefined) assertWritable(backupDir);
}

function assertWritable(dir: string): void {
  try {
    mkdirPrivate(dir);
    accessSync(dir, access.W_OK | access.X_OK);
  } catch (error) {
    throw new Failure(
      `Cannot write backups to ${dir}: ${systemErrorReason(error)}. Choose another folder with --backup-dir.`,
    );
  }
}

/** Runs due backups in a child process, because a copy blocks the process that makes it. */
export class BackupSchedule {
  readonly #options: BackupOptions;
  #attemptedAt = Number.NEGATIVE_INFINITY;
  #running: Promise<void> | undefined;
  #error: Pick<BackupStatus, "error" | "errorCode"> = { error: null };
  #stop = new AbortController();

  constructor(options: BackupOptions) {
    this.#options = options;
  }

  /** Creates a backup if one is due at `now` (milliseconds since 1970). Never rejects. */
  async backUpIfDue(now: number): Promise<void> {
    try {
      if (this.#running !== undefined || this.#isDue(now)) await this.#backUp("scheduled", now);
    } catch (error) {
      this.#options.report(error);
    }
  }

  /** Creates a backup for an admin, unless one is running. Never rejects. */
  backUpNow(now: number): Promise<void> {
    return this.#backUp("requested", now);
  }

  #backUp(trigger: BackupTrigger, now: number): Promise<void> {
    this.#running ??= this.#create(trigger, now).finally(() => {
      this.#running = undefined;
    });
    return this.#running;
  }

  status(): BackupStatus {
    const last = backupsIn(this.#options.dir).at(-1);
    const file = last && statSync(join(this.#options.dir, last.name), { throwIfNoEntry: false });
    return {
      isRunning: this.#running !== undefined,
      lastAt: last?.time ?? null,
      lastBytes: file?.size ?? null,
      ...this.#error,
    };
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#running;
  }

  #isDue(now: number): boolean {
    const { dir, everyMs } = this.#options;
    // Ignore backups with a future time: the clock was wrong when they were made.
    const scheduled = backupsIn(dir).filter(({ trigger }) => trigger === "scheduled");
    const past = [this.#attemptedAt, ...scheduled.map(({ time }) => time)].filter((time) => time <= now);
    return now - Math.max(...past, Number.NEGATIVE_INFINITY) >= everyMs;
  }

  async #create(trigger: BackupTrigger, now: number): Promise<void> {
    const { dir, data } = this.#options;
    try {
      if (trigger === "scheduled") this.#attemptedAt = now;
      mkdirPrivate(dir);
      const name = `${trigger}-${fileTimestamp(now)}.db`;
      await this.#copy(join(dir, name));
      this.#prune(trigger, name);
      this.#error = { error: null };
    } catch (error) {
      if (this.#stop.signal.aborted) return;
      this.#error = { error: (error as Error).message, errorCode: backupErrorCode(dir, data) };
      this.#options.report(error);
    }
  }

  async #copy(target: string): Promise<void> {
    const { env } = this.#options;
    const [program, ...args] = this.#options.command;
    const childArgs = [...args, "backup", "--data", resolve(this.#options.data), "--", resolve(target)];
    const { signal } = this.#stop;
    const child = spawn(program, childArgs, { env, stdio: ["ignore", "ignore", "pipe"], signal });
    // Requests have priority. The backup runs even if the priority can't be set.
    child.once("spawn", () => {
      try {
        setPriority(child.pid ?? 0, constants.priority.PRIORITY_BELOW_NORMAL);
      } catch {}
    });
    let stderr = "";
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      stderr = (stderr + text).slice(0, 2_000);
    });
    const failure = await new Promise<string | undefined>((resolveFailure) => {
      child.once("error", (error) => resolveFailure(error.message));
      child.once("close", (code, signalName) =>
        resolveFailure(code === 0 ? undefined : stderr.trim() || `exited with ${code ?? signalName}`),
      );
    });
    if (failure === undefined) return;
    this.#removeDrafts((name) => name.startsWith(target));
    throw new Failure(`The backup ${target} failed: ${failure}`);
  }

  /** Removes the oldest backups with this trigger. Keeps the new one even if the clock was set back. */
  #prune(trigger: BackupTrigger, created: string): void {
    const { dir, keep } = this.#options;
    const others = backupsIn(dir).filter((each) => each.trigger === trigger && each.name !== created);
    for (const { name } of others.slice(0, Math.max(0, others.length + 1 - keep))) rmSync(join(dir, name));
    this.#removeDrafts((path) => Date.now() - statSync(path).mtimeMs > abandonedAfterMs);
  }

  #removeDrafts(shouldRemove: (path: string) => boolean): void {
    const { dir } = this.#options;
    const drafts = readdirSync(dir).filter((name) =>
      /^(?:scheduled|requested)-.+\.db\.new-[0-9a-f]+(?:-journal)?$/.test(name),
    );
    for (const path of drafts.map((name) => join(dir, name))) if (shouldRemove(path)) rmSync(path, { force: true });
  }
}

type Backup = { readonly name: string; readonly trigger: BackupTrigger; readonly time: number };

/** Lists the backups in a folder, oldest first. */
function backupsIn(dir: string): readonly Backup[] {
  const names = existsSync(dir) ? readdirSync(dir) : [];
  const backups = names.flatMap((name) => {
    const [, trigger, stamp = ""] = backupName.exec(name) ?? [];
    const time = parseFileTimestamp(stamp);
    return time === undefined ? [] : [{ name, trigger: trigger as BackupTrigger, time }];
  });
  return backups.sort((a, b) => a.time - b.time);
}
