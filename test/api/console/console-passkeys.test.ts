import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { exportTenantFile } from "../../../lib/tenant-file/index.ts";
import { Authenticator, type CreateOptions, type GetOptions } from "../../support/authenticator.ts";
import { cookieOf, one, openConsole, type TestConsole, two } from "../../support/console.ts";
import type { Result } from "../../support/harness.ts";
import { dataOf, errorOf, verdict } from "../../support/responses.ts";

const minuteMs = 60_000;
const origin = "https://crm.example.com";
const webauthn = () => import("@simplewebauthn/server");
const headers = { origin };

const accessPath = (userId: string) => `/api/admin/users/${userId}/console-access`;

type Opened = TestConsole & { readonly cookie: string };

async function open(t: TestContext, crm?: TestConsole["crm"]): Promise<Opened> {
  const opened = await openConsole(t, { origin, webauthn }, crm);
  return { ...opened, cookie: await signIn(opened) };
}

async function signIn({ send, token }: TestConsole, tenantId?: string, userId?: string): Promise<string> {
  return cookieOf(await send("POST", "/session", { headers, body: { token: await token(tenantId, userId) } }));
}

/** Adds an admin to the tenant, and returns the ID. */
async function addAdmin({ send, cookie }: Opened): Promise<string> {
  const body = { name: "Nora", email: "nora@tenant.test", role: "admin" };
  return dataOf(await send("POST", "/api/admin/users", { headers, cookie, body }), 201).id;
}

type Options = { readonly get: GetOptions; readonly create: CreateOptions };
async function readOptions({ send }: TestConsole, cookie?: string): Promise<Options> {
  return dataOf<Options>(await send("POST", "/passkey-options", { headers, cookie }));
}

const add = ({ send }: TestConsole, cookie: string, passkey: unknown, name = "Laptop", userId = one.admin) =>
  send("POST", `${accessPath(userId)}/passkeys`, { headers, cookie, body: { name, passkey } });

/** Adds a passkey of the signed-in user. */
async function addNew(opened: Opened, id?: string): Promise<Authenticator> {
  const passkey = new Authenticator(origin, id);
  dataOf(await add(opened, opened.cookie, passkey.create((await readOptions(opened, opened.cookie)).create)), 201);
  return passkey;
}

const use = ({ send }: TestConsole, passkey: unknown) => send("POST", "/session", { headers, body: { passkey } });

const reasonOf = (result: Result): string =>
  result.status < 400 ? String(result.status) : `${verdict(result)} ${errorOf(result).details?.reason}`;

const rejected = "401 unauthorized passkey_rejected";
const unknown = "401 unauthorized passkey_unknown";

test("an admin adds a passkey and signs in with it", async (t) => {
  const opened = await open(t);
  const { crm, send, cookie } = opened;
  const { create } = await readOptions(opened, cookie);
  const { challenge, user, ...rest } = create as CreateOptions & Record<string, unknown>;
  assert.deepEqual(user, { id: user.id, name: "ana@tenant.test", displayName: "Ana Admin" });
  assert.deepEqual(rest, {
    timeout: 5 * minuteMs,
    rp: { id: "crm.example.com", name: "Tenant" },
    pubKeyCredParams: [-8, -7, -257].map((alg) => ({ type: "public-key", alg })),
    excludeCredentials: [],
    authenticatorSelection: { residentKey: "required", requireResidentKey: true, userVerification: "required" },
    attestation: "none",
  });
  const passkey = new Authenticator(origin);
  const createdAt = new Date(crm.clock.now()).toISOString();
  const added = { id: passkey.id, name: "Laptop", createdAt, lastUsedAt: null };
  assert.deepEqual(dataOf(await add(opened, cookie, passkey.create(create)), 201), added);
  const next = (await readOptions(opened, cookie)).create as CreateOptions & Record<string, unknown>;
  assert.deepEqual(next.excludeCredentials, [{ type: "public-key", id: passkey.id }]);
  assert.notEqual(next.challenge, challenge);

  crm.clock.advance(minuteMs);
  const { get, create: none } = await readOptions(opened);
  assert.equal(none, undefined, "without a session, there are no options for a new passkey");
  assert.deepEqual(get, { ...get, rpId: "crm.example.com", timeout: 5 * minuteMs, userVerification: "required" });
  const result = await use(opened, passkey.get(get));
  assert.deepEqual(dataOf(result), {
    ...dataOf(result),
    user: { id: one.admin, name: "Ana Admin", email: "ana@tenant.test" },
    passkeys: true,
  });
  const own = cookieOf(result);
  assert.equal((await send("GET", "/api/v1/me", { cookie: own })).status, 200);
  const { passkeys } = dataOf<{ passkeys: unknown }>(await send("GET", accessPath(one.admin), { cookie: own }));
  assert.deepEqual(passkeys, [{ ...added, lastUsedAt: new Date(crm.clock.now()).toISOString() }]);
});

