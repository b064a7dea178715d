import { isIPv6 } from "node:net";
/**
 * Returns the network by which authentication failures are counted: an IPv4 address, or the /64 of an IPv6 address,
 * because one client can use every address of a /64.
 */
export function clientNetwork(address) {
    const [plain = ""] = address.split("%");
    const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(plain)?.[1];
    if (mapped !== undefined)
        return mapped;
    if (!isIPv6(plain))
        return address;
    const [left = [], right = []] = plain.split("::").map((side) => side.split(":").filter((group) => group !== ""));
    // A trailing IPv4 address counts as two groups.
    const written = left.length + right.length + (plain.includes(".") ? 1 : 0);
    const groups = [...left, ...Array.from({ length: 8 - written }, () => "0"), ...right];
    return `${groups
        .slice(0, 4)
        .map((group) => Number.parseInt(group, 16).toString(16))
        .join(":")}::/64`;
}
