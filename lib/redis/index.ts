export { type RedisClient, redisLimiter } from "./redis-rate-limiter.ts";
