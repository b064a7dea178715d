import assert from "node:assert/strict";
import { test } from "node:test";
import { type ClientOptions, createClient } from "../../../lib/client/index.ts";
import { ApiError, type HostRules, type Storage, wrapStorage } from "../../../lib/index.ts";
import { insertWrite, newUser } from "../../../lib/storage/contract/records.ts";
import { dataOf, errorOf, one, openCrm, sales, service, two, unknown, verdict } from "../../support/crm.ts";
import { baseUrl } from "../../support/harness.ts";
import { freshStorage } from "../../support/storages.ts";

/** Kinds of the lists that were read since the array was emptied. */
const listed: string[] = [];
const sqlite = await freshStorage();
const list: Storage["list"] = (tenantId, kind, query) => {
  listed.push(kind);
  return sqlite.list(tenantId, kind, query);
};

const host: HostRules = {
  opportunity: [
    ({ status, amount }) => {
      if (amount === 13 && status === "won") throw new ApiError("conflict", "The books are closed.");
      if (amount === 14 && status === "won") throw new Error("The books are lost.");
      return amount === 12 && status === "won"
        ? [{ path: "/accountId", code: "required", message: "accountId is required for an invoice." }]
        : [];
    },
  ],
  task: [
    ({ status, dueDate }) =>
      status === "completed" && dueDate === null
        ? [{ path: "/dueDate", code: "required", message: "dueDate is required." }]
        : [],
  ],
};

const rules = [
  { entity: "opportunity", field: "amount", when: { stageIds: [sales.contract] } },
  { entity: "opportunity", field: "customFields.segment", when: { stageIds: [sales.contract], statuses: ["open"] } },
];
const crm = await openCrm({ "/rules": rules }, { rules: host, storage: wrapStorage(sqlite, { list }) });
const { call, create, send } = crm;

type Transition = { to: Record<string, string>; allowed: boolean; missing: { field: string }[]; conflict?: unknown };

async function transitionsOf(path: string, query = ""): Promise<Transition[]> {
  return dataOf<Transition[]>(await call("GET", `${path}/transitions${query}`));
}

async function opportunityPath(body: object = {}): Promise<string> {
  return `/opportunities/${(await create("/opportunities", { name: "Sale", ...body })).id}`;
}

const ready = { allowed: true, missing: [] };
const at = (stageId: string, stageName: string, pipelineId = sales.id) => ({ to: { stageId, stageName, pipelineId } });
const reasons = ["Price", "No answer"];
const lostReason = {
  path: "/lostReason",
  code: "required_at_status",
  message: "lostReason is required if the status is lost. Allowed: Price, No answer.",
  allowed: reasons,
  field: "lostReason",
};

test("GET /opportunities/{id}/transitions returns stages in order, then statuses, with what each still needs", async () => {
  const segment = {
    path: "/customFields/segment",
    code: "required_at_stage",
    message:
      'customFields.segment is required at stage "Contract" if the status is open (one of: SMB, Mid-Market, Größe).',
    allowed: ["SMB", "Mid-Market", "Größe"],
    field: "segment",
  };
  const amount = {
    path: "/amount",
    code: "required_at_stage",
    message: 'amount is required at stage "Contract".',
    field: "amount",
  };
  assert.deepEqual(await transitionsOf(await opportunityPath()), [
    { ...at(sales.lead, "Lead"), ...ready },
    { ...at(sales.offer, "Offer"), ...ready },
    { ...at(sales.contract, "Contract"), allowed: false, missing: [amount, segment] },
    { to: { status: "open" }, ...ready },
    { to: { status: "won" }, ...ready },
    { to: { status: "lost" }, allowed: false, missing: [lostReason] },
  ]);
});

test("the stages of a closed opportunity have a conflict, except for its own", async () => {
  const message = "The stage of a won opportunity can't change. To move it, also set its status to open.";
  const closed = { allowed: false, conflict: { code: "conflict", message, reason: "closed" }, missing: [] };
  assert.deepEqual((await transitionsOf(await opportunityPath({ status: "won" }))).slice(0, 3), [
    { ...at(sales.lead, "Lead"), ...ready },
    { ...at(sales.offer, "Offer"), ...closed },
    { ...at(sales.contract, "Contract"), ...closed },
  ]);
});

