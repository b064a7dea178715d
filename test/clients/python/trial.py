"""Uses the client that openapi-python-client generates. The server drops the response of the first POST."""

import os
import sys
from uuid import uuid4

import httpx

sys.path.insert(0, sys.argv[1])

from crm_client import AuthenticatedClient
from crm_client.api.accounts import create_account, list_accounts, update_account
from crm_client.models import AccountCreate, AccountUpdate, CustomFieldValues, Error

# docs:start
client = AuthenticatedClient(os.environ["CRM_URL"], os.environ["CRM_API_KEY"], prefix="", auth_header_name="x-api-key")
body = AccountCreate(name=f"Nordlys {uuid4()}", document="NO 912", custom_fields=CustomFieldValues.from_dict({"segment": "SMB"}))

key = str(uuid4())
for attempt in range(3):
    try:
        created = create_account.sync(client=client, body=body, idempotency_key=key)
        break
    except httpx.TransportError:
        continue  # The same Idempotency-Key creates the account once.

account = update_account.sync(created.data.id, client=client, body=AccountUpdate(document=None)).data

cursor, names, pages = None, [], 0
while pages == 0 or cursor is not None:
    page = list_accounts.sync(client=client, limit=2, **({"cursor": cursor} if cursor else {}))
    names += [each.name for each in page.data]
    cursor, pages = page.next_cursor, pages + 1

problem = create_account.sync(client=client, body=AccountCreate(name="Segment", custom_fields=CustomFieldValues.from_dict({"segment": "?"})))
for each in problem.error.details.errors if isinstance(problem, Error) else []:
    print(each.path, each.message)
# docs:end

assert attempt == 1, attempt
assert account.document is None and account.custom_fields["segment"] == "SMB"
assert pages >= 3 and names.count(body.name) == 1, (pages, names)
assert [each.path for each in problem.error.details.errors] == ["/customFields/segment"]
