import assert from "node:assert/strict";
import { after, test } from "node:test";
import { isUuid } from "../../../lib/model/scalars.ts";
import type { Result } from "../../support/harness.ts";
import { figures, full, seededRandom } from "../size.ts";
import { acceptsIdsOnly, inputsOf, type RequestInput, type TestCall, unknownId } from "./requests.ts";
import { type Credential, credentialOf, openShared } from "./shared-database.ts";
import { addArchived, addEvents, cursorsOf, recordUse, successfulCalls, textsOf, useKeys } from "./tenant-texts.ts";
import { one, others, type TestTenant } from "./tenants.ts";
import { createTextSelection, textsByColumn } from "./text-selection.ts";

/**
 * Sends every text of another tenant, IDs above all, to every endpoint in every input for texts. The response must be
 * the same as for an unknown text, byte for byte, and nothing of other tenants may change. The inputs follow from the
 * endpoint list, and the texts from the database.
 */

const { unrelated } = others;
const shared = await openShared([others.twin, others.namesake, one, unrelated]);
after(() => shared.close());
const { api, watched } = shared;
const random = seededRandom();
const counted = { requests: 0, "inputs for text": 0, "texts of another tenant": 0 };

/**
 * Returns the texts of a tenant, also of archived records, its cursors, its idempotency keys, and calls that succeed.
 */
async function prepareTenant(tenant: TestTenant) {
  const archived = await addArchived(shared, tenant);
  await addEvents(shared, tenant);
  await recordUse(shared, tenant);
  shared.keep();
  const texts = textsOf(shared, tenant);
  const calls = await successfulCalls(shared, tenant, texts);
  const cursors = await cursorsOf(shared, tenant, calls);
  const used = await useKeys(shared, tenant, calls);
  shared.keep();
  return { archived, calls, cursors, used, words: [...texts, ...cursors, ...used, tenant.key] };
}

const theirs = await prepareTenant(unrelated);
const { archived, calls, words: ours, ...own } = await prepareTenant(one);
const tenantIds = Object.values(others).map(({ id }) => id);
const foreign = [...new Set([...theirs.words, ...tenantIds])].filter((word) => !ours.includes(word));
const textsByKind = new Map<string, ReadonlySet<string>>([
  ...textsByColumn(watched, [one.id, unrelated.id]),
  ["tenants", new Set([one.id, ...tenantIds])],
  ["cursors", new Set([...own.cursors, ...theirs.cursors])],
  ["used keys", new Set([...own.used, ...theirs.used])],
]);
const textSelection = createTextSelection(foreign, textsByKind, random);
counted["texts of another tenant"] = foreign.length;

/** Other spellings of an ID. */
const forms: Readonly<Record<string, (id: string) => string>> = {
  unchanged: (id) => id,
  "in capitals": (id) => id.toUpperCase(),
  "with a space before": (id) => ` ${id}`,
  "with a space after": (id) => `${id} `,
  "in braces": (id) => `{${id}}`,
  "as a urn": (id) => `urn:uuid:${id}`,
  "without hyphens": (id) => id.replaceAll("-", ""),
  "with a NUL after": (id) => `${id}\0`,
};

/** Returns a text of the same form that no tenant has. */
function unknownLike(word: string): string {
  if (isUuid(word)) return unknownId;
  if (word.startsWith("https://")) return `https://${unknownLike(word.slice("https://".length))}`;
  if (/^\+[\d ]+$/.test(word)) return word.replace(/\d/g, (digit) => String((Number(digit) + 1) % 10));
  return word.replace(/[a-z]/gi, (letter) => String.fromCharCode(letter.charCodeAt(0) + (/z/i.test(letter) ? -25 : 1)));
}

/** Sends a call as the tested tenant. Nothing of other tenants may change, and there is no server error. */
async function call(what: TestCall, credential: Credential): Promise<Result> {
  const result = await shared.call(what, one, credential);
  counted.requests++;
  if (watched.changed())
    assert.deepEqual(watched.changes({ allBut: one.id }), [], `${what.endpoint.name} changed others`);
  shared.restore();
  assert.ok(result.status < 500, `${what.endpoint.name}: ${result.text}`);
  return result;
}

/** Whether the request succeeded completely. In a batch with status 207, the operation failed. */
function succeeded({ status }: Result): boolean {
  return status < 300 && status !== 207;
}

/** Returns everything of a response except the echo of the request. */
function comparable({ status, headers, text }: Result, word: string): string {
  const all = [status, ...[...headers].map(([name, value]) => `${name}: ${value}`), text].join("\n");
  const sent = word.replace("\0", "").trim();
  // An error path has the text as part of a JSON Pointer.
  const pointer = sent.replaceAll("~", "~0").replaceAll("/", "~1");
  const echoes = [sent, sent.slice(0, 100), sent.slice(0, 57), pointer].map((each) => each.replace(/[\W]/g, "\\$&"));
  // The ID of a record that an upsert creates is derived from the value that was sent.
  return all.replace(new RegExp(echoes.join("|"), "gi"), "*").replace(/[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f-]{21}/g, "*");
}

