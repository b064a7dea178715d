import { recordKeyUse } from "../api/maintenance.ts";
import type { Clock } from "../auth/rate-limiter.ts";
import type { ApiKeyWithScopes, Storage } from "../storage/storage.ts";
import type { HttpRuntime } from "./http-runtime.ts";
import type { PendingWork } from "./load-limits.ts";

/** Returns a function that records the use of an API key in the background, one write per key at a time. */
export function keyUseRecorder(storage: Storage, clock: Clock, background: PendingWork, report: HttpRuntime["report"]) {
  const recording = new Set<string>();
  return (key: ApiKeyWithScopes): void => {
    // IDs are unique within a tenant only.
    const name = `${key.tenantId}:${key.id}`;
    // While the database is locked, every request of a key would add one more waiting write.
    if (recording.has(name)) return;
    recording.add(name);
    void background.run(() =>
      recordKeyUse(storage, key, clock.now())
        .catch((error) => report(error, key.id))
        .finally(() => recording.delete(name)),
    );
  };
}
