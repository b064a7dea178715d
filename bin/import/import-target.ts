import { hash } from "node:crypto";
import { setTimeout as wait } from "node:timers/promises";
import { ApiError, type OperationCall, scopes, type UntypedOperations } from "#lib";
import { CrmConnectionError, CrmError } from "#lib/client";
import { batchSender, collections, type Entity, type SendBatch, type TransferRequest } from "#lib/transfer";
import { Failure } from "../cli/errors.ts";
import type { OpenTenant } from "../tenants/tenant.ts";
import { connectRemote } from "./remote-server.ts";

/** Where an import writes: a tenant of an open database, or a remote server. */
export type ImportTarget = {
  readonly tenantId: string;
  readonly request: TransferRequest;
  readonly batchSize: number;
  /** Whether the target keeps what a dry run writes until it ends, so that later rows see earlier ones. */
  readonly seesDryRun: boolean;
  /** Returns a function that sends batches. `parts` identify the import: a repeated row creates no second record. */
  sender(entity: Entity, parts: readonly string[]): SendBatch;
};

type LocalTools = {
  readonly stop: AbortSignal;
  /** Returns an error message if the disk space is low, else undefined. */
  readonly shortage: () => string | undefined;
};

/** As many rows as the import endpoint accepts: enough to fill a few group commits. */
const localBatchSize = 512;
const remoteBatchSize = 100;
/** Time to retry while the database is unavailable. */
const maxRetryMs = 60_000;
const retryDelayMs = 100;

/** Returns a tenant of an open database as a target. */
export function localTarget({ api, tenantId, request }: OpenTenant, tools: LocalTools): ImportTarget {
  const operations = api.operations as unknown as UntypedOperations;
  return {
    tenantId,
    request: (...parameters) => retryWhileUnavailable(() => request(...parameters), tools),
    batchSize: localBatchSize,
    seesDryRun: true,
    sender(entity, parts) {
      const plural = collections[entity];
      const run = operations[`import${plural.charAt(0).toUpperCase()}${plural.slice(1)}`] as UntypedOperations[string];
      const idOf = rowIdGenerator([tenantId, entity, ...parts]);
      return async (rows, { dryRun, beforeCommit = async () => {} }) => {
        const sent = rows.map(({ row, operation }) =>
          operation.op === "create" ? { ...operation, newId: idOf(row) } : operation,
        );
        const call: OperationCall = {
          ...{ caller: { tenantId, scopes }, body: { operations: sent }, dryRun },
          beforeCommit: () => beforeCommit().catch(failEarlier),
        };
        const { body } = await retryWhileUnavailable(() => run(call), tools);
        return (body as { readonly data: Awaited<ReturnType<SendBatch>> }).data;
      };
    },
  };
}

/**
 * Creates the IDs of an import: version 8 UUIDs in row order, so that the index grows at its end. They are derived from
 * the file and the row number, so that a repeated row can't create a second record.
 */
function rowIdGenerator(parts: readonly string[]): (row: number) => string {
  const digits = hash("sha256", JSON.stringify(parts));
  const start = digits.replace(/^(.{8})(.{4})(.{3})(.{3})(..).*/, "$1-$2-8$3-8$4-$5");
  return (row) => start + row.toString(16).padStart(10, "0");
}

/** Rejects a batch because the one before failed. The import fails with the error of that one. */
function failEarlier(): never {
  throw new ApiError("conflict", "An earlier batch failed.");
}

/** Retries an action while the database is unavailable. @throws Failure after `maxRetryMs` */
async function retryWhileUnavailable<T>(action: () => Promise<T>, { stop, shortage }: LocalTools): Promise<T> {
  const since = performance.now();
  for (;;) {
    try {
      return await action();
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== 503) throw error;
      const message = shortage();
      // Waiting doesn't free disk space.
      if (message !== undefined) throw new Failure(message);
      if (stop.aborted || performance.now() - since > maxRetryMs)
        throw new Failure("Cannot use the database: it is locked or stopped, or its disk is full.");
      await wait(retryDelayMs);
    }
  }
}

/** Retries of a request. With the rate limit of the server, each can wait for a minute. */
const maxRetries = 8;
const timeoutMs = 60_000;

/** Returns the tenant of an API key on a remote server as a target. @throws Failure @throws UsageError */
export async function remoteTarget(url: string, values: Parameters<typeof connectRemote>[1]): Promise<ImportTarget> {
  const send = connectRemote(url, values, { retries: maxRetries, timeoutMs });
  const request: TransferRequest = async (method, path, options) => {
    try {
      return await send(method, path, options);
    } catch (error) {
      throw isFatal(error) ? new Failure(`${url}: ${describe(error)}`) : error;
    }
  };
  const { tenantId } = ((await request("GET", "/me", {})).body as { data: { tenantId: string } }).data;
  return {
    tenantId,
    request,
    batchSize: remoteBatchSize,
    seesDryRun: false,
    sender(entity, parts) {
      return batchSender(request, entity, hash("sha256", JSON.stringify([entity, ...parts])));
    },
  };
}

/** Returns whether an error isn't about the values of rows. */
function isFatal(error: unknown): error is Error {
  return error instanceof CrmConnectionError || (error instanceof CrmError && ![400, 413, 422].includes(error.status));
}

function describe(error: Error): string {
  const { cause, message } = error;
  const reason = cause instanceof Error && cause.cause instanceof Error ? cause.cause : cause;
  return error instanceof CrmConnectionError && reason instanceof Error ? `${message} ${reason.message}.` : message;
}
