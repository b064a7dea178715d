/** Why the server can't work normally, for pages in other languages. */
export const problemCodes = ["disk_low", "read_failed", "write_failed", "newer_schema", "stopping"] as const;
export type ProblemCode = (typeof problemCodes)[number];

/** Why a backup failed. */
export const backupErrorCodes = ["folder_not_writable", "disk_full", "failed"] as const;
export type BackupErrorCode = (typeof backupErrorCodes)[number];

/** The state of the server for an admin of one tenant. Times are in milliseconds since 1970. */
export type SystemStatus = {
  readonly version: string;
  readonly startedAt: number;
  /** Why the server can't work normally, as sentences. Empty if all is well. */
  readonly problems: readonly string[];
  /** The codes of the problems, in the same order. */
  readonly problemCodes?: readonly ProblemCode[];
  /** Null if the database belongs to several tenants, or isn't a file. */
  readonly database: { readonly bytes: number; readonly freeBytes: number | null } | null;
  /** Null if the admin can't make backups. */
  readonly backups: BackupStatus | null;
  /** The requests of the tenant since the start, by minute: at most the last 60 minutes, oldest first. */
  readonly requests: readonly RequestCounts[];
};

export type BackupStatus = {
  readonly isRunning: boolean;
  /** Null if there is none. */
  readonly lastAt: number | null;
  readonly lastBytes: number | null;
  /** Why the last backup failed. */
  readonly error: string | null;
  readonly errorCode?: BackupErrorCode;
};

/** The requests in the minute that starts at `at`. */
export type RequestCounts = {
  readonly at: number;
  readonly count: number;
  /** Responses with a status from 400 to 499, and from 500. */
  readonly clientErrors: number;
  readonly serverErrors: number;
  /** The sum of the durations, in milliseconds. */
  readonly durationMs: number;
};

/** Gives admins the state of the server. Implemented by the program that serves the API. */
export type SystemTools = {
  status(tenantId: string): Promise<SystemStatus>;
  /** Starts a backup unless one is running. Returns false if the admin can't make backups. */
  startBackup(tenantId: string): Promise<boolean>;
};
