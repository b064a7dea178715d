import { publicUrl, read } from "../api.ts";
import { collections, entities } from "../names.ts";
import type { FieldSchema } from "../records/schema-fields.ts";
import { CopyText } from "../set-up/new-key.tsx";
import { texts } from "../texts.ts";
import { useLoad } from "../ui/load.ts";

const text = texts.setUp.keys;

const examples: Readonly<Record<string, unknown>> = {
  date: "2026-12-31",
  "date-time": "2026-12-31T12:00:00Z",
  email: "name@example.com",
  uri: "https://example.com",
  uuid: "ID",
  number: 1,
  integer: 1,
  boolean: true,
};

/**
 * A request to copy, which depends on the scopes of an integration. A create is a dry run and has the fields that the
 * tenant requires.
 */
export function FirstRequest({ scopes }: { readonly scopes: readonly string[] }) {
  const may = (action: string) => entities.find((entity) => scopes.includes(`${collections[entity]}:${action}`));
  const [written, listed] = [may("write"), may("read")];
  const body = useLoad(async (signal) => {
    if (written === undefined) return undefined;
    const query = { for: "create" };
    return exampleOf(await read<FieldSchema>(`api/v1/schema/${written}`, { query, signal }));
  }, written ?? "");
  const headers = `-H "x-api-key: ${texts.records.yourKey}"`;
  const get = listed === undefined ? "me" : `${collections[listed]}?limit=1`;
  const command =
    written === undefined || body.value === undefined
      ? `curl -sS "${publicUrl(get)}" ${headers}`
      : `curl -sS "${publicUrl(collections[written])}" ${headers} -H "content-type: application/json" \\\n` +
        `  -H "prefer: dry-run" -d '${JSON.stringify(body.value).replaceAll("'", "'\\''")}'`;
  return (
    <section class="card" aria-label={text.firstRequest}>
      <h2>{text.firstRequest}</h2>
      {body.value !== undefined && <p>{text.firstRequestHelp}</p>}
      <CopyText label={text.command} value={command} />
    </section>
  );
}

/** Returns a value that a schema accepts, with the required members only. An ID is a placeholder. */
function exampleOf(schema: FieldSchema): unknown {
  const { type, format = "", properties = {}, required = [], items, oneOf, anyOf, enum: values } = schema;
  const option = schema.const ?? values?.find((each) => each !== null) ?? oneOf?.find((each) => each.const)?.const;
  if (option !== undefined) return option;
  if (properties && required.length > 0)
    return Object.fromEntries(required.map((name) => [name, exampleOf(properties[name] ?? {})]));
  const [part] = anyOf ?? [];
  if (part !== undefined) return exampleOf(part);
  const types = [type].flat();
  if (types.includes("array")) return [exampleOf(items ?? {})];
  const known = [format, ...types].find((name) => name !== undefined && Object.hasOwn(examples, name));
  return known === undefined ? text.example : examples[known];
}
