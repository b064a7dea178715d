import type { TestContext } from "node:test";
import { type AdminAuth, type ApiOptions, signAdminToken } from "../../lib/index.ts";
import { loadTenantFile } from "../../lib/tenant-file/index.ts";
import { sequentialIds, type TestCrm, testCrm } from "./harness.ts";

export const adminAuth = {
  issuer: "https://sign-in.test",
  audience: "crm-admin",
  // Fixed, because HMAC ignores a last byte of 0: a test shortens the secret.
  secret: new Uint8Array(32).fill(7),
} satisfies AdminAuth;

/** What administrators' paths are relative to. */
export const adminUrl = "http://crm.test/integrations";

/** The engine with these tenant files and administrators' tokens, closed when the test ends. */
export async function crmWith(
  t: Pick<TestContext, "after">,
  files: readonly unknown[],
  options: Partial<ApiOptions> = {},
): Promise<TestCrm> {
  const count = sequentialIds();
  // With letters, so that capitals make a difference.
  const ids = (): string => count().replace(/^01950000/, "0195abcd");
  const crm = await testCrm([], { adminAuth, ids, ...options });
  for (const file of files) await loadTenantFile(crm.storage, file, { clock: crm.clock, newId: ids });
  t.after(() => crm.api.close());
  return crm;
}

/** A token of an hour from the clock's now. */
export function tokenFor({ clock }: Pick<TestCrm, "clock">, tenantId: string, userId: string): Promise<string> {
  const issuedAt = Math.floor(clock.now() / 1000);
  return signAdminToken(adminAuth, { tenantId, userId }, { issuedAt, expiresAt: issuedAt + 3600 });
}

/** Sends with an administrator's token; the path is relative to `/integrations`, or whole. */
export type Administrator = TestCrm["send"];

export function administrator(crm: TestCrm, tenantId: string, userId: string): Administrator {
  return async (method, path, sent = {}) => {
    const headers = { ...sent.headers, authorization: `Bearer ${await tokenFor(crm, tenantId, userId)}` };
    return crm.send(method, path.startsWith("http") ? path : adminUrl + path, { ...sent, headers });
  };
}

/** A key as the administrators' endpoints show it; `key` only where it was just made. */
export type ShownKey = Readonly<Record<string, unknown>> & {
  readonly id: string;
  readonly status: string;
  readonly key: string;
};
