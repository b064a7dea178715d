import { createApi } from "../http/create-api.js";
import { memoryLimiter, unlimited } from "../limits.js";
import { imagedStorage } from "../sqlite/image.js";
import { Counting } from "./counting.js";
const minuteMs = 60_000;
const failuresShare = 5;
const defaultRateLimit = 300;
/** Tests have few keys, and room for more takes milliseconds to make. */
const callersMax = 1_000;
export function emptyWorld(options) {
    const counting = new Counting();
    return made(options, imagedStorage({ secret: counting.random(32) }), counting);
}
export function worldOf(options, { database, ...counts }) {
    return made(options, imagedStorage({ image: database }), new Counting(counts));
}
function made({ clock, rateLimit, api: more }, imaged, counting) {
    const perMinute = (limit) => memoryLimiter({ limit, windowMs: minuteMs, clock, callersMax });
    const { storage } = imaged;
    const api = createApi({
        ...more,
        storage,
        clock,
        ids: counting.newId,
        random: counting.random,
        limiter: rateLimit === 0 ? unlimited : perMinute(rateLimit),
        failureLimiter: perMinute(Math.ceil((rateLimit || defaultRateLimit) / failuresShare)),
    });
    const ending = new AbortController();
    return {
        api,
        storage,
        counting,
        ending: ending.signal,
        image: () => ({ database: imaged.image(), ids: counting.ids, bytes: counting.bytes }),
        close() {
            ending.abort();
            return api.close();
        },
    };
}
