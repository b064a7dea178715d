"""Values that the API description can't express: currencies, cursors, and IDs of the demo tenant."""

import os
import urllib.parse
import uuid

import schemathesis
from hypothesis import strategies
from schemathesis import GenerationMode

TENANT = os.environ["CRM_TENANT"]
ADMIN = "01943aa2-bd4a-7513-bffe-033db0871959"
USER = "01944578-1fbe-7cf2-96f4-3e04f83beb19"
CONTACT = "01945eff-a5c0-732a-93b1-33d2195a9dee"

# Records of the demo tenant. Random IDs would be rejected before other fields are checked.
DEMO_VALUES = {
    "tenantId": TENANT,
    "ownerId": USER,
    "userId": USER,
    "assignedTo": USER,
    "accountId": "01945eff-a5c0-7ce2-b439-160e7d883d6c",
    "contactIds": [CONTACT],
    "relatedTo": {"type": "contact", "id": CONTACT},
    "pipelineId": "01943ad8-5a8f-7852-b1ee-2113adc6ff6b",
    "stageId": "01943ad9-68c3-79fe-b8c9-42cef573ee2f",
    "integrationId": "0196c4b9-67ba-77d2-8942-340a98fd126a",
    "expiresAt": "2099-01-01T00:00:00Z",
    "eventId": os.environ["CRM_EVENT"],
    # An address that accepts no connections. A name would need DNS.
    "url": os.environ["CRM_RECEIVER"],
    # A time must be in the event log.
    "position": "latest",
    "customFields": {},
}

schemathesis.openapi.format("iso-4217", strategies.sampled_from(["EUR", "NOK", "USD", "JPY", "BRL"]))


@schemathesis.hook
def before_call(context, case, **kwargs):
    """Makes a request that should succeed refer to existing records, start at the first page, and have its own key."""
    # The token is this admin's. A restore changes fields too.
    if "/admin/users/{id}" in case.operation.label and str(case.path_parameters.get("id")).lower() == ADMIN:
        case.path_parameters["id"] = USER
    # A longer cursor can exceed the limit of all headers when it is encoded, which is another error.
    if isinstance(case.query, dict) and isinstance(case.query.get("cursor"), str):
        if len(case.query["cursor"]) > 1_536:
            case.query["cursor"] = "x" * 1_537
    # A list of long values can exceed that limit too. The replacement is valid if the original was.
    is_positive = case.meta is not None and case.meta.generation.mode == GenerationMode.POSITIVE
    for name in ("names", "emails", "externalIds"):
        values = case.query.get(name) if isinstance(case.query, dict) else None
        if values is not None and len(urllib.parse.quote(str(values))) > 10_000:
            case.query[name] = values[:1] if is_positive and isinstance(values, list) else ["x"] * 101
    if case.meta is None or case.meta.generation.mode != GenerationMode.POSITIVE:
        return
    if isinstance(case.query, dict):
        case.query.pop("cursor", None)
        if case.operation.path.endswith("/events"):
            # The events before the start of the server don't exist.
            case.query.pop("updatedSince", None)
        if "tenantId" in case.query:
            case.query["tenantId"] = TENANT
        if case.meta.phase.name == "stateful" and case.operation.path.endswith("/{id}"):
            # The check for deleted resources doesn't know that this parameter returns an archived record.
            case.query.pop("includeArchived", None)
    if "x-tenant-id" in case.headers:
        case.headers["x-tenant-id"] = TENANT
    # The generator doesn't keep to the pattern of this header.
    if "If-Match" in case.headers:
        case.headers["If-Match"] = "*"
    if "Idempotency-Key" in case.headers:
        case.headers["Idempotency-Key"] = str(uuid.uuid4())
    if isinstance(case.body, dict):
        for name in DEMO_VALUES.keys() & case.body.keys():
            case.body[name] = DEMO_VALUES[name]
        if "website" in case.body:
            # Whether a domain has an IDNA form can't be expressed as a pattern.
            case.body["website"] = "https://example.com"
        if case.body.get("currency") is not None:
            # Where a schema has a pattern too, the coverage phase ignores the strategy of the format.
            case.body["currency"] = "EUR"
        if case.operation.label.endswith("/upsert"):
            complete_upsert(case)
        if case.operation.label.endswith("/batch"):
            case.body["operations"] = [complete_operation(each, case) for each in case.body["operations"]]
        if case.operation.label == "POST /accounts":
            case.body["customFields"] = {"segment": "SMB"}
        if case.operation.label == "POST /api-key/generate" and "name" in case.body:
            # The name may create an integration, which needs scopes.
            case.body.setdefault("scopes", ["tasks:read"])


def required_fields(case):
    """Returns the fields that a new record needs."""
    collection = case.operation.label.split("/")[1]
    if collection == "tasks":
        return {"title": f"Task {uuid.uuid4()}"}
    if collection == "notes":
        return {"body": "Called.", "relatedTo": {"type": "contact", "id": CONTACT}}
    return {"name": f"Record {uuid.uuid4()}"}


def complete_upsert(case):
    """Adds the value of matchBy, and the fields that a new record needs. No schema can express that."""
    case.body.update(required_fields(case))
    field = case.query["matchBy"]
    case.body[field] = f"{uuid.uuid4()}@example.com" if field == "email" else f"Upsert {uuid.uuid4()}"


def complete_operation(operation, case):
    """Keeps the members that the kind of operation has. No schema of a flat object can express that."""
    data = {**operation.get("data", {}), **required_fields(case)}
    members = {"create": {"data": data}, "update": {"id": CONTACT, "data": data}, "archive": {"id": CONTACT}}
    return {"op": operation["op"], **members.get(operation["op"], {"matchBy": "externalId", "data": data})}
