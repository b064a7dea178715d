export { type AdminAuth, type AdminClaims, signAdminToken } from "./auth/admin-token.ts";
export { makeApiKey } from "./auth/api-key.ts";
export type { Caller, Endpoint, HostRule, HostRules } from "./endpoint.ts";
export { ApiError, type ErrorCode, type Problem } from "./errors.ts";
export type { HttpAnswer } from "./http/answer.ts";
export type { Address, Asked } from "./http/asked.ts";
export type { Authenticate, Transport, VouchedCaller } from "./http/caller.ts";
export {
  type Api,
  type ApiOptions,
  createApi,
  type Logger,
} from "./http/create-api.ts";
export type { OperationAnswer, OperationCall } from "./http/operations.ts";
export type { RequestSummary } from "./http/summary.ts";
export { uuidV7 } from "./ids.ts";
export type { Clock, Limiter, LimitState } from "./limits.ts";
export { memoryLimiter, systemClock } from "./limits.ts";
export { openApiJson } from "./openapi/description.ts";
export { type Scope, scopes } from "./records/integration.ts";
export { type AnyRecord, type Kind, models, type Records } from "./records/kinds.ts";
export type { Column, ColumnType, Field, Model } from "./records/model.ts";
export {
  type ActiveContact,
  type ActiveOpportunity,
  type Credential,
  clockAfter,
  type Position,
  type Query,
  type Storage,
  StorageUnavailable,
  type Write,
  WriteConflict,
} from "./storage.ts";
