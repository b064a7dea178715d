import assert from "node:assert/strict";
import { hash } from "node:crypto";
import { test } from "node:test";
import { type Kind, models, type Records } from "../../../lib/model/kinds.ts";
import { exportTenantFile } from "../../../lib/tenant-file/index.ts";
import { one, openConsole, type TestConsole, two } from "../../support/console.ts";
import { dataOf, errorOf, verdict } from "../../support/responses.ts";

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

type Session = {
  readonly id: string;
  readonly userAgent: string;
  readonly createdAt: string;
  readonly lastUsedAt: string;
  readonly expiresAt: string;
};
type Access = { readonly sessions: readonly Session[]; readonly invitation: Readonly<Record<string, unknown>> | null };

const accessPath = (userId: string) => `/api/admin/users/${userId}/console-access`;

async function readAccess({ send }: TestConsole, cookie: string, userId = one.admin): Promise<Access> {
  return dataOf<Access>(await send("GET", accessPath(userId), { cookie }));
}

const idOf = async ({ send }: TestConsole, cookie: string) => dataOf(await send("GET", "/session", { cookie })).id;

const messageOf = async ({ send }: TestConsole, cookie: string): Promise<string> => {
  const result = await send("GET", "/session", { cookie });
  return `${verdict(result)}, ${errorOf(result).message}`;
};

const expired = "401 unauthorized, The session has expired. Sign in again.";
const ended = "401 unauthorized, The session was ended. Sign in again.";

test("a session ends 12 hours after its last use", async (t) => {
  const opened = await openConsole(t);
  const { crm, send, signIn } = opened;
  const cookie = await signIn();
  for (const path of ["/session", "/api/v1/me", "/api/api-key"]) {
    crm.clock.advance(12 * hourMs - 1);
    assert.equal((await send("GET", path, { cookie })).status, 200, path);
    await crm.api.idle();
  }
  crm.clock.advance(12 * hourMs);
  assert.equal(await messageOf(opened, cookie), expired);
  for (const path of ["/api/v1/me", "/api/api-key"])
    assert.equal(verdict(await send("GET", path, { cookie })), "401 unauthorized");
  assert.equal((await readAccess(opened, await signIn())).sessions.length, 1, "expired sessions aren't listed");
});

test("a session ends 30 days after the sign-in, also if it is used", async (t) => {
  const opened = await openConsole(t);
  const { crm, send, signIn } = opened;
  const start = crm.clock.now();
  const cookie = await signIn();
  const end = new Date(start + 30 * dayMs).toISOString();
  while (start + 30 * dayMs - crm.clock.now() > 6 * hourMs) {
    crm.clock.advance(6 * hourMs);
    assert.equal((await send("GET", "/api/v1/me", { cookie })).status, 200);
    await crm.api.idle();
  }
  assert.equal(dataOf(await send("GET", "/session", { cookie })).expiresAt, end);
  crm.clock.advance(6 * hourMs - 1);
  assert.equal((await send("GET", "/session", { cookie })).status, 200);
  crm.clock.advance(1);
  assert.equal(await messageOf(opened, cookie), expired);
});

test("the use of a session is stored once a minute", async (t) => {
  const opened = await openConsole(t);
  const { crm, send, signIn } = opened;
  const cookie = await signIn();
  const stored = async () => (await crm.storage.get(one.id, "consoleAccess", one.admin))?.updatedAt;
  const use = async (ms: number) => {
    crm.clock.advance(ms);
    await Promise.all(Array.from({ length: 5 }, () => send("GET", "/api/v1/me", { cookie })));
    await crm.api.idle();
    return stored();
  };
  const first = await stored();
  assert.equal(await use(minuteMs - 1), first);
  assert.equal(await use(1), crm.clock.now());
  const { sessions } = await readAccess(opened, cookie);
  assert.equal(sessions[0]?.lastUsedAt, new Date(crm.clock.now()).toISOString());
});

