import { isIPv6 } from "node:net";

/**
 * What stands for a client where failures are counted: its IPv4 address, or the /64 of its IPv6 address, in which
 * one client may take any of 2^64 addresses.
 */
export function clientNetwork(address: string): string {
  const [plain = ""] = address.split("%");
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(plain)?.[1];
  if (mapped !== undefined) return mapped;
  if (!isIPv6(plain)) return address;
  const [left = [], right = []] = plain.split("::").map((side) => side.split(":").filter((group) => group !== ""));
  // An IPv4 address at the end stands for two groups.
  const written = left.length + right.length + (plain.includes(".") ? 1 : 0);
  const groups = [...left, ...Array.from({ length: 8 - written }, () => "0"), ...right];
  return `${groups
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(":")}::/64`;
}
