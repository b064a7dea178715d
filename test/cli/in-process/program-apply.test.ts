import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { crmIntegrations, type Ended } from "../../support/run-program.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

const folder = temporaryFolder();
const demoFile = new URL("../../../fixtures/demo.json", import.meta.url).pathname;
const acme = ["--tenant-name", "Acme", "--admin-name", "Ana", "--admin-email", "ana@acme.example"];

type Entry = Readonly<Record<string, unknown>>;
type File = Readonly<Record<string, readonly Entry[]>>;

/** Creates a tenant. Returns functions that run the program on it. */
async function openTenant(name: string) {
  const data = join(folder, name);
  assert.equal((await crmIntegrations("init", ...acme, "--data", data)).code, 0);
  const run = (...args: readonly string[]): Promise<Ended> => crmIntegrations(...args, "--data", data);
  const apply = async (settings: unknown, ...args: readonly string[]): Promise<Ended> => {
    const file = join(folder, `${name}.json`);
    writeFileSync(file, JSON.stringify(settings));
    return run("apply", file, ...args);
  };
  const dump = async () => JSON.parse((await run("dump")).stdout) as File;
  return { run, apply, dump };
}

const lists = ["users", "pipelines", "customFields", "rules", "integrations", "grants"];

/** Returns the set-up with names in place of IDs, without what was archived, times and API keys. */
function setUpOf(file: File): unknown {
  const pipelines = (file.pipelines ?? []) as readonly (Entry & { stages: readonly Entry[] })[];
  const named = [...(file.users ?? []), ...pipelines, ...pipelines.flatMap(({ stages }) => stages)];
  const names = new Map(named.map(({ id, name, email }) => [id, email ?? name]));
  const plain = (value: unknown): unknown => {
    if (Array.isArray(value)) {
      const live = value.filter((each) => !each?.archivedAt);
      return live.sort((a, b) => (a?.order ?? 0) - (b?.order ?? 0)).map(plain);
    }
    if (typeof value !== "object" || value === null) return names.get(value) ?? value;
    const { id, createdAt, updatedAt, archivedAt, keys, ...rest } = value as Entry;
    const entries = Object.entries(rest).filter(([, each]) => each !== null);
    return Object.fromEntries(entries.map(([name, each]) => [name, plain(each)]).sort());
  };
  const texts = (list: readonly Entry[] | undefined) => (plain(list) as Entry[]).map((each) => JSON.stringify(each));
  return Object.fromEntries(lists.map((list) => [list, texts(file[list]).sort()]));
}

test("apply makes the set-up of a new tenant that of the demo file, and changes nothing the second time", async () => {
  const { run, dump } = await openTenant("demo");
  const planned = await run("apply", demoFile, "--prune", "--dry-run");
  assert.match(planned.stdout, /^\+ user ingrid\.solberg@fjordlys\.example$/m);
  assert.match(planned.stdout, /^- user ana@acme\.example$/m);
  assert.match(planned.stdout, /Nothing was changed\.\n$/);
  const applied = await run("apply", demoFile, "--prune");
  assert.deepEqual([applied.code, applied.stderr], [0, ""]);
  const loaded = join(folder, "loaded");
  assert.equal((await crmIntegrations("load", demoFile, "--data", loaded)).code, 0);
  const expected = JSON.parse((await crmIntegrations("dump", "--data", loaded)).stdout) as File;
  assert.deepEqual(setUpOf(await dump()), setUpOf(expected));
  assert.equal((await run("apply", demoFile, "--prune")).stdout, "The set-up is up to date.\n");
});

test("apply --dry-run changes nothing", async () => {
  const { run, dump } = await openTenant("dry");
  const before = await dump();
  assert.equal((await run("apply", demoFile, "--prune", "--dry-run")).code, 0);
  assert.deepEqual(await dump(), before);
});

test("apply adds, changes and archives, and leaves other lists unchanged", async () => {
  const { apply, dump } = await openTenant("changes");
  const { users, integrations } = setUpOf(await dump()) as Record<string, unknown>;
  const stages = [{ name: "Lead" }, { name: "Offer", probability: 40 }];
  const first = await apply({
    pipelines: [
      { name: "Sales", stages },
      { name: "Service", isDefault: true, stages },
    ],
  });
  assert.equal(
    first.stdout,
    [
      ...["+ pipeline Service", "+ stage Lead of Sales", "+ stage Offer of Sales"],
      "Added 3, changed 0, archived 0.\n",
    ].join("\n"),
  );
  const second = await apply(
    { pipelines: [{ name: "SERVICE", lostReasons: ["Price"], stages: [{ name: "Lead", order: 7 }] }] },
    "--prune",
  );
  const [changedPipeline, changedStage, ...archived] = second.stdout.split("\n");
  assert.deepEqual(
    [changedPipeline, changedStage],
    ["~ pipeline Service: name, lostReasons", "~ stage Lead of Service: order"],
  );
  // A pipeline is archived with its stages in it.
  assert.deepEqual(archived, ["- stage Offer of Service", "- pipeline Sales", "Added 0, changed 2, archived 2.", ""]);
  const after = setUpOf(await dump()) as Record<string, unknown>;
  assert.deepEqual([after.users, after.integrations], [users, integrations]);
  assert.deepEqual(after.pipelines, [
    '{"isDefault":true,"lostReasons":["Price"],"name":"SERVICE","requireLostReason":false,"stages":[{"name":"Lead","order":7}]}',
  ]);
});

