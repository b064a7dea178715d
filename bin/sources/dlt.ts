import { type JsonSchema, type Stream, withoutNull } from "./streams.ts";

/** The version of dlt that the tests use. */
const dltVersion = "1.31.0";

/** Returns a Python module with a source of dlt. */
export function dltSource(streams: readonly Stream[]): string {
  const names = streams.map(({ name }) => name);
  const incremental = streams.filter(({ isIncremental }) => isIncremental);
  const others = streams.filter(({ isIncremental }) => !isIncremental);
  const tables = streams.map((stream) => `    "${stream.name}": {\n${columnLines(stream).join("")}    },\n`);
  const changes = incremental.map(({ name, path, hasArchived }) => {
    const params = `{"limit": 200${hasArchived ? ', "includeArchived": "true"' : ""}}`;
    return `        changes("${name}", "${path}", ${params}),\n`;
  });
  const loads = others.flatMap(({ name, path, entities, primaryKey }) => {
    const key = primaryKey.length === 1 ? `"${primaryKey[0]}"` : `["${primaryKey.join('", "')}"]`;
    return (entities ?? [undefined]).map((entity) => {
      return `        all_records("${name}", "${path}", ${key}${entity === undefined ? "" : `, "${entity}"`}),\n`;
    });
  });
  return `"""The CRM as a source of dlt: ${names.join(", ")}.

Printed by \`crm-integrations source dlt\`. Tested with dlt ${dltVersion}: pip install "dlt[duckdb]==${dltVersion}"
Run it with CRM_URL, such as https://crm.example.com/integrations/v1, and CRM_API_KEY. Arguments select tables.
"""

import os
import sys

import dlt
from dlt.sources.rest_api import rest_api_source

COLUMNS = {
${tables.join("")}}


def crm(url, api_key):
    """Returns the source. Each load has the records that changed since the last one."""
    return rest_api_source(
        {
            "client": {
                "base_url": url.rstrip("/") + "/",
                "auth": {"type": "api_key", "name": "x-api-key", "api_key": api_key, "location": "header"},
                "paginator": {"type": "cursor", "cursor_path": "nextCursor", "cursor_param": "cursor"},
            },
            "resource_defaults": {"endpoint": {"data_selector": "data"}},
            "resources": RESOURCES,
        },
        name="crm",
    )


def changes(name, path, params):
    """Merges records by ID. The watermark is the greatest updatedAt, and an empty updatedSince reads from the start."""
    hints = columns(name)
    # A record that changes during a load comes twice in it. Without this hint, dlt keeps any of the two versions.
    hints["updatedAt"]["dedup_sort"] = "desc"
    incremental = {"cursor_path": "updatedAt", "start_param": "updatedSince", "initial_value": ""}
    endpoint = {"path": path, "params": params, "incremental": incremental}
    return {"name": name, "primary_key": "id", "write_disposition": "merge", "columns": hints, "endpoint": endpoint}


def all_records(name, path, primary_key, entity=None):
    """Replaces a small table in each load."""
    params = {"entity": entity} if entity else {}
    resource = {
        "name": f"{entity}_{name}" if entity else name,
        "table_name": name,
        "primary_key": primary_key,
        "write_disposition": "replace",
        "columns": columns(name),
        "endpoint": {"path": path, "params": params, "paginator": "single_page"},
    }
    if entity:
        resource["processing_steps"] = [{"map": lambda record: {"entity": entity, **record}}]
    return resource


def columns(name):
    return {column: {"data_type": kind} for kind, names in COLUMNS[name].items() for column in names.split()}


RESOURCES = [
${[...changes, ...loads].join("").replaceAll(/^ {8}/gm, "    ")}]

if __name__ == "__main__":
    source = crm(os.environ["CRM_URL"], os.environ["CRM_API_KEY"])
    pipeline = dlt.pipeline("crm", destination=os.environ.get("DESTINATION", "duckdb"), dataset_name="crm_data")
    print(pipeline.run(source.with_resources(*sys.argv[1:]) if sys.argv[1:] else source))
`;
}

/** Returns a line for each type, with the columns of this type. */
function columnLines({ properties }: Stream): readonly string[] {
  const columns = Object.entries(properties).flatMap(([name, schema]) => columnsOf(name, schema));
  const byType = Object.groupBy(columns, ({ type }) => type);
  return Object.entries(byType).map(([type, found = []]) => {
    return `        "${type}": "${found.map(({ name }) => name).join(" ")}",\n`;
  });
}

/** Returns the column of a field, or those of its members. dlt joins their names with two underscores. */
function columnsOf(name: string, value: JsonSchema): readonly { readonly name: string; readonly type: string }[] {
  const { type, format, properties } = withoutNull(value);
  if (properties !== undefined)
    return Object.entries(properties).flatMap(([member, each]) => columnsOf(`${name}__${member}`, each));
  return [{ name, type: formats[format ?? ""] ?? types[String(type)] ?? "text" }];
}

type Names = Readonly<Record<string, string>>;
const formats: Names = { "date-time": "timestamp", date: "date" };
const types: Names = { object: "json", array: "json", number: "double", integer: "bigint", boolean: "bool" };
