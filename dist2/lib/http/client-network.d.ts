/**
 * Returns the network by which authentication failures are counted: an IPv4 address, or the /64 of an IPv6 address,
 * because one client can use every address of a /64.
 */
export declare function clientNetwork(address: string): string;
