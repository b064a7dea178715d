"""The CRM as a source of dlt: accounts, contacts, opportunities, tasks, notes, events, pipelines, users, custom_fields.

Printed by `crm-integrations source dlt`. Tested with dlt 1.31.0: pip install "dlt[duckdb]==1.31.0"
Run it with CRM_URL, such as https://crm.example.com/integrations/v1, and CRM_API_KEY. Arguments select tables.
"""

import os
import sys

import dlt
from dlt.sources.rest_api import rest_api_source

COLUMNS = {
    "accounts": {
        "text": "id name document website phone email description address__street address__city address__state address__postalCode address__country ownerId externalId",
        "json": "customFields",
        "timestamp": "createdAt updatedAt archivedAt",
    },
    "contacts": {
        "text": "id name email phone jobTitle accountId ownerId externalId",
        "json": "customFields",
        "timestamp": "createdAt updatedAt archivedAt",
    },
    "opportunities": {
        "text": "id name accountId pipelineId stageId status currency ownerId lostReason externalId",
        "json": "contactIds customFields",
        "double": "amount",
        "date": "expectedCloseDate",
        "timestamp": "closedAt stageChangedAt createdAt updatedAt archivedAt",
    },
    "tasks": {
        "text": "id title description priority status relatedTo__type relatedTo__id assignedTo",
        "timestamp": "dueDate closedAt createdAt updatedAt archivedAt",
    },
    "notes": {
        "text": "id body relatedTo__type relatedTo__id authorId externalId",
        "timestamp": "occurredAt createdAt updatedAt archivedAt",
    },
    "events": {
        "text": "id type recordId integrationId keyId userId requestId",
        "json": "changed before",
        "timestamp": "createdAt updatedAt",
    },
    "pipelines": {
        "text": "id name",
        "bool": "isDefault requireLostReason",
        "json": "lostReasons stages",
        "timestamp": "createdAt updatedAt",
    },
    "users": {
        "text": "id name email role externalId",
        "bool": "active",
        "timestamp": "createdAt updatedAt",
    },
    "custom_fields": {
        "text": "entity key label type description",
        "bool": "required",
        "bigint": "maxLength",
        "json": "options optionLabels",
    },
}


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
    changes("accounts", "accounts", {"limit": 200, "includeArchived": "true"}),
    changes("contacts", "contacts", {"limit": 200, "includeArchived": "true"}),
    changes("opportunities", "opportunities", {"limit": 200, "includeArchived": "true"}),
    changes("tasks", "tasks", {"limit": 200, "includeArchived": "true"}),
    changes("notes", "notes", {"limit": 200, "includeArchived": "true"}),
    changes("events", "events", {"limit": 200}),
    all_records("pipelines", "pipelines", "id"),
    all_records("users", "users", "id"),
    all_records("custom_fields", "custom-fields", ["entity", "key"], "account"),
    all_records("custom_fields", "custom-fields", ["entity", "key"], "contact"),
    all_records("custom_fields", "custom-fields", ["entity", "key"], "opportunity"),
]

if __name__ == "__main__":
    source = crm(os.environ["CRM_URL"], os.environ["CRM_API_KEY"])
    pipeline = dlt.pipeline("crm", destination=os.environ.get("DESTINATION", "duckdb"), dataset_name="crm_data")
    print(pipeline.run(source.with_resources(*sys.argv[1:]) if sys.argv[1:] else source))
