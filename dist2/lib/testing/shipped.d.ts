/** A tenant file that comes along, by its name; undefined where there is none. The binary carries them inside. */
export declare function shippedTenantFile(name: string): Uint8Array | undefined;