/** Returns the response to an unknown text. All unknown texts get the same one, so one is enough. */
const known = new Map<string, string>();

async function responseToUnknown(
  what: TestCall,
  credential: Credential,
  input: RequestInput,
  word: string,
): Promise<string> {
  const { params, query, body, headers } = what;
  const name = JSON.stringify([what.endpoint.name, params, query, body, headers]);
  const before = known.get(name);
  if (before !== undefined) return before;
  const result = await call(what, credential);
  const accepted = what.endpoint.method !== "GET" && acceptsIdsOnly(input) && succeeded(result);
  assert.ok(!accepted, `${what.endpoint.name} ${input.name} accepts an id that names nothing`);
  known.set(name, comparable(result, word));
  return comparable(result, word);
}

/** Sends both texts in the input, in each form, and compares the responses. */
async function compare(
  base: TestCall,
  input: RequestInput,
  word: string,
  unknown: string,
  what: string,
): Promise<void> {
  const credential = await credentialOf(base, one);
  const unknowns = input.with(base, unknown);
  for (const [index, each] of input.with(base, word).entries()) {
    const expected = await responseToUnknown(unknowns[index] ?? base, credential, input, unknown);
    assert.equal(
      comparable(await call(each, credential), word),
      expected,
      `${base.endpoint.name} ${input.name}: ${what}`,
    );
  }
}

/** Finds a text of the tenant that changes the response. Without one, the test would prove nothing. */
async function findEffectiveText(bases: readonly TestCall[], input: RequestInput): Promise<string | undefined> {
  for (const base of bases) {
    const credential = await credentialOf(base, one);
    for (const word of [...effectiveTexts, ...ours].filter(input.accepts)) {
      const unknowns = input.with(base, unknownLike(word));
      for (const [index, each] of input.with(base, word).entries()) {
        const own = await call(each, credential);
        if (!succeeded(own)) continue;
        if (comparable(own, word) === comparable(await call(unknowns[index] ?? base, credential), unknownLike(word)))
          continue;
        effectiveTexts.add(word);
        return word;
      }
    }
  }
  return undefined;
}
/** Texts that made a difference in one input are likely to do so in the next. */
const effectiveTexts = new Set<string>();

/** Whether an input is for IDs or names. */
function names(input: RequestInput): boolean {
  return acceptsIdsOnly(input) || /^[:?](?!tenantId)/.test(input.name);
}

for (const endpoint of api.endpoints) {
  const bases = calls.filter((each) => each.endpoint === endpoint);
  const inputs = inputsOf(endpoint).filter(({ accepts }) => ours.some(accepts));
  counted["inputs for text"] += inputs.length;
  const effectiveInputs = ["?tenantId", "/tenantId", "x-tenant-id", "Idempotency-Key"];

  test(`${endpoint.name} responds to another tenant's texts as to unknown ones`, { timeout: 600_000 }, async () => {
    for (const input of inputs) {
      const needsOwnText = names(input) || effectiveInputs.includes(input.name);
      const own = needsOwnText ? await findEffectiveText(bases, input) : undefined;
      assert.ok(!needsOwnText || own !== undefined, `${input.name} ${noDifference}`);
      const accepted = foreign.filter((word) => input.accepts(word) && input.accepts(unknownLike(word)));
      for (const base of bases) {
        const chosen = textSelection.of(accepted, input, own);
        for (const word of chosen) await compare(base, input, word, unknownLike(word), word);
        const ids = chosen.filter(isUuid);
        for (const [form, write] of Object.entries(forms)) {
          for (const id of (full ? ids : ids.slice(0, 1)).filter((id) => input.accepts(write(id))))
            await compare(base, input, write(id), write(unknownId), `${id} ${form}`);
        }
        const gone =
          input.name.startsWith(":") && !/\/(restore|revoke-keys|history)$/.test(endpoint.path) ? archived : [];
        for (const id of gone) await compare(base, input, id, unknownId, `${id}, which was archived`);
      }
    }
  });
}

const noDifference = "responds alike to the tenant's texts and to unknown ones, so the test proves nothing";

const malformed = [
  "1",
  "null",
  "%00",
  "%ff",
  "..%2F..%2Fme",
  "__proto__",
  "*",
  `%7B${unknownId}%7D`,
  unknownId.slice(1),
];

test("an invalid ID in a path gets the same response as an unknown one", async () => {
  for (const base of calls.filter(({ endpoint }) => endpoint.path.includes(":"))) {
    const credential = await credentialOf(base, one);
    const [input] = inputsOf(base.endpoint);
    const [unknown = base] = input?.with(base, unknownId) ?? [];
    const expected = comparable(await call(unknown, credential), unknownId);
    for (const text of malformed) {
      const path = base.endpoint.path.replace(/:\w+/, text);
      const odd = { ...base, endpoint: { ...base.endpoint, path } };
      assert.equal(comparable(await call(odd, credential), unknownId), expected, path);
    }
  }
});

test("a text of another tenant gets the same response as an unknown text, in every input", (t) =>
  figures(t, "isolated", counted));
