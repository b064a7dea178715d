import { command } from "../cli/command.ts";
import { airbyteSource } from "../sources/airbyte.ts";
import { dltSource } from "../sources/dlt.ts";
import { readStreams } from "../sources/streams.ts";

const details = "It has a stream per list of the API, and needs no other file.";

export const sourceCommands = [
  command({
    name: "source dlt",
    summary: "Print a dlt source of the API (Python), for loads into a data warehouse",
    details,
    settings: {},
    examples: ["crm-integrations source dlt > crm_source.py"],
    async run(_values, _operands, { stdout }) {
      stdout.write(dltSource(readStreams()));
    },
  }),
  command({
    name: "source airbyte",
    summary: "Print an Airbyte source of the API (YAML manifest), for loads into a data warehouse",
    details,
    settings: {},
    examples: ["crm-integrations source airbyte > airbyte.yaml"],
    async run(_values, _operands, { stdout }) {
      stdout.write(airbyteSource(readStreams()));
    },
  }),
];
