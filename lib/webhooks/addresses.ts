import { BlockList, isIP } from "node:net";

type Networks = readonly (readonly [network: string, prefix: number])[];

const privateIpv4: Networks = [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.0.0.0", 24],
  ["192.0.2.0", 24],
  ["192.88.99.0", 24],
  ["192.168.0.0", 16],
  ["198.18.0.0", 15],
  ["198.51.100.0", 24],
  ["203.0.113.0", 24],
  ["224.0.0.0", 3],
];
/** All others are forbidden, so that no embedded IPv4 address passes. */
const publicIpv6: Networks = [["2000::", 3]];
/** Teredo, documentation, 6to4 and reserved networks inside `publicIpv6`. */
const privateIpv6: Networks = [
  ["2001::", 23],
  ["2001:db8::", 32],
  ["2002::", 16],
  ["3fff::", 20],
];
/**
 * Metadata services of clouds. They return credentials, so no option allows them. The IPv6 forms contain
 * 169.254.0.0/16.
 */
const metadataIpv4: Networks = [["169.254.0.0", 16]];
const metadataIpv6: Networks = [
  ["fd00:ec2::254", 128],
  ["::ffff:169.254.0.0", 112],
  ["::169.254.0.0", 112],
  ["::ffff:0:169.254.0.0", 112],
  ["64:ff9b::169.254.0.0", 112],
  ["2002:a9fe::", 32],
];

const [privateAddresses, publicAddresses, metadataAddresses] = [
  blockList(privateIpv4, privateIpv6),
  blockList([], publicIpv6),
  blockList(metadataIpv4, metadataIpv6),
];

/**
 * Networks and hosts that webhooks may use although their addresses aren't public. A list of both families would match
 * IPv4 addresses with `::/0`.
 */
export type AllowedTargets = {
  readonly ipv4: BlockList;
  readonly ipv6: BlockList;
  readonly hosts: ReadonlySet<string>;
};

/**
 * Parses a list of `CIDR` and `HOST:PORT`, such as `10.20.0.0/16` and `automation.internal:8443`.
 * @throws TypeError for an entry that is neither
 */
export function parseAllowedTargets(list: readonly string[] = []): AllowedTargets {
  const [ipv4, ipv6, hosts] = [new BlockList(), new BlockList(), new Set<string>()];
  for (const entry of list) {
    const [, address = "", prefix = ""] = /^([0-9a-f.:]+)\/(\d{1,3})$/i.exec(entry) ?? [];
    const family = isIP(address);
    const host = /^(?:[\w.-]+|\[[0-9a-f:.]+\]):\d{1,5}$/i.test(entry) ? URL.parse(`http://${entry}`) : null;
    if (family !== 0 && Number(prefix) <= (family === 4 ? 32 : 128))
      (family === 4 ? ipv4 : ipv6).addSubnet(address, Number(prefix), family === 4 ? "ipv4" : "ipv6");
    else if (host !== null) hosts.add(hostAndPort(host, entry));
    else throw new TypeError(`${JSON.stringify(entry)} is neither a network, such as 10.20.0.0/16, nor HOST:PORT.`);
  }
  return { ipv4, ipv6, hosts };
}

/** Takes the port from the entry, because URLs omit the default port of their scheme. */
function hostAndPort({ hostname }: URL, entry: string): string {
  return `${hostname}:${entry.slice(entry.lastIndexOf(":") + 1)}`;
}

/** Returns whether the host and port of a URL are in the list. */
export function isAllowedHost({ hostname, port, protocol }: URL, { hosts }: AllowedTargets): boolean {
  return hosts.has(`${hostname}:${port || (protocol === "http:" ? "80" : "443")}`);
}

/** Returns whether an address is explicitly allowed, by its network or because its host is. */
export function isAllowedAddress(address: string, isHostAllowed: boolean, allowed: AllowedTargets): boolean {
  const family = familyOf(address);
  return !metadataAddresses.check(address, family) && (isHostAllowed || allowed[family].check(address, family));
}

/** Returns whether the address isn't public. */
export function isPrivateAddress(address: string): boolean {
  const family = familyOf(address);
  if (metadataAddresses.check(address, family) || privateAddresses.check(address, family)) return true;
  return family === "ipv6" && !publicAddresses.check(address, family);
}

function familyOf(address: string): "ipv4" | "ipv6" {
  return isIP(address) === 6 ? "ipv6" : "ipv4";
}

function blockList(ipv4: Networks, ipv6: Networks): BlockList {
  const list = new BlockList();
  for (const [network, prefix] of ipv4) list.addSubnet(network, prefix, "ipv4");
  for (const [network, prefix] of ipv6) list.addSubnet(network, prefix, "ipv6");
  return list;
}