test("a challenge works once and within 5 minutes, on any server of the database", async (t) => {
  const opened = await open(t);
  const servers = [opened, await open(t, opened.crm), await open(t, opened.crm)];
  const passkey = await addNew(opened);
  const response = passkey.get((await readOptions(opened)).get);
  const results = await Promise.all([...servers, ...servers].map((server) => use(server, response)));
  assert.deepEqual(results.map(reasonOf).sort(), ["200", ...Array(5).fill("401 unauthorized passkey_used")]);

  const [early, late] = [await readOptions(opened), await readOptions(opened)];
  opened.crm.clock.advance(5 * minuteMs - 1);
  assert.equal(reasonOf(await use(opened, passkey.get(early.get))), "200");
  opened.crm.clock.advance(1);
  assert.equal(reasonOf(await use(opened, passkey.get(late.get))), "401 unauthorized passkey_expired");
});

test("the challenge of a new passkey works once, within 5 minutes, and for its user", async (t) => {
  const opened = await open(t);
  const { crm, send, cookie } = opened;
  const passkey = new Authenticator(origin);
  const response = passkey.create((await readOptions(opened, cookie)).create);
  dataOf(await add(opened, cookie, response), 201);
  const path = `${accessPath(one.admin)}/passkeys/${passkey.id}`;
  assert.equal((await send("DELETE", path, { cookie, headers })).status, 204);
  assert.equal(reasonOf(await add(opened, cookie, response)), "409 conflict passkey_used");

  const { create } = await readOptions(opened, cookie);
  for (const [tenantId, userId] of [[one.id, await addAdmin(opened)] as const, [two.id, two.admin] as const]) {
    const other = await signIn(opened, tenantId, userId);
    const result = await add(opened, other, passkey.create(create), "x", userId);
    assert.equal(reasonOf(result), "409 conflict passkey_rejected");
  }
  const { get } = await readOptions(opened);
  const withoutSession = passkey.create({ ...create, challenge: get.challenge });
  assert.equal(reasonOf(await add(opened, cookie, withoutSession)), "409 conflict passkey_rejected");
  crm.clock.advance(5 * minuteMs);
  assert.equal(reasonOf(await add(opened, cookie, passkey.create(create))), "409 conflict passkey_expired");
});

test("a sign-in is rejected if anything in it is wrong", async (t) => {
  const opened = await open(t);
  const passkey = await addNew(opened);
  const otherAuthenticator = new Authenticator(origin);
  otherAuthenticator.userHandle = passkey.userHandle;
  const responses = {
    "another origin": (get: GetOptions) => passkey.get(get, { origin: "https://evil.example.com" }),
    "another host": (get: GetOptions) => passkey.get(get, { rpId: "example.com" }),
    "another ceremony": (get: GetOptions) => passkey.get(get, { type: "webauthn.create" }),
    "no user verification": (get: GetOptions) => passkey.get(get, { isVerified: false }),
    "another challenge": (get: GetOptions) => passkey.get(get, { challenge: "x" }),
    "another key": (get: GetOptions) => otherAuthenticator.get(get),
    "no client data": (get: GetOptions) => ({ ...passkey.get(get), clientDataJSON: "?" }),
  };
  for (const [name, respond] of Object.entries(responses))
    assert.equal(reasonOf(await use(opened, respond((await readOptions(opened)).get))), rejected, name);
  const link = { challenge: await opened.token(), rpId: "crm.example.com" };
  assert.equal(reasonOf(await use(opened, passkey.get(link))), rejected, "the token of a link is no challenge");
  assert.equal(reasonOf(await use(opened, passkey.get((await readOptions(opened)).get))), "200");

  for (const userHandle of ["", "x", new Authenticator(origin).id, Buffer.alloc(32, 7).toString("base64url")]) {
    const { get } = await readOptions(opened);
    assert.equal(reasonOf(await use(opened, passkey.get(get, { userHandle }))), unknown, userHandle);
  }
  const { get } = await readOptions(opened);
  assert.equal(reasonOf(await use(opened, { ...passkey.get(get), id: "eA" })), unknown);
});

