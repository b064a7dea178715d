import { call, read } from "../api.ts";
import { displayNumber, language } from "../language.ts";
import { useRefresh } from "../requests/refresh.ts";
import { RequestCounts } from "../requests/request-counts.tsx";
import { texts } from "../texts.ts";
import { formatTime } from "../ui/date-text.ts";
import { useAction, useLoad } from "../ui/load.ts";
import { ErrorNotice, LoadStatus } from "../ui/notice.tsx";
import { Page } from "../ui/page.tsx";
import { byPeriod, Chart, lastHour } from "./charts.tsx";
import { type Backups, describeProblems, type System } from "./describe-system.ts";

const text = texts.system;

/** The health of the server, its database and backups, and the recent requests of the tenant. */
export function SystemScreen() {
  const system = useLoad((signal) => read<System>("api/admin/system", { signal }), "");
  useRefresh(system.reload);
  return (
    <Page title={texts.nav.system}>
      <LoadStatus of={system} />
      {system.value && <Status system={system.value} onChanged={system.reload} />}
    </Page>
  );
}

function Status({ system, onChanged }: { readonly system: System; onChanged(): void }) {
  const { version, startedAt, database, backups, requests } = system;
  const problems = describeProblems(system);
  const now = Date.now();
  const counts = byPeriod(requests, now, lastHour, ({ count }) => count);
  const errors = byPeriod(requests, now, lastHour, ({ clientErrors, serverErrors }) => clientErrors + serverErrors);
  const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
  const durations = byPeriod(requests, now, lastHour, ({ averageMs }) => averageMs);
  const total = sum(counts);
  const averageMs = requests.reduce((each, { count, averageMs: ms }) => each + count * ms, 0) / Math.max(total, 1);
  return (
    <>
      <dl class="details">
        <dt>{text.health}</dt>
        <dd>{problems.length === 0 ? text.healthy : problems.join(" ")}</dd>
        <dt>{text.version}</dt>
        <dd>{version}</dd>
        <dt>{text.startedAt}</dt>
        <dd>{formatTime(startedAt)}</dd>
        {database && (
          <>
            <dt>{text.databaseSize}</dt>
            <dd>{formatBytes(database.bytes)}</dd>
            {database.freeBytes !== null && (
              <>
                <dt>{text.freeSpace}</dt>
                <dd>{formatBytes(database.freeBytes)}</dd>
              </>
            )}
          </>
        )}
      </dl>
      <h2>{text.lastHour}</h2>
      <div class="charts">
        <Chart title={text.requests} summary={displayNumber(total)} values={counts} />
        <Chart title={text.errors} summary={displayNumber(sum(errors))} values={errors} scale={counts} />
        <Chart title={text.duration} summary={texts.requests.milliseconds(averageMs)} values={durations} />
      </div>
      <RequestCounts />
      <h2>{text.backups}</h2>
      {backups ? <BackupPanel backups={backups} onChanged={onChanged} /> : <p>{text.noBackups}</p>}
    </>
  );
}

function BackupPanel({ backups, onChanged }: { readonly backups: Backups; onChanged(): void }) {
  const start = useAction(() => call("POST", "api/admin/backups"), onChanged);
  return (
    <>
      <p role="status">
        {backups.isRunning
          ? text.backupRunning
          : backups.lastAt === null
            ? text.noBackup
            : text.lastBackup(formatTime(backups.lastAt), formatBytes(backups.lastBytes ?? 0))}
      </p>
      {start.error && <ErrorNotice error={start.error} focus />}
      <button type="button" disabled={start.isRunning} onClick={() => start.run()}>
        {text.backUpNow}
      </button>
    </>
  );
}

function formatBytes(bytes: number): string {
  const units = ["byte", "kilobyte", "megabyte", "gigabyte", "terabyte"];
  const power = Math.min(Math.floor(Math.log10(Math.max(bytes, 1)) / 3), units.length - 1);
  const options = { style: "unit", unit: units[power] ?? "byte", maximumFractionDigits: 1 } as const;
  return new Intl.NumberFormat(language, options).format(bytes / 1000 ** power);
}
