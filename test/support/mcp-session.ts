import assert from "node:assert/strict";
import { type ToolResult, toolError } from "./mcp.ts";

/** The methods that the clients of both major versions of the SDK have. */
export type SdkClient = {
  listTools(): Promise<{ readonly tools: readonly { readonly name: string }[] }>;
  callTool(call: { readonly name: string; readonly arguments: Record<string, unknown> }): Promise<unknown>;
};

/**
 * A session with the demo tenant: describe, preview with two mistakes, correct, apply, search, transitions, archive,
 * history.
 */
export async function runSession(client: SdkClient, email: string): Promise<void> {
  const call = async (name: string, input: Record<string, unknown>): Promise<ToolResult> =>
    (await client.callTool({ name, arguments: input })) as ToolResult;
  const read = async <T>(name: string, input: Record<string, unknown>): Promise<T> => {
    const { isError, structuredContent, content } = await call(name, input);
    assert.equal(isError ?? false, false, content[0]?.text);
    return structuredContent.data as T;
  };
  const { tools } = await client.listTools();
  assert.equal(tools.length, 10);
  const schema = await read<{ properties: object }>("describe_crm", { entity: "contact", for: "create" });
  assert.ok("email" in schema.properties);
  const preview = (data: Record<string, unknown>) => ({
    entity: "contact",
    operations: [{ op: "upsert", matchBy: "email", data }],
  });
  const wrong = toolError(
    await call("preview_changes", preview({ nam: "Ana Nova", email, customFields: { nope: 1 } })),
  );
  const items = wrong.details?.items as readonly { readonly error: typeof wrong }[];
  const problems = items[0]?.error.details?.errors ?? [];
  assert.deepEqual(problems.map(({ path }) => path).sort(), ["/customFields/nope", "/nam", "/name"]);
  // The message of the error names the field.
  const name = /Did you mean "(\w+)"/.exec(problems.find(({ path }) => path === "/nam")?.message ?? "")?.[1] ?? "";
  const corrected = preview({ [name]: "Ana Nova", email });
  await read("preview_changes", corrected);
  const applied = await read<{ result: string; data: { id: string } }[]>("apply_changes", corrected);
  assert.equal(applied[0]?.result, "created");
  const id = applied[0].data.id;
  const found = await read<{ record: { id: string } }[]>("search_records", { query: email });
  assert.deepEqual(
    found.map(({ record }) => record.id),
    [id],
  );
  const [opportunity] = await read<{ id: string }[]>("list_records", {
    ...{ entity: "opportunity", filter: { status: "open" } },
    limit: 1,
  });
  const transitions = await read<object[]>("list_transitions", { entity: "opportunity", id: opportunity?.id });
  assert.ok(transitions.length > 1);
  await read("archive_records", { entity: "contact", ids: [id] });
  assert.deepEqual(await read("get_records", { entity: "contact", ids: [id] }), []);
  const history = await read<{ type: string }[]>("record_history", { entity: "contact", id });
  assert.deepEqual(
    history.map(({ type }) => type),
    ["contact.archived", "contact.created"],
  );
}