test("a body of a sign-in lists everything that is wrong in the passkey", async (t) => {
  const opened = await open(t);
  const result = await use(opened, { clientDataJSON: 1, authenticatorData: "" });
  assert.equal(
    verdict(result),
    "400 validation_error: /passkey/id required, /passkey/clientDataJSON invalid_type, " +
      "/passkey/signature required, /passkey/userHandle required",
  );
  assert.equal(verdict(await use(opened, null)), "400 validation_error: /passkey invalid_type");
  const body = { passkey: {}, token: "x" };
  assert.match(verdict(await opened.send("POST", "/session", { headers, body })), /\/token unknown_key/);
});

test("a challenge belongs to the origin of its page", async (t) => {
  const opened = await open(t);
  const other = await openConsole(t, { origin: "https://other.example.com", webauthn }, opened.crm);
  const passkey = await addNew(opened);
  const { get } = await readOptions(opened);
  const body = { passkey: passkey.get(get) };
  const result = await other.send("POST", "/session", { headers: { origin: "https://other.example.com" }, body });
  assert.equal(reasonOf(result), rejected);
});

test("a counter must increase, unless the authenticator always reports 0", async (t) => {
  const opened = await open(t);
  const passkey = await addNew(opened);
  const useWith = async (counter: number) =>
    reasonOf(await use(opened, passkey.get((await readOptions(opened)).get, { counter })));
  const copied = "401 unauthorized passkey_copied";
  const outcomes: string[] = [];
  for (const counter of [0, 0, 5, 5, 4, 0, 6]) outcomes.push(await useWith(counter));
  assert.deepEqual(outcomes, ["200", "200", "200", copied, copied, copied, "200"]);
});

test("a removed passkey can't sign in, and any admin can remove it", async (t) => {
  const opened = await open(t);
  const { send } = opened;
  const [first, second] = [await addNew(opened, "first"), await addNew(opened, "second")];
  const nora = await signIn(opened, one.id, await addAdmin(opened));
  const path = `${accessPath(one.admin)}/passkeys/${first.id}`;
  assert.equal(
    verdict(await send("DELETE", path, { headers, cookie: await signIn(opened, two.id, two.admin) })),
    "404 not_found",
  );
  assert.equal((await send("DELETE", path, { headers, cookie: nora })).status, 204);
  assert.equal(verdict(await send("DELETE", path, { headers, cookie: nora })), "404 not_found");
  assert.equal(reasonOf(await use(opened, first.get((await readOptions(opened)).get))), unknown);
  assert.equal(reasonOf(await use(opened, second.get((await readOptions(opened)).get))), "200");

  const foreign = new Authenticator(origin, "third").create((await readOptions(opened, nora)).create);
  assert.equal(reasonOf(await add(opened, nora, foreign)), "409 conflict not_own_user");
});

