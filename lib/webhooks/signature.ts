import { createHmac } from "node:crypto";
import type { RandomBytes } from "../model/uuid.ts";

const [prefix, secretLength] = ["whsec_", 32];

/** Returns a new secret in the form of Standard Webhooks. */
export function newSecret(random: RandomBytes): string {
  return prefix + Buffer.from(random(secretLength)).toString("base64");
}

/** Returns the value of `webhook-signature`: one signature per secret. `timestamp` is in seconds. */
export function sign(secrets: readonly string[], id: string, timestamp: number, body: string): string {
  return secrets
    .map((secret) => createHmac("sha256", Buffer.from(secret.slice(prefix.length), "base64")))
    .map((hmac) => `v1,${hmac.update(`${id}.${timestamp}.${body}`).digest("base64")}`)
    .join(" ");
}
