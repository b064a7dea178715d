import { requestTabs, type SampleRequest } from "./request-samples.ts";

/** A page of the site in Markdown, with its path below the site. */
export type SitePage = { readonly path: string; readonly text: string };

type Schema = {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly default?: unknown;
  readonly description?: string;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
};
type Parameter = {
  readonly $ref?: string;
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly description?: string;
  readonly schema: Schema;
  readonly example?: unknown;
};
type Content = { readonly "application/json"?: { readonly schema: Schema; readonly example?: unknown } };
type Response = {
  readonly $ref?: string;
  readonly description?: string;
  readonly content?: Content;
  readonly "x-error-codes"?: readonly string[];
};
type Operation = {
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  readonly tags: readonly [string];
  readonly security?: readonly Readonly<Record<string, unknown>>[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: Content };
  readonly responses: Readonly<Record<string, Response>>;
};
type PathItem = Readonly<Record<string, Operation>> & { readonly servers?: readonly { readonly url: string }[] };

/** The parts of the OpenAPI description that the pages show. */
export type ApiDescription = {
  readonly servers: readonly { readonly url: string }[];
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly paths: Readonly<Record<string, PathItem>>;
  readonly components: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
};

/** An operation with its place in the description. */
export type DescribedOperation = {
  readonly method: string;
  readonly path: string;
  /** The path of the server, such as `/integrations/v1`. */
  readonly server: string;
  readonly operation: Operation;
};

const methods = ["get", "post", "put", "patch", "delete"];

/** Returns all operations, in the order of the description. */
export function operationsOf({ paths, servers }: ApiDescription): readonly DescribedOperation[] {
  return Object.entries(paths).flatMap(([path, item]) =>
    methods.flatMap((method) => {
      const operation = item[method];
      if (operation === undefined) return [];
      return [{ method: method.toUpperCase(), path, server: (item.servers ?? servers)[0]?.url ?? "", operation }];
    }),
  );
}

/** Returns one page per tag with its operations. The set-up has one page per kind of record. */
export function referencePages(description: ApiDescription): readonly SitePage[] {
  const groups = Map.groupBy(operationsOf(description), groupOf);
  const order = description.tags.map(({ name }) => name);
  const names = [...groups.keys()].sort((a, b) => order.indexOf(tagOf(a)) - order.indexOf(tagOf(b)));
  return names.map((name) => {
    const about = description.tags.find((tag) => tag.name === tagOf(name))?.description ?? "";
    const sections = (groups.get(name) ?? []).map((each) => section(description, each));
    const text = [`# ${name}`, escapeProse(about), ...sections].join("\n\n");
    return { path: `reference/api/${slug(name)}.md`, text: `${text}\n` };
  });
}

function groupOf({ path, operation }: DescribedOperation): string {
  const [tag] = operation.tags;
  const kind = /^\/admin\/([\w-]+)/.exec(path)?.[1];
  return tag === "Set-up" && kind !== undefined ? `Set-up: ${kind.replaceAll("-", " ")}` : tag;
}

function tagOf(group: string): string {
  return group.split(":", 1)[0] ?? group;
}

function slug(text: string): string {
  return text.toLowerCase().replaceAll(/[^a-z]+/g, "-");
}

function section(description: ApiDescription, described: DescribedOperation): string {
  const { method, path, server, operation } = described;
  const parameters = (operation.parameters ?? []).map((each) => resolve(description, each));
  const body = operation.requestBody?.content["application/json"]?.schema;
  const responses = Object.entries(operation.responses).map(
    ([status, each]) => [status, resolve(description, each)] as const,
  );
  const [status, success] = responses.find(([code]) => code.startsWith("2")) ?? [];
  const example = success?.content?.["application/json"]?.example;
  const errors = responses.filter(([, each]) => each["x-error-codes"] !== undefined);
  return [
    `## ${operation.summary} {#${operation.operationId}}`,
    `**\`${method} ${server}${path}\`**`,
    escapeProse(operation.description),
    requestTabs(sampleOf(description, described)),
    example === undefined ? "" : `Response ${status}:\n\n\`\`\`json\n${JSON.stringify(example, null, 2)}\n\`\`\``,
    table(
      ["Parameter", "In", "Type", "Description"],
      parameters.map(({ name, in: where, required, schema, description: about = "" }) => [
        `\`${name}\`${required === true ? " (required)" : ""}`,
        where,
        typeText(schema),
        withDefault(about, schema),
      ]),
    ),
    body === undefined ? "" : table(["Field", "Type", "Description"], fieldRows(description, body)),
    table(
      ["Status", "Error codes"],
      errors.map(([code, { "x-error-codes": codes = [] }]) => [
        code,
        codes.map((each) => `[\`${each}\`](../errors.md)`).join(", "),
      ]),
    ),
  ]
    .filter((part) => part !== "")
    .join("\n\n");
}

