import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, test } from "node:test";
import type { RateLimitResult } from "../../../lib/index.ts";
import { type Result, testCrm } from "../../support/harness.ts";
import { dataOf, verdict } from "../../support/responses.ts";
import { testTenant } from "../../support/tenants.ts";

const one = testTenant(1);
const two = testTenant(2);
const { key } = one;
const state: RateLimitResult = { accepted: true, limit: 300, remaining: 299, resetMs: 60_000, retryMs: 0 };
const limitReached: RateLimitResult = { ...state, accepted: false, remaining: 0, retryMs: 1_500 };
let rate = state;
const { send, api } = await testCrm([one, two], { rateLimiter: { take: async () => rate } });
const unknown = "0197a3c2-7b1e-7cc0-8d3f-2f6f1f0c9a11";
after(() => api.close());

/** The parts of a request. Each mistake changes some of them. */
type Draft = {
  method: string;
  path: string;
  query: string[];
  key: string | null;
  headers: Record<string, string>;
  body: Record<string, unknown>;
  raw?: string;
};

/** A mistake in a request, and the response if it is the only one. */
type Mistake = readonly [what: string, expected: string, apply: (draft: Draft) => void];

async function sendDraft(base: Pick<Draft, "method" | "path">, mistakes: readonly Mistake[]): Promise<Result> {
  const draft: Draft = { ...base, query: [], key, headers: {}, body: {} };
  rate = state;
  for (const [, , apply] of mistakes) apply(draft);
  const { method, path, query, body, raw, ...sent } = draft;
  return send(method, `${path}?${query.join("&")}`, { ...sent, ...(raw === undefined ? { body } : { raw }) });
}

const usedKey = randomUUID();
dataOf(await send("POST", "/tasks", { key, body: { title: "a" }, headers: { "idempotency-key": usedKey } }), 201);
const { id: closedTask } = dataOf(
  await send("POST", "/tasks", { key, body: { title: "a", status: "completed" } }),
  201,
);

const earlyMistakes: readonly Mistake[] = [
  [
    "an unknown method",
    "405 bad_request",
    (draft) => {
      draft.method = "PUT";
    },
  ],
  [
    "a body that is too long",
    "413 bad_request",
    ({ headers }) => {
      headers["content-length"] = "1048577";
    },
  ],
  [
    "an unknown key",
    "401 unauthorized",
    (draft) => {
      draft.key = "crm_test_unknown";
    },
  ],
  [
    "too many requests",
    "429 rate_limited",
    () => {
      rate = limitReached;
    },
  ],
  [
    "a missing scope",
    "403 insufficient_scope",
    (draft) => {
      draft.key &&= one.readKey;
    },
  ],
  [
    "a body that isn't JSON",
    "400 bad_request",
    (draft) => {
      draft.raw = "{";
    },
  ],
  [
    "another tenant",
    "422 invalid_reference: ?tenantId not_found",
    ({ query }) => {
      query.push(`tenantId=${two.id}`);
    },
  ],
  [
    "an unknown parameter",
    "400 validation_error: ?x unknown_key",
    ({ query }) => {
      query.push("x=1");
    },
  ],
];
const restoreMistakes: readonly Mistake[] = [
  ...earlyMistakes,
  [
    "a used idempotency key",
    "422 idempotency_key_reused",
    ({ headers }) => {
      headers["idempotency-key"] = usedKey;
    },
  ],
  [
    "an unknown record",
    "404 not_found",
    (draft) => {
      draft.path = `/tasks/${unknown}/restore`;
    },
  ],
];
const unknownTask: Mistake = [
  "an unknown record",
  "404 not_found",
  (draft) => {
    draft.path = `/tasks/${unknown}`;
  },
];
const unknownUser: Mistake = [
  "an unknown reference",
  "422 invalid_reference: /assignedTo not_found",
  ({ body }) => {
    body.assignedTo = unknown;
  },
];

const sequences = [
  [{ method: "POST", path: `/tasks/${closedTask}/restore` }, restoreMistakes],
  [{ method: "PATCH", path: `/tasks/${closedTask}` }, [...earlyMistakes, unknownTask]],
  [{ method: "PATCH", path: `/tasks/${closedTask}` }, [...earlyMistakes.slice(0, -1), unknownTask, unknownUser]],
] as const;

for (const [base, mistakes] of sequences) {
  test(`a ${base.method} with two mistakes gets the error of the earlier check`, async () => {
    for (const [index, first] of mistakes.entries()) {
      const [what, expected] = first;
      assert.equal(verdict(await sendDraft(base, [first])), expected, what);
      for (const second of mistakes.slice(index + 1)) {
        const result = await sendDraft(base, [second, first]);
        assert.equal(verdict(result), expected, `${what} and ${second[0]}`);
      }
    }
  });
}

test("an unknown path is reported before any other error", async () => {
  const result = await sendDraft({ method: "POST", path: "/nothing" }, earlyMistakes.slice(1));
  assert.equal(verdict(result), "404 not_found");
});

for (const [what, query] of [
  ["a parameter given twice", "limit=1&limit=2"],
  ["a badly encoded parameter", "limit=%ff"],
] as const) {
  test(`a missing scope is reported before ${what}`, async () => {
    rate = state;
    assert.equal(verdict(await send("GET", `/tasks?${query}`, { key: one.bareKey })), "403 insufficient_scope");
  });
}

test("a repeated parameter is reported together with other errors", async () => {
  rate = state;
  const result = await send("POST", "/tasks?x=1&x=2", { key, body: {} });
  assert.match(verdict(result), /\?x unknown_key/);
  assert.match(verdict(result), /\/title required/);
});
