import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { type Model, runAgent, type Turn } from "./agent.ts";

/**
 * Takes the place of a language model: it makes a mistake, reads the error, and corrects it. To use a real one, send `turns` and
 * `tools` to its API and return the call that it wants.
 */
const scriptedModel: Model = async (turns) => {
  const last = turns.at(-1) as Turn;
  if ("task" in last) return { tool: "search_records", input: { query: "Lindqvist" } };
  const { call, isError, result } = last;
  if ("text" in call) return call;
  if (call.tool === "search_records") {
    const { data } = result as { data: { entity: string; record: { id: string } }[] };
    const contact = data.find(({ entity }) => entity === "contact");
    if (contact === undefined) return { text: "There is no such contact." };
    const task = { titel: "Call about the second café", relatedTo: { type: "contact", id: contact.record.id } };
    return { tool: "preview_changes", input: { entity: "task", operations: [{ op: "create", data: task }] } };
  }
  if (call.tool === "apply_changes") return { text: isError ? "The task was not created." : "The task is created." };
  if (!isError) return { tool: "apply_changes", input: call.input };
  const corrected = JSON.stringify(call.input).replace('"titel"', '"title"');
  return { tool: "preview_changes", input: JSON.parse(corrected) };
};

const args = ["--import", "tsx", "bin/crm-integrations.ts", "serve", "--fixtures", "demo", "--listen", "127.0.0.1:0"];
const server = spawn(process.execPath, [...args, "--json", "--log-level", "error"], {
  cwd: new URL("../..", import.meta.url),
  stdio: ["ignore", "pipe", "inherit"],
});
const [line] = (await once(createInterface(server.stdout), "line")) as [string];
const { url, keys } = JSON.parse(line) as { url: string; keys: { key: string }[] };
const headers = { "x-api-key": keys[0]?.key ?? "" };
const client = new Client({ name: "example-agent", version: "1.0.0" });
await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { requestInit: { headers } }));

const task = "Create a task to call Ms. Lindqvist about the second café.";
const confirm = async (tool: string, input: unknown): Promise<boolean> => {
  // A real program asks a person here.
  process.stdout.write(`confirmed: ${tool} ${JSON.stringify(input)}\n`);
  return true;
};
process.stdout.write(`${await runAgent(client, scriptedModel, task, confirm)}\n`);
await client.close();
server.kill("SIGTERM");