test("?pipelineId returns the stages of another pipeline, or 422 if the tenant doesn't have it", async () => {
  const path = await opportunityPath();
  const transitions = await transitionsOf(path, `?pipelineId=${service.id.toUpperCase()}`);
  assert.deepEqual(transitions.slice(0, 2), [
    { ...at(service.survey, "Survey", service.id), ...ready },
    { ...at(service.review, "Review", service.id), ...ready },
  ]);
  assert.equal(transitions.length, 5);
  for (const id of [two.pipeline, unknown]) {
    const rejected = await call("GET", `${path}/transitions?pipelineId=${id}`);
    assert.equal(verdict(rejected), "422 invalid_reference: ?pipelineId not_found");
    assert.equal(errorOf(rejected).message, "The pipeline in pipelineId doesn't exist.");
  }
  const malformed = await call("GET", `${path}/transitions?pipelineId=sales`);
  assert.equal(verdict(malformed), "400 validation_error: ?pipelineId invalid_format");
});

test("GET /tasks/{id}/transitions returns statuses, and asks host rules", async () => {
  const { id } = await create("/tasks", { title: "Call" });
  const missing = [{ path: "/dueDate", code: "required", message: "dueDate is required.", field: "dueDate" }];
  assert.deepEqual(await transitionsOf(`/tasks/${id}`), [
    { to: { status: "pending" }, ...ready },
    { to: { status: "completed" }, allowed: false, missing },
    { to: { status: "canceled" }, ...ready },
  ]);
});

test("errors of host rules are missing fields, an ApiError is a conflict, and any other exception is 500", async () => {
  const won = async (amount: number) => (await transitionsOf(await opportunityPath({ amount })))[4];
  const missing = [
    { path: "/accountId", code: "required", message: "accountId is required for an invoice.", field: "accountId" },
  ];
  assert.deepEqual(await won(12), { to: { status: "won" }, allowed: false, missing });
  const conflict = { code: "conflict", message: "The books are closed." };
  assert.deepEqual(await won(13), { to: { status: "won" }, allowed: false, conflict, missing: [] });
  const failed = await call("GET", `${await opportunityPath({ amount: 14 })}/transitions`);
  assert.equal(verdict(failed), "500 internal_error");
});

test("transitions return 404 for archived, unknown and other tenants' records, and 403 without the read scope", async () => {
  const path = await opportunityPath();
  assert.equal((await call("DELETE", path)).status, 204);
  const paths = [path, `/opportunities/${two.opportunity}`, `/opportunities/${unknown}`, "/opportunities/none"];
  for (const each of [...paths, `/tasks/${one.archivedTask}`, `/tasks/${two.task}`]) {
    assert.equal(verdict(await call("GET", `${each}/transitions`)), "404 not_found", each);
  }
  const withReadKey = (path: string) => send("GET", `${path}/transitions`, { key: one.readKey });
  assert.equal((await withReadKey(`/tasks/${one.task}`)).status, 200);
  assert.equal(verdict(await withReadKey(`/opportunities/${one.opportunity}`)), "403 insufficient_scope");
});

test("the catalog, the rules and the pipelines are read once per request", async () => {
  const path = await opportunityPath();
  // A change of the settings empties their cache.
  await crm.storage.commit(one.id, crm.clock.now(), (at) => [insertWrite("user", newUser(unknown, at))]);
  listed.length = 0;
  await transitionsOf(path);
  assert.deepEqual(listed.sort(), ["customField", "pipeline", "rule", "stage"]);
});

test("the client has transitions of opportunities and tasks", async () => {
  const fetch: NonNullable<ClientOptions["fetch"]> = (url, init) => crm.api.fetch(new Request(url, init));
  const client = createClient({ baseUrl, apiKey: one.key, fetch });
  const transitions = await client.opportunities.transitions(one.opportunity, { pipelineId: service.id });
  const stages = transitions.flatMap(({ to }) => ("stageId" in to ? [to.stageName] : []));
  assert.deepEqual(stages, ["Survey", "Review"]);
  assert.equal((await client.opportunities.transitions(one.opportunity)).at(-1)?.missing[0]?.field, "lostReason");
  assert.deepEqual(
    (await client.tasks.transitions(one.task)).map(({ allowed }) => allowed),
    [true, false, true],
  );
});
