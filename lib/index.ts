export { type AdminAuth, type AdminClaims, signAdminToken } from "./auth/admin-token.ts";
export type { Caller, Endpoint } from "./endpoint.ts";
export { ApiError, type ErrorCode, type Problem } from "./errors.ts";
export {
  type Api,
  type ApiOptions,
  createApi,
  type Logger,
  type OperationAnswer,
  type OperationCall,
} from "./http/create-api.ts";
export { uuidV7 } from "./ids.ts";
export type { Clock, Limiter, LimitState } from "./limits.ts";
export { memoryLimiter, systemClock } from "./limits.ts";
export { openApiJson } from "./openapi/description.ts";
export {
  type Credential,
  type Position,
  type Query,
  type Storage,
  StorageUnavailable,
  type Write,
  WriteConflict,
} from "./storage.ts";
