import type { SystemStatus, SystemTools } from "../../lib/index.ts";

/** The state of a server, which shows each tenant its own number of requests. */
export const systemTools: SystemTools = {
  async status(tenantId): Promise<SystemStatus> {
    const at = Date.parse("2026-03-01T12:00:00.000Z");
    const count = Number.parseInt(tenantId.replaceAll("-", "").slice(-4), 16) + 1;
    return {
      version: "1.0.0",
      startedAt: at,
      problems: [],
      database: null,
      backups: { isRunning: false, lastAt: at, lastBytes: 1, error: null },
      requests: [{ at, count, clientErrors: 0, serverErrors: 0, durationMs: count }],
    };
  },
  startBackup: async () => true,
};
