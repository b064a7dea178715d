import { openApiJson } from "#lib";

/** A list of the API as a stream of a data pipeline. */
export type Stream = {
  readonly name: string;
  readonly path: string;
  readonly primaryKey: readonly string[];
  /** Whether a sync reads only what changed. Other streams have few records and are read completely. */
  readonly isIncremental: boolean;
  /** Whether the list has archived records. */
  readonly hasArchived: boolean;
  /** Values of the parameter `entity`, each of which is a request of its own. */
  readonly entities?: readonly string[];
  /** The fields of a record, as a JSON Schema without references. */
  readonly properties: Readonly<Record<string, JsonSchema>>;
};

/** The parts of a JSON Schema that the sources use. */
export type JsonSchema = {
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly items?: JsonSchema;
  readonly anyOf?: readonly JsonSchema[];
  readonly $ref?: string;
  readonly enum?: readonly string[];
};

type Parameter = { readonly name?: string; readonly $ref?: string; readonly schema?: JsonSchema };
type Operation = {
  readonly parameters?: readonly Parameter[];
  readonly responses: Readonly<Record<string, { content?: Readonly<Record<string, { schema: JsonSchema }>> }>>;
};
type Description = {
  readonly paths: Readonly<Record<string, { readonly get?: Operation }>>;
  readonly components: Readonly<Record<"schemas" | "parameters", Readonly<Record<string, object>>>>;
};

/** The lists that have no pages. */
const fullLoads = ["/pipelines", "/users", "/custom-fields"];

/** Returns the streams of the API description: each list of changes, then the lists that are read completely. */
export function readStreams(): readonly Stream[] {
  const { paths, components } = JSON.parse(openApiJson()) as Description;
  const resolve = <T extends object>(value: T & { readonly $ref?: string }): T => {
    const [, , group = "", name = ""] = value.$ref?.split("/") ?? [];
    return (components[group as "schemas"]?.[name] ?? value) as T;
  };
  const inlined = (schema: JsonSchema): JsonSchema => {
    const { properties, items, anyOf, ...rest } = resolve(schema);
    return {
      ...rest,
      ...(properties && { properties: mapValues(properties, inlined) }),
      ...(items && { items: inlined(items) }),
      ...(anyOf && { anyOf: anyOf.map(inlined) }),
    };
  };
  const streams = Object.entries(paths).flatMap(([path, { get }]): Stream[] => {
    const parameters = new Map((get?.parameters ?? []).map(resolve).map(({ name = "", schema }) => [name, schema]));
    const isIncremental = parameters.has("updatedSince") && !path.startsWith("/admin/");
    if (get === undefined || !(isIncremental || fullLoads.includes(path))) return [];
    const page = inlined(get.responses["200"]?.content?.["application/json"]?.schema ?? {});
    const entities = parameters.get("entity")?.enum;
    const properties = page.properties?.data?.items?.properties ?? {};
    return [
      {
        name: path.slice(1).replaceAll("-", "_"),
        path: path.slice(1),
        primaryKey: entities === undefined ? ["id"] : ["entity", "key"],
        isIncremental,
        hasArchived: parameters.has("includeArchived"),
        ...(entities && { entities }),
        properties: { ...(entities && { entity: { type: "string" } }), ...properties },
      },
    ];
  });
  return streams.sort((a, b) => Number(b.isIncremental) - Number(a.isIncremental));
}

/** Returns the schema of the values that aren't null, with one type. */
export function withoutNull({ anyOf, type, ...rest }: JsonSchema): JsonSchema {
  const [first] = (anyOf ?? []).filter((each) => each.type !== "null");
  return first ?? { ...rest, type: [type ?? "object"].flat()[0] ?? "object" };
}

/** Returns an object with the same keys. */
export function mapValues<T, R>(values: Readonly<Record<string, T>>, map: (value: T) => R): Record<string, R> {
  return Object.fromEntries(Object.entries(values).map(([key, value]) => [key, map(value)]));
}
