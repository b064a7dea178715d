import { openApiJson } from "#lib";
import { command } from "../cli/command.ts";

export const openApiCommand = command({
  name: "openapi",
  summary: "Print the OpenAPI 3.1 description of the API (JSON)",
  settings: {},
  examples: ["crm-integrations openapi > openapi.json"],
  async run(_values, _operands, { stdout }) {
    stdout.write(`${JSON.stringify(JSON.parse(openApiJson()), null, 2)}\n`);
  },
});