/** Returns a request that uses the examples of the description. */
export function sampleOf(
  description: ApiDescription,
  { method, path, server, operation }: DescribedOperation,
): SampleRequest {
  const parameters = (operation.parameters ?? []).map((each) => resolve(description, each));
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const parameter = parameters.find((each) => each.name === name);
    return encodeURIComponent(String(parameter?.example ?? "01943aa2-bd4a-7513-bffe-033db0871959"));
  });
  const query = parameters.filter(({ in: where, required }) => where === "query" && required === true);
  const search = new URLSearchParams(
    Object.fromEntries(query.map(({ name, example }) => [name, String(example ?? "")])),
  );
  const isAdmin = (operation.security ?? []).some((each) => "adminToken" in each);
  const body = operation.requestBody?.content["application/json"]?.example;
  const takesKey = method === "POST" && parameters.some(({ name }) => name === "Idempotency-Key");
  return {
    method,
    path: server + filled + (search.size > 0 ? `?${search}` : ""),
    headers: [
      isAdmin ? ["authorization", "Bearer $TOKEN"] : ["x-api-key", "$KEY"],
      ...(takesKey ? [["idempotency-key", "0197b0c4-5d2e-7f31-9a64-8e1f0c2b7d53"] as const] : []),
      ...(body === undefined ? [] : [["content-type", "application/json"] as const]),
    ],
    body,
  };
}

function fieldRows(description: ApiDescription, schema: Schema): readonly (readonly string[])[] {
  const { properties = {}, required = [] } = resolve(description, schema);
  return Object.entries(properties).map(([name, field]) => [
    `\`${name}\`${required.includes(name) ? " (required)" : ""}`,
    typeText(field),
    withDefault(field.description ?? resolve(description, field).description ?? "", field),
  ]);
}

function resolve<T extends { readonly $ref?: string }>({ components }: ApiDescription, value: T): T {
  const [, kind = "", name = ""] = /^#\/components\/(\w+)\/(\w+)$/.exec(value.$ref ?? "") ?? [];
  return (components[kind]?.[name] as T | undefined) ?? value;
}

function typeText(schema: Schema): string {
  if (schema.$ref !== undefined) return schema.$ref.split("/").at(-1) ?? "";
  const variants = schema.anyOf ?? schema.oneOf;
  if (variants !== undefined) return variants.map(typeText).join(" or ");
  if (schema.enum !== undefined) return schema.enum.map((value) => `\`${value}\``).join(", ");
  if (schema.const !== undefined) return `\`${schema.const}\``;
  const types = [schema.type ?? "any"].flat();
  return types
    .map((type) => {
      if (type === "array") return `array of ${typeText(schema.items ?? {})}`;
      return type === "string" && schema.format !== undefined ? schema.format : type;
    })
    .join(" or ");
}

function withDefault(text: string, { default: value }: Schema): string {
  return value === undefined ? text : `${text} Default: \`${JSON.stringify(value)}\`.`;
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  if (rows.length === 0) return "";
  const lines = [head, head.map(() => "---"), ...rows.map((row) => row.map(toCell))];
  return lines.map((cells) => `| ${cells.join(" | ")} |`).join("\n");
}

function toCell(text: string): string {
  return escapeProse(text)
    .replaceAll(/\s*\n\s*/g, " ")
    .replaceAll("|", "\\|");
}

/** Keeps HTML and template syntax of a text from being interpreted. Code spans stay as they are. */
function escapeProse(text: string): string {
  return text
    .split(/(`[^`]*`)/)
    .map((part) => (part.startsWith("`") ? part : part.replaceAll("<", "&lt;").replaceAll("{{", "&#123;&#123;")))
    .join("");
}
