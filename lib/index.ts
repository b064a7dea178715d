export type { ApiCounts } from "./api/api-counts.ts";
export type { Caller, Endpoint, HostRule, HostRules } from "./api/endpoint.ts";
export type {
  BackupErrorCode,
  BackupStatus,
  ProblemCode,
  RequestCounts,
  SystemStatus,
  SystemTools,
} from "./api/system-tools.ts";
export { type AdminAuth, type AdminClaims, signAdminToken } from "./auth/admin-token.ts";
export { makeApiKey } from "./auth/api-key.ts";
export type { Clock, RateLimiter, RateLimitResult } from "./auth/rate-limiter.ts";
export { memoryRateLimiter, systemClock, unlimitedRateLimiter } from "./auth/rate-limiter.ts";
export type { Authenticate, HostCaller } from "./http/authenticate-request.ts";
export {
  type Api,
  type ApiOptions,
  createApi,
  type Logger,
} from "./http/create-api.ts";
export { openApiJson } from "./http/docs/description.ts";
export type { AppOptions, RawExchange, RequestEnv } from "./http/http-exchange.ts";
export { commonHeaders, type HttpResponse, resolveRequestId } from "./http/http-exchange.ts";
export type { RequestSummary } from "./http/http-runtime.ts";
export type { OperationCall, OperationResult, Operations, UntypedOperations } from "./http/operations.ts";
export type { RunningDelivery, WebhookDeliveryOptions, WebhookOptions } from "./http/webhook-delivery.ts";
export { ApiError, type ErrorCode, type FieldError } from "./model/errors.ts";
export { type Scope, scopes } from "./model/integration.ts";
export { type AnyRecord, type Kind, models, type Records } from "./model/kinds.ts";
export type { Column, ColumnType, Field, Model } from "./model/model.ts";
export { matchesPhone, normalizeEmail, normalizeName, phoneDigits, phoneKey } from "./model/normalize.ts";
export { JsonParseError, parseJsonObject } from "./model/parse-json.ts";
export { collectReferences, type IdReference } from "./model/references.ts";
export { type SearchedKind, searchWords } from "./model/search-words.ts";
export { uuidV7 } from "./model/uuid.ts";
export type { ActiveOpportunity, ContactOpportunities } from "./storage/active-opportunity.ts";
export { cachedReads } from "./storage/cached-reads.ts";
export { memoryRequestLog } from "./storage/memory-request-log.ts";
export { NewerSchema } from "./storage/newer-schema.ts";
export { overlayStorage } from "./storage/overlay.ts";
export type {
  CountedRequests,
  CountQuery,
  RequestEntry,
  RequestLog,
  RequestProblem,
  RequestQuery,
  RequestTotal,
} from "./storage/request-log.ts";
export { maxSortedRecords, type Sort, sortKey } from "./storage/sort.ts";
export {
  type ApiKeyWithScopes,
  advanceClock,
  assertSettingsVersion,
  type CommitConditions,
  changesSettings,
  deriveJsonReads,
  type HandlerStorage,
  isSetting,
  matchConflict,
  type NoMatch,
  type OpenTotal,
  type Position,
  type Query,
  type SearchHit,
  SearchOff,
  type SearchQuery,
  type Storage,
  StorageUnavailable,
  TooManyMatches,
  type Write,
  WriteConflict,
} from "./storage/storage.ts";
export { wrapStorage } from "./storage/wrap-storage.ts";
export { parseAllowedTargets as parseWebhookTargets } from "./webhooks/addresses.ts";
export type { AttemptSummary } from "./webhooks/delivery-context.ts";
export type { WebhookFetch } from "./webhooks/send.ts";
