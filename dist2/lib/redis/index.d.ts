export { type RedisClient, redisLimiter } from "./limiter.ts";
