import * as v from "valibot";
import { type Endpoint, endpoint, type HandlerContext } from "../api/endpoint.ts";
import { backupErrorCodes, problemCodes, type SystemStatus, type SystemTools } from "../api/system-tools.ts";
import { dateTime, formatDateTime } from "../model/date-time.ts";
import { ApiError } from "../model/errors.ts";
import { describe, integer, jsonSchema } from "../model/scalars.ts";

const bytes = integer(0, Number.MAX_SAFE_INTEGER);
const tag = { name: "System", description: "The state of the server, for admins." };

const backups = v.pipe(
  v.strictObject({
    isRunning: describe(v.boolean(), "Whether a backup is running."),
    lastAt: describe(v.nullable(dateTime), "Time of the last backup. `null` if there is none."),
    lastBytes: describe(v.nullable(bytes), "Size of the last backup in bytes."),
    error: describe(v.nullable(v.string()), "Why the last backup failed. `null` if it succeeded."),
    errorCode: describe(v.nullable(v.picklist(backupErrorCodes)), "The kind of error. `null` if there is none."),
  }),
  jsonSchema({ title: "Backups", description: "The backups of the database." }),
);

const minute = v.pipe(
  v.strictObject({
    at: describe(dateTime, "Start of the minute."),
    count: describe(integer(0), "Number of requests."),
    clientErrors: describe(integer(0), "Number of responses with a status from 400 to 499."),
    serverErrors: describe(integer(0), "Number of responses with a status from 500."),
    averageMs: describe(v.number(), "Average time from receiving a request to creating its response, in milliseconds."),
  }),
  jsonSchema({ title: "RequestCounts", description: "The requests of the tenant in one minute." }),
);

const status = v.pipe(
  v.strictObject({
    version: describe(v.string(), "Version of the server."),
    startedAt: describe(dateTime, "Time at which the server started."),
    problems: describe(v.array(v.string()), "Why the server can't work normally. Empty if all is well."),
    problemCodes: describe(v.array(v.picklist(problemCodes)), "The kinds of problems, in the same order."),
    database: describe(
      v.nullable(
        v.strictObject({
          bytes: describe(bytes, "Size of the database in bytes."),
          freeBytes: describe(v.nullable(bytes), "Free space on its disk in bytes. `null` if it is unknown."),
        }),
      ),
      "The database file. `null` if several tenants share it, or if the database isn't a file.",
    ),
    backups: describe(
      v.nullable(backups),
      "The backups. `null` if several tenants share the database, or if the server can't make backups.",
    ),
    requests: describe(
      v.array(minute),
      "The requests of the tenant since the start of this server, by minute. At most the last 60 minutes, oldest first. " +
        "Minutes without requests are omitted.",
    ),
  }),
  jsonSchema({ title: "ServerState", description: "The state of the server." }),
);

/** The endpoints that show the state of the server and start a backup. */
export const system: readonly Endpoint[] = [
  endpoint({
    name: "adminGetSystem",
    method: "GET",
    path: "/admin/system",
    summary: "Retrieve the state of the server",
    description:
      "Returns the version, the size of the database, the last backup and the recent requests of the tenant. Returns 404 " +
      "if the server doesn't report its state.",
    tag,
    access: "admin",
    success: { status: 200, data: status },
    errors: ["not_found"],
    example: {},
    async handle({ caller: { tenantId } }, context) {
      return { status: 200, body: { data: toJson(await requireTools(context).status(tenantId)) } };
    },
  }),
  endpoint({
    name: "adminCreateBackup",
    method: "POST",
    path: "/admin/backups",
    summary: "Start a backup",
    description:
      "Starts a backup of the database and returns at once. `GET /admin/system` shows its result. If a backup is running, " +
      "no second one starts. Returns 404 if several tenants share the database, or if the server can't make backups.",
    tag,
    access: "admin",
    success: { status: 200, data: status },
    errors: ["not_found"],
    example: {},
    async handle({ caller: { tenantId } }, context) {
      const tools = requireTools(context);
      if (!(await tools.startBackup(tenantId))) throw new ApiError("not_found", noBackupsMessage);
      return { status: 200, body: { data: toJson(await tools.status(tenantId)) } };
    },
  }),
];

const noBackupsMessage =
  "Only the person who runs this server can make backups: it has several tenants, or its database isn't in a data folder.";

/** @throws ApiError `404 not_found` */
function requireTools({ system: tools }: HandlerContext): SystemTools {
  if (tools === undefined) throw new ApiError("not_found", "This server doesn't report its state.");
  return tools;
}

function toJson({ startedAt, backups, requests, ...others }: SystemStatus) {
  return {
    ...others,
    startedAt: formatDateTime(startedAt),
    problemCodes: others.problemCodes ?? [],
    backups: backups && { ...backups, errorCode: backups.errorCode ?? null, lastAt: formatDateTime(backups.lastAt) },
    requests: requests.map(({ at, count, durationMs, ...errors }) => ({
      at: formatDateTime(at),
      count,
      ...errors,
      averageMs: Math.round((durationMs / count) * 10) / 10,
    })),
  };
}
