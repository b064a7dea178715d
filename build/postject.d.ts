declare module "postject" {
  /** Adds data to an executable file under a name. */
  export function inject(
    file: string,
    name: string,
    data: Uint8Array,
    options: { readonly sentinelFuse: string },
  ): Promise<void>;
}
