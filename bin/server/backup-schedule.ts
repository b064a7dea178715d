import { spawn } from "node:child_process";
import { constants as access, accessSync, existsSync, readdirSync, rmSync, statSync } from "node:fs";
import { constants, setPriority } from "node:os";
import { join, resolve } from "node:path";
import { mkdirPrivate } from "#lib/sqlite";
import { fileTimestamp, parseFileTimestamp } from "../cli/format.ts";
import { cleanEnvironment, ownCommand } from "../cli/own-command.ts";
import { integerSetting, stringSetting, type Values } from "../cli/setting.ts";
import { Failure, UsageError } from "../cli/usage.ts";

export const backupSettings = {
  backupEvery: integerSetting("HOURS", "back the database up so often; 0: never", { min: 0, max: 8760, preset: 0 }),
  backupKeep: integerSetting("N", "how many of these backups are kept", { min: 1, max: 10_000, preset: 7 }),
  backupDir: stringSetting("DIR", "where they go (default: backups in the data folder)"),
} as const;

/** Where the backups of a data folder go when nothing else is said. */
export function backupDirOf(data: string): string {
  return join(data, "backups");
}

type Plan = {
  /** The data folder whose database is backed up. */
  readonly data: string;
  readonly dir: string;
  readonly everyMs: number;
  readonly keep: number;
  /** The words that start the program that makes a backup. */
  readonly program: readonly [program: string, ...args: string[]];
  readonly report: (error: unknown) => void;
};

const [hourMs, lookEveryMs] = [3_600_000, 60_000];
/** Only files of this form are ever removed. */
const ownName = /^scheduled-([\dTZ-]+)\.db$/;
/** A draft that nobody has written to for so long belongs to a process that was killed. */
const abandonedMs = hourMs;

/**
 * Backs up while the server serves, if that was asked for: at the start where one is due from before. What fails is
 * reported and tried again at the next time.
 * @throws UsageError where there is no folder to back up @throws Failure where nothing can be written
 */
export function scheduleBackups(
  values: Values<typeof backupSettings>,
  data: string | undefined,
  report: Plan["report"],
): { start(): void; stop(): Promise<void> } {
  if (values.backupEvery === 0) return { start() {}, stop: async () => {} };
  if (data === undefined) throw new UsageError("--backup-every needs a database in a folder; name it with --data.");
  const dir = values.backupDir ?? backupDirOf(data);
  assertWritable(dir);
  const plan = {
    data,
    dir,
    everyMs: values.backupEvery * hourMs,
    keep: values.backupKeep,
    program: ownCommand(),
    report,
  };
  const schedule = new BackupSchedule(plan);
  const look = (): void => void schedule.look(Date.now());
  let timer: NodeJS.Timeout | undefined;
  return {
    start() {
      // Looked at every minute: a clock that is set, or a machine that slept, is seen soon.
      timer = setInterval(look, lookEveryMs).unref();
      look();
    },
    stop() {
      clearInterval(timer);
      return schedule.stop();
    },
  };
}

/** Before anything is made: that the folder that is named for backups can be written to. @throws Failure */
export function assertBackupDir({ backupEvery, backupDir }: Values<typeof backupSettings>): void {
  if (backupEvery > 0 && backupDir !== undefined) assertWritable(backupDir);
}

function assertWritable(dir: string): void {
  try {
    mkdirPrivate(dir);
    accessSync(dir, access.W_OK | access.X_OK);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new Failure(`No backup can be written to ${dir} (${code}). Name another folder with --backup-dir.`);
  }
}

/** When the next backup is due, and making it: by another process, because a copy stops the one that makes it. */
export class BackupSchedule {
  readonly #plan: Plan;
  #triedAt = Number.NEGATIVE_INFINITY;
  #underway: Promise<void> | undefined;
  #stop = new AbortController();

  constructor(plan: Plan) {
    this.#plan = plan;
  }

  /** Makes the backup that is due at this time (ms), if one is. Never rejects. */
  look(now: number): Promise<void> {
    this.#underway ??= this.#makeIfDue(now).finally(() => {
      this.#underway = undefined;
    });
    return this.#underway;
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#underway;
  }

  async #makeIfDue(now: number): Promise<void> {
    try {
      const { dir, everyMs } = this.#plan;
      // Times that are still to come were written by a clock that was wrong.
      const past = [this.#triedAt, ...backupsIn(dir).map(({ time }) => time)].filter((time) => time <= now);
      if (now - Math.max(...past, Number.NEGATIVE_INFINITY) < everyMs) return;
      this.#triedAt = now;
      mkdirPrivate(dir);
      const name = `scheduled-${fileTimestamp(now)}.db`;
      await this.#make(join(dir, name));
      this.#retain(name);
    } catch (error) {
      if (!this.#stop.signal.aborted) this.#plan.report(error);
    }
  }

  async #make(target: string): Promise<void> {
    const [program, ...args] = this.#plan.program;
    const words = [...args, "backup", "--data", resolve(this.#plan.data), "--", resolve(target)];
    const { signal } = this.#stop;
    const child = spawn(program, words, { env: cleanEnvironment(), stdio: ["ignore", "ignore", "pipe"], signal });
    // Requests go before it. Where that cannot be said it is made all the same.
    child.once("spawn", () => {
      try {
        setPriority(child.pid ?? 0, constants.priority.PRIORITY_BELOW_NORMAL);
      } catch {}
    });
    let said = "";
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      said = (said + text).slice(0, 2_000);
    });
    const ended = await new Promise<string | undefined>((settle) => {
      child.once("error", (error) => settle(error.message));
      child.once("close", (code, killed) =>
        settle(code === 0 ? undefined : said.trim() || `it ended with ${code ?? killed}`),
      );
    });
    if (ended === undefined) return;
    this.#removeDrafts((name) => name.startsWith(target));
    throw new Failure(`The scheduled backup ${target} was not made: ${ended}`);
  }

  /** The one just made stays whatever its time says. */
  #retain(made: string): void {
    const { dir, keep } = this.#plan;
    const others = backupsIn(dir).filter(({ name }) => name !== made);
    for (const { name } of others.slice(0, Math.max(0, others.length + 1 - keep))) rmSync(join(dir, name));
    this.#removeDrafts((path) => Date.now() - statSync(path).mtimeMs > abandonedMs);
  }

  #removeDrafts(isToGo: (path: string) => boolean): void {
    const { dir } = this.#plan;
    const drafts = readdirSync(dir).filter((name) => /^scheduled-.+\.db\.new-[0-9a-f]+(?:-journal)?$/.test(name));
    for (const path of drafts.map((name) => join(dir, name))) if (isToGo(path)) rmSync(path, { force: true });
  }
}

/** The backups that a schedule made in this folder, the oldest first. */
function backupsIn(dir: string): readonly { readonly name: string; readonly time: number }[] {
  const names = existsSync(dir) ? readdirSync(dir) : [];
  const found = names.flatMap((name) => {
    const time = parseFileTimestamp(ownName.exec(name)?.[1] ?? "");
    return time === undefined ? [] : [{ name, time }];
  });
  return found.sort((a, b) => a.time - b.time);
}
