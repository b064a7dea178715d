import { texts } from "../texts.ts";
import { textOf } from "../ui/error-text.ts";
import type { Minute } from "./charts.tsx";

export type Backups = {
  readonly isRunning: boolean;
  readonly lastAt: string | null;
  readonly lastBytes: number | null;
  readonly error: string | null;
  readonly errorCode: string | null;
};

export type System = {
  readonly version: string;
  readonly startedAt: string;
  readonly problems: readonly string[];
  readonly problemCodes: readonly string[];
  readonly database: { readonly bytes: number; readonly freeBytes: number | null } | null;
  readonly backups: Backups | null;
  readonly requests: readonly Minute[];
};

const { problems: problemTexts, backupErrors, backupFailed, noBackup } = texts.system;

/** Describes the problems of the server and its backups. A code of a newer server has only a message. */
export function describeProblems({ problems, problemCodes, backups }: System): readonly string[] {
  return [
    ...problems.map((message, index) => textOf(problemTexts, problemCodes[index]) ?? message),
    ...(backups?.lastAt === null ? [noBackup] : []),
    ...(backups && backups.error !== null
      ? [backupFailed(textOf(backupErrors, backups.errorCode) ?? backups.error)]
      : []),
  ];
}
