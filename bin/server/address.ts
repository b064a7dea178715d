import { UsageError } from "../cli/usage.ts";

/** HOST:PORT of an option; the loopback address where there is no host. @throws UsageError */
export function addressOf(text: string, option: string): { readonly host: string; readonly port: number } {
  const match = /^(?:\[([^\]]+)\]|([^:]*)):(\d{1,5})$/.exec(text);
  const port = Number(match?.[3]);
  if (match === null || port > 65535)
    throw new UsageError(`${option} takes HOST:PORT, such as 127.0.0.1:8080, not "${text}".`);
  return { host: match[1] ?? (match[2] || "127.0.0.1"), port };
}
