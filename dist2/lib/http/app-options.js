import { compress } from "hono/compress";
import { cors } from "hono/cors";
const minCompressedBytes = 1024;
/** Returns the middlewares for these options. They change the `Response`. */
export function responseMiddlewares(options) {
    const { corsOrigins = [], compress: compresses = false } = options;
    return [
        ...(corsOrigins.length > 0 ? [cors(corsOptions(corsOrigins))] : []),
        ...(compresses ? [compress({ threshold: minCompressedBytes })] : []),
    ];
}
function corsOptions(origins) {
    return {
        origin: origins.includes("*") ? "*" : [...origins],
        allowMethods: ["GET", "POST", "PATCH", "DELETE"],
        exposeHeaders: [
            ...["ETag", "Idempotent-Replayed", "Link", "Location", "Retry-After", "X-Next-Updated-Since", "X-Request-Id"],
            ...["X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset"],
        ],
        maxAge: 600,
    };
}