test("the sessions of a user are listed, the one that was used last first", async (t) => {
  const opened = await openConsole(t);
  const { crm, send, token } = opened;
  const open = async (userAgent: string) => {
    crm.clock.advance(hourMs);
    const headers = { "user-agent": userAgent };
    return dataOf(await send("POST", "/session", { body: { token: await token() }, headers })).id;
  };
  const ids = [await open("Firefox"), await open("x".repeat(5_000))];
  const cookie = await opened.signIn();
  const at = crm.clock.now();
  const { sessions, invitation } = await readAccess(opened, cookie);
  assert.equal(invitation, null);
  assert.deepEqual(
    sessions.map(({ id, userAgent }) => [id, userAgent.length]),
    [
      [await idOf(opened, cookie), 0],
      [ids[1], 300],
      [ids[0], 7],
    ],
  );
  const time = (ms: number) => new Date(ms).toISOString();
  const [createdAt, expiresAt] = [time(at - hourMs), time(at + 11 * hourMs)];
  assert.deepEqual(sessions[2], { id: ids[0], userAgent: "Firefox", createdAt, lastUsedAt: createdAt, expiresAt });
});

test("a session that an admin ends gets 401 from the next request on, and no other does", async (t) => {
  const opened = await openConsole(t);
  const { crm, send, signIn } = opened;
  const [lost, cookie] = [await signIn(), await signIn()];
  const path = `${accessPath(one.admin)}/sessions/${await idOf(opened, lost)}`;
  assert.equal((await send("DELETE", path, { cookie })).status, 204);
  assert.equal(await messageOf(opened, lost), ended);
  assert.equal(verdict(await send("POST", "/api/admin/users", { cookie: lost, body: {} })), "401 unauthorized");
  assert.deepEqual(
    (await readAccess(opened, cookie)).sessions.map(({ id }) => id),
    [await idOf(opened, cookie)],
  );
  assert.equal(verdict(await send("DELETE", path, { cookie })), "404 not_found");
  // A request of the ended session that was running can't bring it back.
  crm.clock.advance(minuteMs);
  await Promise.all([send("GET", "/api/v1/me", { cookie: lost }), send("GET", "/api/v1/me", { cookie })]);
  await crm.api.idle();
  assert.equal(await messageOf(opened, lost), ended);
});

test("Sign out ends the session, so a copy of its cookie is invalid", async (t) => {
  const opened = await openConsole(t);
  const [cookie, other] = [await opened.signIn(), await opened.signIn()];
  assert.equal((await opened.send("DELETE", "/session", { cookie })).status, 204);
  assert.equal(await messageOf(opened, cookie), ended);
  assert.equal((await readAccess(opened, other)).sessions.length, 1);
});

test("a user has up to 20 sessions, and a sign-in ends the one that was used first", async (t) => {
  const opened = await openConsole(t);
  const { crm, send, signIn } = opened;
  const [used, unused] = [await signIn(), await signIn()];
  crm.clock.advance(minuteMs);
  await send("GET", "/session", { cookie: used });
  await crm.api.idle();
  for (let count = 0; count < 19; count++) await signIn();
  assert.equal((await send("GET", "/session", { cookie: used })).status, 200);
  assert.equal(await messageOf(opened, unused), ended);
  assert.equal((await readAccess(opened, used)).sessions.length, 20);
});

test("a session of a user who is archived, disabled or no admin is rejected at once", async (t) => {
  const { crm, send, signIn } = await openConsole(t);
  const cookie = await signIn();
  const change = async (values: Partial<Records["user"]>) => {
    const user = (await crm.storage.get(one.id, "user", one.admin)) ?? assert.fail("no user");
    const active = { role: "admin", active: true, archivedAt: null } as const;
    await crm.storage.commit(one.id, crm.clock.now(), (updatedAt) => [
      {
        op: "update",
        kind: "user",
        record: { ...user, ...active, ...values, updatedAt },
        expectedUpdatedAt: user.updatedAt,
      },
    ]);
  };
  for (const values of [{ role: "member" }, { active: false }, { archivedAt: 0 }] as const) {
    await change(values);
    for (const path of ["/session", "/api/v1/me", accessPath(one.admin)])
      assert.equal(verdict(await send("GET", path, { cookie })), "403 insufficient_scope", path);
  }
  await change({});
  assert.equal((await send("GET", "/session", { cookie })).status, 200);
});

