import { writeFileSync } from "node:fs";
import { openApiDocument } from "./document.ts";

export const openApiFile = new URL("../../docs/openapi.json", import.meta.url);

if (import.meta.main) writeFileSync(openApiFile, `${JSON.stringify(await openApiDocument(), null, 2)}\n`);