test("apply moves the default from one pipeline to another, and archives all fields with their rules", async () => {
  const { apply, dump } = await openTenant("default");
  const stages = [{ name: "Lead" }];
  const [sales, service] = [
    { name: "Sales", stages },
    { name: "Service", stages },
  ];
  const moved = {
    pipelines: [
      { ...sales, isDefault: false },
      { ...service, isDefault: true },
    ],
  };
  assert.match((await apply(moved)).stdout, /Added 2, changed 0, archived 0\.\n$/);
  assert.equal((await apply(moved)).stdout, "The set-up is up to date.\n");
  const back = {
    pipelines: [
      { ...sales, isDefault: true },
      { ...service, isDefault: false },
    ],
  };
  assert.match((await apply(back)).stdout, /Added 0, changed 1, archived 0\.\n$/);
  assert.equal((await apply(back)).stdout, "The set-up is up to date.\n");
  const none = await apply({ pipelines: [{ ...sales, isDefault: false }] });
  assert.match(none.stderr, /pipeline Sales: The tenant needs a default pipeline\./);
  const field = { entity: "account", key: "sites", label: "Sites", type: "number" };
  await apply({ customFields: [field], rules: [{ entity: "account", field: "customFields.sites" }] });
  const pruned = await apply({ customFields: [] }, "--prune");
  assert.match(pruned.stderr, /custom field account\.sites: A rule requires customFields\.sites/);
  assert.match((await apply({ customFields: [], rules: [] }, "--prune")).stdout, /archived 2\.\n$/);
  const number = await apply({ customFields: [{ ...field, type: "text" }] });
  assert.match(number.stderr, /custom field account\.sites: An archived custom field of the account has this key/);
  assert.deepEqual((setUpOf(await dump()) as { customFields: unknown }).customFields, []);
});

test("apply names all entries with errors, and changes nothing then", async () => {
  const { apply, dump } = await openTenant("failing");
  const field = { entity: "account", key: "segment", label: "Segment", type: "list" };
  const users = [{ name: "Ida", email: "ida@acme.example" }];
  const rules = [{ entity: "account", field: "customFields.segment" }];
  const before = await dump();
  const settings = { users, customFields: [field], rules: [{ entity: "account", field: "customFields.none" }] };
  for (const args of [[], ["--dry-run"], ["--json"]]) {
    const failed = await apply(settings, ...args);
    assert.deepEqual([failed.code, failed.stdout], [1, ""]);
    assert.equal(
      failed.stderr,
      [
        "crm-integrations: custom field account.segment: A field of type list needs options.",
        "  rule account.customFields.none: account has no field customFields.none.",
        "  Nothing was changed. Correct the file and apply it again.\n",
      ].join("\n"),
    );
    assert.deepEqual(await dump(), before);
  }
  const corrected = { users, customFields: [{ ...field, options: ["A"] }], rules };
  assert.match((await apply(corrected, "--dry-run")).stdout, /^Plan: 3 to add, 0 to change, 0 to archive\./m);
  assert.match((await apply(corrected)).stdout, /Added 3, changed 0, archived 0\.\n$/);
  const { stdout } = await apply(corrected, "--json");
  assert.equal(stdout, "[]\n");
});

test("apply rejects a file that isn't a settings file", async () => {
  const { apply, run } = await openTenant("wrong");
  assert.match((await apply([])).stderr, /A settings file is a JSON object with lists such as users and pipelines\./);
  assert.match((await apply({ users: {} })).stderr, /users must be a list of objects\./);
  assert.match((await run("apply", join(folder, "none.json"))).stderr, /none\.json: no such file or directory\./);
  assert.match(
    (await apply({ custmFields: [] })).stderr,
    /Unknown list "custmFields" \(did you mean "customFields"\?\)\./,
  );
  const unknownKey = await apply({ users: [{ name: "Ida", email: "ida@acme.example", rôle: "admin" }] });
  assert.match(unknownKey.stderr, /user ida@acme\.example: Unknown field "rôle"\./);
});

test("apply matches names and email addresses as the API compares them", async () => {
  const { apply } = await openTenant("normalized");
  const integrations = [{ name: "My  ERP", scopes: ["tasks:read"] }];
  assert.equal((await apply({ users: [{ name: "Ida", email: "ida@bücher.example" }], integrations })).code, 0);
  const same = {
    users: [{ name: "Ida", email: "IDA@xn--bcher-kva.example" }],
    integrations: [{ name: "my\u200b erp", scopes: ["tasks:read"] }],
  };
  const { stdout } = await apply(same, "--dry-run");
  assert.match(stdout, /^Plan: 0 to add, 2 to change, 0 to archive\./m, stdout);
});
