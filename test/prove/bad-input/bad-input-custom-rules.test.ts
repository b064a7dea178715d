import assert from "node:assert/strict";
import { test } from "node:test";
import type { CustomField } from "../../../lib/model/custom-field.ts";
import { dataOf, one, type Shown, verdict } from "../../support/crm.ts";
import { figures } from "../size.ts";
import { customCatalog } from "./custom-catalog.ts";
import { watchedCrm } from "./observed-crm.ts";

const { attempt, storage, clock } = await watchedCrm(customCatalog);
let tried = 0;

const nothing = { name: "x" };
const whole = {
  text_field: "t",
  number_field: 0,
  currency_field: 0,
  date_field: "2026-03-01",
  list_field: "A",
  multi_list_field: ["A"],
};
const empty: readonly (readonly [string, unknown])[] = [
  ...Object.keys(whole).map((key): [string, unknown] => [key, null]),
  ["text_field", ""],
  ["multi_list_field", []],
];

test("a required field can't be omitted in a POST or cleared by a PATCH, and an invalid value is reported first", async () => {
  const { id } = dataOf<Shown>(await attempt("POST", "/contacts", { body: { ...nothing, customFields: whole } }), 201);
  for (const [key, value] of empty) {
    const body = { ...nothing, customFields: { ...whole, [key]: value } };
    const made = await attempt("POST", "/contacts", { body });
    assert.equal(verdict(made), `422 invalid_custom_field: /customFields/${key} required`);
    assert.equal((await attempt("PATCH", `/contacts/${id}`, { body })).text, made.text);
    tried += 2;
  }
  for (const key of Object.keys(whole)) {
    const { [key as keyof typeof whole]: _, ...rest } = whole;
    const rejected = await attempt("POST", "/contacts", { body: { ...nothing, customFields: rest } });
    assert.equal(verdict(rejected), `422 validation_error: /customFields/${key} required`);
    const wrong = await attempt("POST", "/contacts", { body: { ...nothing, customFields: { ...rest, [key]: {} } } });
    assert.equal(verdict(wrong), `422 invalid_custom_field: /customFields/${key} invalid_type`);
    tried += 2;
  }
});

test("the errors of two hundred fields are all counted", async () => {
  const wrong = Object.fromEntries(Array.from({ length: 200 }, (_, index) => [`f${index}`, index % 2 ? "x" : index]));
  const rejected = await attempt("POST", "/opportunities", { body: { ...nothing, customFields: wrong } });
  assert.match(rejected.text, /"errorCount":200/);
});

test("a value that the catalog no longer allows can stay, be sent unchanged or be cleared, but not change", async () => {
  const sent = { memo: "long enough", since: "2026-03-01", odd: "ß", many: ["ß", "0"], size: 5 };
  const { id } = dataOf<Shown>(
    await attempt("POST", "/accounts", { body: { name: "Early", customFields: sent } }),
    201,
  );
  const change = async (key: string, members: Partial<CustomField>) => {
    const found = await storage.list(one.id, "customField", { where: { entity: "account", key } });
    await storage.commit(one.id, clock.now(), (at) =>
      found.map((each) => ({
        op: "update",
        kind: "customField",
        record: { ...each, ...members, updatedAt: at },
        expectedUpdatedAt: each.updatedAt,
      })),
    );
  };
  await change("memo", { maxLength: 2 });
  await change("since", { archivedAt: clock.now() });
  await change("odd", { options: ["A"] });
  await change("many", { options: ["0"] });
  await change("size", { type: "date" });
  const path = `/accounts/${id}`;
  assert.deepEqual(dataOf<Shown>(await attempt("PATCH", path, { body: { customFields: sent } })).customFields, sent);
  const others = { memo: "long enougH", since: "2026-03-02", odd: "SS", many: ["0", "ß"], size: 6 };
  const codes = {
    memo: "too_long",
    since: "unknown_key",
    odd: "not_an_option",
    "many/1": "not_an_option",
    size: "invalid_type",
  };
  for (const [fieldPath, code] of Object.entries(codes)) {
    const key = fieldPath.split("/")[0] as keyof typeof others;
    const rejected = await attempt("PATCH", path, { body: { customFields: { [key]: others[key] } } });
    assert.equal(verdict(rejected).split(": ")[1], `/customFields/${fieldPath} ${code}`);
    const gone = dataOf<Shown>(await attempt("PATCH", path, { body: { customFields: { [key]: null } } }));
    assert.equal(Object.hasOwn(gone.customFields as object, key), false);
    tried += 2;
  }
});

test("a change of custom field values is validated against the current catalog", (t) =>
  figures(t, "bad-input-custom-rules", { "changes of custom field values": tried }));
