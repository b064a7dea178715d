import type { Component } from "./notices.ts";

/** Returns the software bill of materials of the binary, as CycloneDX 1.6 in JSON. It has the text of each license. */
export function toSbom(version: string, components: readonly Component[]): string {
  const program = { type: "application", name: "crm-integrations", version };
  return JSON.stringify(
    {
      $schema: "http://cyclonedx.org/schema/bom-1.6.schema.json",
      bomFormat: "CycloneDX",
      specVersion: "1.6",
      version: 1,
      metadata: { component: { ...program, "bom-ref": "crm-integrations" } },
      components: components.map(({ name, version: each, license, purl }) => ({
        type: name === "Node.js" ? "platform" : "library",
        "bom-ref": purl,
        name,
        version: each,
        purl,
        licenses: [{ license: { name: `License of ${name}`, text: { content: license } } }],
      })),
    },
    null,
    2,
  );
}
