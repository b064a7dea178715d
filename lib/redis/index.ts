export { type RedisClient, redisRateLimiter } from "./redis-rate-limiter.ts";
