import { type JsonSchema, mapValues, type Stream, withoutNull } from "./streams.ts";

/** The version of airbyte-cdk that the tests use. */
const cdkVersion = "7.39.0";

/** Returns a manifest for Airbyte: a declarative source in YAML. */
export function airbyteSource(streams: readonly Stream[]): string {
  const manifest = {
    version: cdkVersion,
    type: "DeclarativeSource",
    check: { type: "CheckStream", stream_names: [streams[0]?.name] },
    definitions,
    streams: streams.map(streamOf),
    spec: { type: "Spec", connection_specification: specification },
  };
  return `# The CRM as a source of Airbyte: ${streams.map(({ name }) => name).join(", ")}.
# Printed by \`crm-integrations source airbyte\`. Tested with airbyte-cdk ${cdkVersion}.
${toYaml(manifest)}
`;
}

/** The engine formats start times itself, so they must have the form of `updatedAt`. */
const timeFormat = "%Y-%m-%dT%H:%M:%S.%_msZ";
const beginning = "1970-01-01T00:00:00.000Z";

const definitions = {
  requester: {
    type: "HttpRequester",
    url_base: "{{ config['url'] }}",
    http_method: "GET",
    authenticator: {
      type: "ApiKeyAuthenticator",
      api_token: "{{ config['api_key'] }}",
      inject_into: option("header", "x-api-key"),
    },
    error_handler: {
      type: "DefaultErrorHandler",
      max_retries: 10,
      backoff_strategies: [
        { type: "WaitTimeFromHeader", header: "Retry-After" },
        { type: "ExponentialBackoffStrategy", factor: 1 },
      ],
    },
  },
  record_selector: { type: "RecordSelector", extractor: { type: "DpathExtractor", field_path: ["data"] } },
  paginator: {
    type: "DefaultPaginator",
    page_token_option: option("request_parameter", "cursor"),
    pagination_strategy: {
      type: "CursorPagination",
      cursor_value: "{{ response['nextCursor'] }}",
      stop_condition: "{{ response['nextCursor'] is none }}",
    },
  },
  incremental_sync: {
    type: "DatetimeBasedCursor",
    cursor_field: "updatedAt",
    datetime_format: timeFormat,
    cursor_datetime_formats: [timeFormat],
    start_datetime: { type: "MinMaxDatetime", datetime: beginning, datetime_format: timeFormat },
  },
};

const specification = {
  type: "object",
  required: ["url", "api_key"],
  properties: {
    url: { type: "string", title: "URL", examples: ["https://crm.example.com/integrations/v1"], order: 0 },
    api_key: { type: "string", title: "API key", airbyte_secret: true, order: 1 },
  },
};

function streamOf({ name, path, primaryKey, isIncremental, hasArchived, entities, properties }: Stream): object {
  // An empty updatedSince reads from the start. A time before the first event that exists is rejected.
  const updatedSince = `{{ '' if stream_interval.start_time == '${beginning}' else stream_interval.start_time }}`;
  const parameters = { limit: "200", ...(hasArchived && { includeArchived: "true" }), updatedSince };
  return {
    type: "DeclarativeStream",
    name,
    primary_key: primaryKey,
    retriever: {
      type: "SimpleRetriever",
      requester: {
        $ref: "#/definitions/requester",
        path: `/${path}`,
        ...(isIncremental && { request_parameters: parameters }),
      },
      record_selector: { $ref: "#/definitions/record_selector" },
      ...(isIncremental && { paginator: { $ref: "#/definitions/paginator" } }),
      ...(entities && { partition_router: router(entities) }),
    },
    ...(isIncremental && { incremental_sync: { $ref: "#/definitions/incremental_sync" } }),
    ...(entities && { transformations: [addEntity] }),
    schema_loader: {
      type: "InlineSchemaLoader",
      schema: { type: "object", additionalProperties: true, properties: mapValues(properties, plainSchema) },
    },
  };
}

const addEntity = { type: "AddFields", fields: [{ path: ["entity"], value: "{{ stream_partition['entity'] }}" }] };

function router(values: readonly string[]): object {
  const cursor_field = "entity";
  return { type: "ListPartitionRouter", values, cursor_field, request_option: option("request_parameter", "entity") };
}

function option(place: string, name: string): object {
  return { type: "RequestOption", inject_into: place, field_name: name };
}

/** Returns the schema with the keywords of Airbyte. Any field can be null, because not every record has each field. */
function plainSchema(value: JsonSchema): object {
  const { type, format, properties, items } = withoutNull(value);
  return {
    type: [type, "null"],
    ...((format === "date-time" || format === "date") && { format }),
    ...(format === "date-time" && { airbyte_type: "timestamp_with_timezone" }),
    ...(type === "object" && { additionalProperties: true }),
    ...(properties && { properties: mapValues(properties, plainSchema) }),
    ...(items && { items: plainSchema(items) }),
  };
}

/** Writes a value as YAML. Short values are in one line. */
function toYaml(value: unknown, indent = ""): string {
  const flow = toFlow(value);
  if (typeof value !== "object" || value === null || flow.length + indent.length < 100) return flow;
  const lines = Array.isArray(value)
    ? value.map((each) => `${indent}- ${toYaml(each, `${indent}  `).trimStart()}`)
    : Object.entries(value).map(([key, each]) => {
        const text = toYaml(each, `${indent}  `);
        return `${indent}${key}:${text.startsWith("\n") ? text : ` ${text}`}`;
      });
  return `${indent === "" ? "" : "\n"}${lines.join("\n")}`;
}

function toFlow(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(toFlow).join(", ")}]`;
  if (typeof value === "object" && value !== null)
    return `{ ${Object.entries(value)
      .map(([key, each]) => `${key}: ${toFlow(each)}`)
      .join(", ")} }`;
  // Texts that YAML would read as something else are in quotes.
  const isPlain = typeof value === "string" && /^(?!(?:true|false|null|yes|no|on|off|y|n)$)[a-z]\w*$/i.test(value);
  return isPlain ? value : JSON.stringify(value);
}
