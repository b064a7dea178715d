import { openApiJson } from "#lib";
import { command } from "../cli/command.ts";

export const openApiCommand = command({
  name: "openapi",
  summary: "Print the description of the API (OpenAPI 3.1, JSON)",
  settings: {},
  examples: ["crm-integrations openapi > openapi.json"],
  async run() {
    process.stdout.write(`${JSON.stringify(JSON.parse(openApiJson()), null, 2)}\n`);
  },
});
