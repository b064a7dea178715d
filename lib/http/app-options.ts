import type { MiddlewareHandler } from "hono";
import { compress } from "hono/compress";
import { cors } from "hono/cors";

export type AppOptions = {
  /** Origins whose browser apps may call the API, such as `https://app.example.com`; `*` allows all. None by default. */
  readonly corsOrigins?: readonly string[];
  /** Whether to compress responses over 1 KiB if the client accepts it. Off by default. */
  readonly compress?: boolean;
  /**
   * Whether a trusted proxy sets X-Forwarded-Prefix. The OpenAPI description then has absolute paths of servers, which
   * survive a download. Off by default: the paths are relative to the description.
   */
  readonly forwardedPrefix?: boolean;
};

const minCompressedBytes = 1024;

/** Returns the middlewares for these options. They change the `Response`. */
export function corsAndCompression(options: AppOptions): readonly MiddlewareHandler[] {
  const { corsOrigins = [], compress: compresses = false } = options;
  return [
    ...(corsOrigins.length > 0 ? [cors(corsOptions(corsOrigins))] : []),
    ...(compresses ? [compress({ threshold: minCompressedBytes })] : []),
  ];
}

function corsOptions(origins: readonly string[]) {
  return {
    origin: origins.includes("*") ? "*" : [...origins],
    allowMethods: ["GET", "POST", "PATCH", "DELETE"],
    exposeHeaders: [
      ...[
        "ETag",
        "Idempotent-Replayed",
        "Link",
        "Location",
        "Preference-Applied",
        "Retry-After",
        "X-Next-Updated-Since",
        "X-Request-Id",
        "X-Total-Count",
        "X-Total-Count-Minimum",
      ],
      ...["X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset", "X-Upsert"],
    ],
    maxAge: 600,
  };
}