test("the access of a user of another tenant can't be read or changed", async (t) => {
  const opened = await openConsole(t);
  const { crm, send, signIn } = opened;
  const [cookie, foreign] = [await signIn(), await signIn(two.id, two.admin)];
  const path = accessPath(two.admin);
  await send("POST", `${path}/invitation`, { cookie: foreign });
  const before = await crm.storage.get(two.id, "consoleAccess", two.admin);
  for (const [method, below] of [
    ["GET", ""],
    ["DELETE", `/sessions/${before?.sessions[0]?.id}`],
    ["POST", "/invitation"],
    ["DELETE", "/invitation"],
  ] as const) {
    const result = await send(method, path + below, { cookie });
    const unknown = await send(method, accessPath("0197a3c2-7b1e-7cc0-8d3f-2f6f1f0c9a11") + below, { cookie });
    assert.deepEqual([result.status, result.body], [404, unknown.body], method + below);
    assert.equal(verdict(await send(method, path + below)), "401 unauthorized");
  }
  const own = `${accessPath(one.admin)}/sessions/${before?.sessions[0]?.id}`;
  assert.equal(verdict(await send("DELETE", own, { cookie })), "404 not_found");
  assert.deepEqual(await crm.storage.get(two.id, "consoleAccess", two.admin), before);
});

test("the access is only in the console, and not for API keys and admin tokens", async (t) => {
  const { crm, send, signIn } = await openConsole(t);
  const cookie = await signIn();
  const path = `/integrations${accessPath(one.admin).slice("/api".length)}`;
  const result = await crm.api.fetch(new Request(`http://crm.test${path}`, { headers: { "x-api-key": one.key } }));
  assert.equal(result.status, 404);
  const headers = { origin: "http://evil.test" };
  assert.equal(
    verdict(await send("POST", `${accessPath(one.admin)}/invitation`, { cookie, headers })),
    "403 bad_request",
  );
});

test("tokens are stored as hashes only, and are in no event, no tenant file and no log", async (t) => {
  const { crm, send, signIn } = await openConsole(t);
  const cookie = await signIn();
  const session = cookie.replace("crm_console=", "");
  const headers = { "idempotency-key": "k" };
  const path = `${accessPath(one.member)}/invitation`;
  await send("PATCH", `/api/admin/users/${one.member}`, { cookie, body: { role: "admin" } });
  const created = dataOf(await send("POST", path, { cookie, headers }), 201);
  const token = String(created.token);
  const lists = await Promise.all(
    (Object.keys(models) as Kind[]).map((kind) => crm.storage.list(one.id, kind, { includeArchived: true })),
  );
  const access = JSON.stringify(await crm.storage.list(one.id, "consoleAccess", {}));
  const all = JSON.stringify(lists);
  const file = JSON.stringify(await exportTenantFile(crm.storage, one.id));
  const log = (await send("GET", "/api/admin/requests", { cookie })).text;
  assert.match(log, /createConsoleInvitation/);
  const events = await crm.storage.list(one.id, "event", {});
  assert.deepEqual(
    events.map(({ type }) => type),
    ["user.updated"],
  );
  for (const text of [session, token]) {
    assert.ok(access.includes(hash("sha256", text)));
    for (const stored of [all, file, log]) assert.ok(!stored.includes(text));
    for (const stored of [all.replace(access.slice(1, -1), ""), file, log])
      assert.ok(!stored.includes(hash("sha256", text)));
  }
  const replay = await send("POST", path, { cookie, headers });
  assert.deepEqual(dataOf(replay, 201), { ...created, token: null });
});
