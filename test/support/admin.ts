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

/** The base URL of admin paths. */
export const adminUrl = "http://crm.test/integrations";

/** Opens an API with these tenant files that accepts admin tokens. Closes it when the test ends. */
export async function crmWith(
  t: Pick<TestContext, "after">,
  files: readonly unknown[],
  options: Partial<ApiOptions> = {},
): Promise<TestCrm> {
  const count = sequentialIds();
  // IDs with letters differ in upper case.
  const ids = (): string => count().replace(/^01950000/, "0195abcd");
  const crm = await testCrm([], { adminAuth, ids, ...options });
  for (const file of files) await loadTenantFile(crm.storage, file, { clock: crm.clock, newId: ids });
  t.after(() => crm.api.close());
  return crm;
}

/** Returns an admin token that expires in one hour of the test clock. */
export function tokenFor({ clock }: Pick<TestCrm, "clock">, tenantId: string, userId: string): Promise<string> {
  const issuedAt = Math.floor(clock.now() / 1000);
  return signAdminToken(adminAuth, { tenantId, userId }, { issuedAt, expiresAt: issuedAt + 3600 });
}

/** Sends a request with an admin token. The path is absolute or relative to `/integrations`. */
export type AdminSend = TestCrm["send"];

/** Returns a function that sends requests as a user of a tenant. */
export function adminOf(crm: TestCrm, tenantId: string, userId: string): AdminSend {
  return async (method, path, sent = {}) => {
    const headers = { ...sent.headers, authorization: `Bearer ${await tokenFor(crm, tenantId, userId)}` };
    return crm.send(method, path.startsWith("http") ? path : adminUrl + path, { ...sent, headers });
  };
}

/** An API key in a response of the admin endpoints. Only the response that creates it has `key`. */
export type ShownKey = Readonly<Record<string, unknown>> & {
  readonly id: string;
  readonly status: string;
  readonly key: string;
};
