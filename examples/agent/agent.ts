import type { Client } from "@modelcontextprotocol/client";

/** A tool of the server. */
export type Tool = { readonly name: string; readonly description?: string | undefined; readonly inputSchema: object };

/** A call that the model wants, or its final text. */
export type Step = { readonly tool: string; readonly input: Record<string, unknown> } | { readonly text: string };

/** The task, or a call with its result. */
export type Turn =
  | { readonly task: string }
  | { readonly call: Step; readonly isError: boolean; readonly result: unknown };

/** A language model. It decides about the next step. */
export type Model = (turns: readonly Turn[], tools: readonly Tool[]) => Promise<Step>;

/**
 * Lets a model use the tools of the CRM until it returns a text.
 * @param confirm asks a person about a call that writes. `preview_changes` writes nothing
 */
export async function runAgent(
  client: Client,
  model: Model,
  task: string,
  confirm: (tool: string, input: unknown) => Promise<boolean>,
): Promise<string> {
  const { tools } = await client.listTools();
  const writing = new Set(
    tools.filter(({ annotations }) => annotations?.readOnlyHint !== true).map(({ name }) => name),
  );
  const turns: Turn[] = [{ task }];
  for (let calls = 0; calls < 20; calls++) {
    const step = await model(turns, tools);
    if ("text" in step) return step.text;
    if (writing.has(step.tool) && !(await confirm(step.tool, step.input))) {
      turns.push({ call: step, isError: true, result: "The person declined this call." });
      continue;
    }
    // An error of the API is a result, so that the model can correct its call.
    const { isError = false, structuredContent } = await client.callTool({ name: step.tool, arguments: step.input });
    turns.push({ call: step, isError, result: structuredContent });
  }
  throw new Error("The model made 20 calls without a result.");
}