test("a passkey signs in only an active admin", async (t) => {
  const opened = await open(t);
  const { crm, cookie } = opened;
  const passkey = await addNew(opened);
  for (const change of [{ role: "member" }, { active: false }, { archivedAt: crm.clock.now() }] as const) {
    const user = (await crm.storage.get(one.id, "user", one.admin)) ?? assert.fail();
    const set = (values: object) =>
      crm.storage.commit(one.id, crm.clock.now(), (updatedAt) => [
        { op: "update", kind: "user", record: { ...user, ...values, updatedAt }, expectedUpdatedAt: current },
      ]);
    let current = user.updatedAt;
    await set(change);
    const response = passkey.get((await readOptions(opened)).get);
    assert.equal(verdict(await use(opened, response)), "403 insufficient_scope");
    assert.equal(verdict(await opened.send("GET", "/session", { cookie })), "403 insufficient_scope");
    current = (await crm.storage.get(one.id, "user", one.admin))?.updatedAt ?? 0;
    await set({});
    assert.equal((await use(opened, response)).status, 200, "the challenge wasn't used up");
  }
});

test("a new passkey is rejected if anything in it is wrong", async (t) => {
  const opened = await open(t);
  const { cookie } = opened;
  const passkey = new Authenticator(origin);
  for (const changes of [
    { origin: "https://evil.example.com" },
    { rpId: "example.com" },
    { type: "webauthn.get" },
    { isVerified: false },
    { challenge: "x" },
  ]) {
    const response = passkey.create((await readOptions(opened, cookie)).create, changes);
    assert.equal(
      reasonOf(await add(opened, cookie, response)),
      "409 conflict passkey_rejected",
      JSON.stringify(changes),
    );
  }
  const response = passkey.create((await readOptions(opened, cookie)).create);
  const withoutKey = { ...response, authenticatorData: "" };
  assert.equal(reasonOf(await add(opened, cookie, withoutKey)), "409 conflict passkey_rejected");
  const result = await add(opened, cookie, {}, " ");
  assert.equal(
    verdict(result),
    "400 validation_error: /name required, /passkey/id required, /passkey/clientDataJSON required, " +
      "/passkey/authenticatorData required",
  );
});

test("a user has a passkey once, and at most 20", async (t) => {
  const opened = await open(t);
  for (let count = 0; count < 20; count++) await addNew(opened, `passkey ${count}`);
  const { create } = await readOptions(opened, opened.cookie);
  const again = new Authenticator(origin, "passkey 3").create(create);
  assert.equal(reasonOf(await add(opened, opened.cookie, again)), "409 conflict passkey_known");
  const next = new Authenticator(origin, "next").create(create);
  assert.equal(reasonOf(await add(opened, opened.cookie, next)), "409 conflict passkey_limit");
});

test("passkeys need https or localhost, a host name and the library", async (t) => {
  const known = [
    ["https://crm.example.com:8443", true],
    ["http://localhost:8080", true],
    ["http://crm.localhost", true],
    ["http://crm.example.com", false],
    ["http://127.0.0.1:8080", false],
    ["https://127.0.0.1", false],
    ["https://[::1]:8443", false],
  ] as const;
  const { crm } = await openConsole(t);
  for (const [at, isAvailable] of known) {
    for (const library of [webauthn, undefined]) {
      const { send } = await openConsole(t, { origin: at, webauthn: library }, crm);
      const has = isAvailable && library !== undefined;
      const { details } = errorOf(await send("GET", "/session"));
      assert.equal(details?.passkeys, has || undefined, at);
      const result = await send("POST", "/passkey-options", { headers: { origin: at } });
      assert.equal(reasonOf(result), has ? "200" : "409 conflict no_passkeys", at);
    }
  }
  const { send } = await openConsole(t, { origin, webauthn }, crm);
  assert.equal(verdict(await send("POST", "/passkey-options")), "403 bad_request", "another origin");
});

test("passkeys are in no tenant file, no event and no log", async (t) => {
  const opened = await open(t);
  const passkey = await addNew(opened);
  const { storage } = opened.crm;
  const file = JSON.stringify(await exportTenantFile(storage, one.id));
  const events = JSON.stringify(await storage.list(one.id, "event", {}));
  const log = (await opened.send("GET", "/api/admin/requests", { cookie: opened.cookie })).text;
  assert.match(log, /addPasskey/);
  for (const text of [file, events, log]) assert.ok(!text.includes(passkey.id) && !text.includes("publicKey"));
});
