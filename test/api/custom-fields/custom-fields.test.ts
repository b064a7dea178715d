import assert from "node:assert/strict";
import { test } from "node:test";
import { dataOf, errorOf, one, openCrm, two, verdict } from "../../support/crm.ts";

const crm = await openCrm();
const path = "/custom-fields?entity=";

const required = false;
const segments = ["SMB", "Mid-Market", "Größe"];
const lines = ["Filter", "Espresso", "Beans"];

/** The catalog without its first field, whose description differs per entity. */
const rest = [
  { key: "size", label: "Size", type: "number", required },
  { key: "budget", label: "Budget", type: "currency", required },
  { key: "since", label: "Since", type: "date", required },
  {
    key: "segment",
    label: "Segment",
    type: "list",
    required,
    options: segments,
    optionLabels: Object.fromEntries(segments.map((option) => [option, option])),
  },
  {
    key: "lines",
    label: "Lines",
    type: "multi_list",
    required,
    options: lines,
    optionLabels: Object.fromEntries(lines.map((option) => [option, option])),
  },
];

for (const entity of ["account", "contact", "opportunity"]) {
  test(`the catalog of ${entity} has the members of each type and no others, in the tenant's order`, async () => {
    const result = await crm.call("GET", path + entity);
    assert.equal(result.status, 200);
    const note = { key: "note", label: "Note", type: "text", required, description: `Of the ${entity}`, maxLength: 10 };
    assert.deepEqual(result.body, { data: [note, ...rest] });
    assert.deepEqual([result.headers.get("link"), result.headers.get("x-next-updated-since")], [null, null]);
  });
}

test("the catalog contains required, a default maxLength of 255, and a label for every option", async () => {
  const changed = await openCrm({
    "/customFields/0/maxLength": undefined,
    "/customFields/0/description": undefined,
    "/customFields/0/required": true,
    "/customFields/4/optionLabels": { SMB: "Small & medium", Größe: "Größe XXL" },
    "/customFields/5/optionLabels": {},
  });
  const [note, , , , segment, several] = dataOf<Record<string, unknown>[]>(await changed.call("GET", `${path}account`));
  assert.deepEqual(note, { key: "note", label: "Note", type: "text", required: true, maxLength: 255 });
  assert.deepEqual(segment?.optionLabels, { SMB: "Small & medium", "Mid-Market": "Mid-Market", Größe: "Größe XXL" });
  assert.deepEqual(several?.optionLabels, { Filter: "Filter", Espresso: "Espresso", Beans: "Beans" });
});

test("an option named like a member of Object has its label", async () => {
  const options = ["constructor", "toString"];
  const edits = { "/customFields/4/options": options, "/customFields/4/optionLabels": { toString: "To string" } };
  const changed = await openCrm(edits);
  const segment = dataOf<Record<string, unknown>[]>(await changed.call("GET", `${path}account`))[4];
  assert.deepEqual(segment?.optionLabels, { constructor: "constructor", toString: "To string" });
});

test("the label of the option constructor is returned", async () => {
  const optionLabels = { constructor: "Builder" };
  const edits = { "/customFields/4/options": ["constructor"], "/customFields/4/optionLabels": optionLabels };
  const changed = await openCrm(edits);
  const segment = dataOf<Record<string, unknown>[]>(await changed.call("GET", `${path}account`))[4];
  assert.deepEqual(segment?.optionLabels, optionLabels);
});

test("fields are in order of position, also after changes, without archived ones", async () => {
  const changed = await openCrm({
    "/customFields/0/position": 9,
    "/customFields/3/position": 0,
    "/customFields/4/archivedAt": "2026-01-05T08:00:00.000Z",
    "/customFields/2/updatedAt": "2026-03-05T08:00:00.000Z",
  });
  const fields = dataOf<{ key: string }[]>(await changed.call("GET", `${path}account`));
  assert.deepEqual(
    fields.map(({ key }) => key),
    ["since", "size", "budget", "lines", "note"],
  );
  const rejected = await changed.call("POST", "/accounts", { name: "x", customFields: { segment: "SMB" } });
  assert.equal(verdict(rejected), "422 unknown_custom_field: /customFields/segment unknown_key");
});

test("GET /custom-fields returns an empty list for a tenant without custom fields", async () => {
  const result = await crm.send("GET", `${path}account`, { key: two.key });
  assert.deepEqual(result.body, { data: [] });
});

test("GET /custom-fields requires the read scope of the requested entity", async () => {
  const entities = { account: "accounts:read", contact: "contacts:read", opportunity: "opportunities:read" };
  for (const [entity, scope] of Object.entries(entities)) {
    const { send } = await openCrm({ "/integrations/1/scopes": [scope] });
    for (const [other, needed] of Object.entries(entities)) {
      const result = await send("GET", path + other, { key: one.readKey });
      assert.equal(result.status, other === entity ? 200 : 403, result.text);
      if (other === entity) continue;
      const { code, details } = errorOf(result);
      assert.deepEqual([code, details], ["insufficient_scope", { required: needed, granted: [scope] }]);
    }
  }
  const writer = await openCrm({ "/integrations/1/scopes": ["accounts:write"] });
  const rejected = await writer.send("GET", `${path}account`, { key: one.readKey });
  assert.equal(verdict(rejected), "403 insufficient_scope");
  assert.equal(verdict(await crm.send("GET", `${path}account`)), "401 unauthorized");
});

test("GET /custom-fields rejects another entity for any API key", async () => {
  for (const key of [one.key, one.bareKey]) {
    const missing = await crm.send("GET", "/custom-fields", { key });
    assert.equal(verdict(missing), "400 validation_error: ?entity required");
    for (const entity of ["", "task", "accounts", "Account", "constructor", "__proto__"]) {
      const rejected = await crm.send("GET", path + entity, { key });
      assert.equal(verdict(rejected), "400 validation_error: ?entity not_an_option", entity);
      assert.deepEqual(errorOf(rejected).details?.errors?.[0]?.allowed, ["account", "contact", "opportunity"]);
    }
  }
  const hinted = errorOf(await crm.call("GET", `${path}accounts`));
  assert.equal(hinted.message, 'entity must be one of: account, contact, opportunity. Did you mean "account"?');
});

test("GET /custom-fields rejects filters and page parameters", async () => {
  const rejected = await crm.call("GET", `${path}account&limit=1&cursor=x`);
  assert.equal(verdict(rejected), "400 validation_error: ?limit unknown_key, ?cursor unknown_key");
  assert.equal(verdict(await crm.call("POST", "/custom-fields", {})), "405 bad_request");
  assert.equal(verdict(await crm.call("GET", `${path}account&tenantId=${one.id}`)), "200");
});
