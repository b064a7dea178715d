import { mkdirSync, writeFileSync } from "node:fs";
import { airbyteSource } from "../bin/sources/airbyte.ts";
import { dltSource } from "../bin/sources/dlt.ts";
import { readStreams } from "../bin/sources/streams.ts";

/** Returns the sources for data pipelines by path, as `crm-integrations source` prints them. */
export function sources(): Readonly<Record<string, string>> {
  const streams = readStreams();
  return { "docs/sources/crm_source.py": dltSource(streams), "docs/sources/airbyte.yaml": airbyteSource(streams) };
}

if (import.meta.main) {
  mkdirSync("docs/sources", { recursive: true });
  for (const [path, text] of Object.entries(sources())) writeFileSync(path, text);
}
