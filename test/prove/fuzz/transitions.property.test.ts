import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { ApiError, type FieldError, type HostRules } from "../../../lib/index.ts";
import { opportunityStatuses } from "../../../lib/model/opportunity.ts";
import { taskStatuses } from "../../../lib/model/task.ts";
import { loadTenantFile } from "../../../lib/tenant-file/index.ts";
import { sequentialIds, type TestCrm, testCrm } from "../../support/harness.ts";
import { idOf, one, type RandomTenant, randomTenant } from "../../support/random-tenants.ts";
import { dataOf, errorOf } from "../../support/responses.ts";
import { tenantFile } from "../../support/tenants.ts";
import { figures, seed, size } from "../size.ts";

const { key } = one;

type Transition = {
  readonly to: Readonly<Record<string, string>>;
  readonly allowed: boolean;
  readonly conflict?: unknown;
  readonly missing: readonly (FieldError & { readonly field: string })[];
};

function rulesOf({ rejected, thrown }: RandomTenant["hostRules"]): HostRules {
  const check = ({ status, stageId }: { readonly status: string; readonly stageId?: string }) => {
    if (status === thrown) throw new ApiError("conflict", "The books are closed.", { details: { reason: "books" } });
    return [status, stageId].flatMap((value): FieldError[] =>
      rejected.some((each) => each === value)
        ? [{ path: value === status ? "/status" : "/stageId", code: "not_an_option", message: `Not ${value}.` }]
        : [],
    );
  };
  return { opportunity: [check], task: [check] };
}

/** Sends a PATCH and restores the record. */
async function tryPatch(crm: TestCrm, kind: "opportunity" | "task", path: string, body: object) {
  const { storage, clock, send } = crm;
  clock.advance(1_000);
  const id = path.split("/").at(-1) ?? "";
  const before = await storage.get(one.id, kind, id);
  const result = await send("PATCH", path, { key, body });
  const after = await storage.get(one.id, kind, id);
  await storage.commit(one.id, clock.now(), (at) => {
    const record = { ...before, updatedAt: at };
    return [{ op: "update", kind, record, expectedUpdatedAt: after?.updatedAt } as never];
  });
  return result;
}

const transitionsByOutcome = { allowed: 0, missing: 0, conflict: 0 };

/** Compares each transition with the PATCH that makes it. */
async function compare(crm: TestCrm, kind: "opportunity" | "task", path: string, query: string): Promise<Transition[]> {
  const transitions = dataOf<Transition[]>(await crm.send("GET", `${path}/transitions${query}`, { key }));
  for (const { to, allowed, conflict, missing } of transitions) {
    const body = to.stageId === undefined ? { status: to.status } : { stageId: to.stageId };
    const patch = await tryPatch(crm, kind, path, body);
    const { code, message, details } = patch.status === 200 ? ({} as never) : errorOf(patch);
    const isConflict = patch.status !== 200 && details?.errors === undefined;
    const expected = {
      allowed: patch.status === 200,
      ...(isConflict ? { conflict: { code, message, reason: details?.reason } } : {}),
      missing: details?.errors ?? [],
    };
    const withoutField = missing.map(({ field: _, ...error }) => error);
    const actual = { allowed, ...(conflict === undefined ? {} : { conflict }), missing: withoutField };
    assert.deepEqual(actual, expected, `${path} ${JSON.stringify(to)}`);
    transitionsByOutcome[allowed ? "allowed" : isConflict ? "conflict" : "missing"]++;
  }
  return transitions;
}

/** Returns the targets that a response must have, in order. */
function targetsOf({ id, stages }: RandomTenant["pipelines"][number]): readonly object[] {
  const active = stages.filter((stage) => stage.archivedAt === null);
  const sorted = active.sort((a, b) => a.order - b.order || (a.id < b.id ? -1 : 1));
  const stageTargets = sorted.map((stage) => ({ stageId: stage.id, stageName: stage.name, pipelineId: id }));
  return [...stageTargets, ...opportunityStatuses.map((status) => ({ status }))];
}

async function checkCase({ hostRules, ...generated }: RandomTenant): Promise<void> {
  const crm = await testCrm([], { rules: rulesOf(hostRules) });
  try {
    const base = tenantFile(one);
    const records = {
      opportunities: generated.opportunities.map((each, index) => ({ id: idOf(3, index), ...each })),
      tasks: generated.tasks.map((each, index) => ({ id: idOf(4, index), ...each })),
    };
    const file = { ...base, ...generated, ...records };
    await loadTenantFile(crm.storage, JSON.parse(JSON.stringify(file)), { clock: crm.clock, newId: sequentialIds() });
    for (const { id, pipelineId } of records.opportunities) {
      for (const pipeline of generated.pipelines) {
        if (pipeline.archivedAt !== null && pipeline.id !== pipelineId) continue;
        const query = `?pipelineId=${pipeline.id}`;
        const transitions = await compare(crm, "opportunity", `/opportunities/${id}`, query);
        assert.deepEqual(
          transitions.map(({ to }) => to),
          targetsOf(pipeline),
        );
        if (pipeline.id !== pipelineId) continue;
        const own = await crm.send("GET", `/opportunities/${id}/transitions`, { key });
        assert.deepEqual(dataOf(own), transitions);
      }
    }
    for (const { id } of records.tasks) {
      const transitions = await compare(crm, "task", `/tasks/${id}`, "");
      assert.deepEqual(
        transitions.map(({ to }) => to),
        taskStatuses.map((status) => ({ status })),
      );
    }
  } finally {
    await crm.api.close();
  }
}

test(`a transition is allowed if and only if its PATCH succeeds, and \`missing\` has the errors of that PATCH (FC_SEED=${seed})`, async (t) => {
  await fc.assert(fc.asyncProperty(randomTenant, checkCase), { seed, numRuns: size(40, 1_000) });
  figures(t, "transitions.property", transitionsByOutcome);
  for (const [outcome, count] of Object.entries(transitionsByOutcome)) assert.ok(count > 50, `${count} ${outcome}`);
});
