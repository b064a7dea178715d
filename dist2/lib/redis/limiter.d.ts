import type { Limiter } from "../limits.ts";
/** What the limiter needs of a client of Redis or Valkey; ioredis fits. */
export type RedisClient = {
    eval(script: string, keysCount: number, ...values: (string | number)[]): Promise<unknown>;
};
/**
 * A limit that several servers share over Redis or Valkey. Where Redis does not answer in time, `fallback` decides,
 * which is usually the limit in this process's memory: no call is ever refused because Redis is away.
 */
export declare function redisLimiter(options: {
    readonly client: RedisClient;
    readonly limit: number;
    readonly windowMs: number;
    readonly fallback: Limiter;
    /** Begins the names of the keys in Redis; "crm:rate:" where it is absent. */
    readonly prefix?: string;
    /** So long a request waits for Redis, in milliseconds; 250 where it is absent. */
    readonly patienceMs?: number;
    /** Told each time the fallback decides, and why: for a log and a metric. */
    readonly onFallback?: (error: unknown) => void;
    /** Told when Redis decides again, for the first time after the fallback did. */
    readonly onReturn?: () => void;
}): Limiter;
