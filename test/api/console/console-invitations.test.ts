import assert from "node:assert/strict";
import { test } from "node:test";
import { cookieOf, one, openConsole, type TestConsole, two } from "../../support/console.ts";
import { dataOf, errorOf, verdict } from "../../support/responses.ts";

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;

const accessPath = (userId: string) => `/api/admin/users/${userId}/console-access`;

/** Invites an admin, and returns the token. */
async function invite({ send }: TestConsole, cookie: string, userId = one.admin): Promise<string> {
  return String(dataOf(await send("POST", `${accessPath(userId)}/invitation`, { cookie }), 201).token);
}

const use = ({ send }: TestConsole, token: string) => send("POST", "/session", { body: { token } });

const gone = "401 unauthorized, This invitation was already used, replaced or withdrawn. Get a new one.";
const outcomeOf = async (opened: TestConsole, token: string): Promise<string> => {
  const result = await use(opened, token);
  return result.status === 200 ? "200" : `${verdict(result)}, ${errorOf(result).message}`;
};

test("an invitation signs the invited admin in once, within 7 days", async (t) => {
  const opened = await openConsole(t);
  const { crm, send, signIn } = opened;
  const cookie = await signIn();
  const created = { name: "Nora", email: "nora@tenant.test", role: "admin" };
  const user = dataOf(await send("POST", "/api/admin/users", { cookie, body: created }), 201);
  const at = crm.clock.now();
  const token = await invite(opened, cookie, user.id);
  const expiresAt = new Date(at + 7 * dayMs).toISOString();
  const createdAt = new Date(at).toISOString();
  const shown = dataOf<{ invitation: unknown }>(await send("GET", accessPath(user.id), { cookie }));
  assert.deepEqual(shown.invitation, { createdBy: one.admin, createdAt, expiresAt });

  crm.clock.advance(7 * dayMs - 1);
  const result = await use(opened, token);
  assert.equal(dataOf<{ user: { id: string } }>(result).user.id, user.id);
  assert.equal((await send("GET", "/api/v1/me", { cookie: cookieOf(result) })).status, 200);
  assert.equal(await outcomeOf(opened, token), gone);
  const left = dataOf<{ invitation: unknown }>(await send("GET", accessPath(user.id), { cookie: cookieOf(result) }));
  assert.equal(left.invitation, null);
});

test("an invitation expires after 7 days", async (t) => {
  const opened = await openConsole(t);
  const token = await invite(opened, await opened.signIn());
  opened.crm.clock.advance(7 * dayMs);
  const message = "This sign-in link has expired. Get a new one.";
  assert.equal(await outcomeOf(opened, token), `401 unauthorized, ${message}`);
  const cookie = await opened.signIn();
  const { invitation } = dataOf<{ invitation: unknown }>(await opened.send("GET", accessPath(one.admin), { cookie }));
  assert.equal(invitation, null);
});

test("an invitation opens one session, also if several servers get it at once", async (t) => {
  const opened = await openConsole(t);
  const others = [await openConsole(t, {}, opened.crm), await openConsole(t, {}, opened.crm)];
  const cookie = await opened.signIn();
  const token = await invite(opened, cookie);
  const servers = [opened, ...others, opened, ...others];
  const outcomes = await Promise.all(servers.map((server) => outcomeOf(server, token)));
  assert.deepEqual(outcomes.sort(), ["200", ...Array.from({ length: 5 }, () => gone)]);
  const stored = await opened.crm.storage.get(one.id, "consoleAccess", one.admin);
  assert.equal(stored?.sessions.length, 2);
});

test("sign-ins and invitations at once are all stored", async (t) => {
  const opened = await openConsole(t);
  const cookie = await opened.signIn();
  const cookies = Promise.all(Array.from({ length: 6 }, () => opened.signIn()));
  const tokens = await Promise.all(Array.from({ length: 3 }, () => invite(opened, cookie)));
  for (const each of await cookies) assert.equal((await opened.send("GET", "/session", { cookie: each })).status, 200);
  const outcomes: string[] = [];
  for (const token of tokens) outcomes.push(await outcomeOf(opened, token));
  assert.deepEqual(outcomes.sort(), ["200", gone, gone], "the last one is valid");
});

test("a new invitation replaces the one before, and a withdrawn one is invalid", async (t) => {
  const opened = await openConsole(t);
  const { send } = opened;
  const cookie = await opened.signIn();
  const [first, second] = [await invite(opened, cookie), await invite(opened, cookie)];
  assert.equal(await outcomeOf(opened, first), gone);
  const path = `${accessPath(one.admin)}/invitation`;
  for (let count = 0; count < 2; count++) assert.equal((await send("DELETE", path, { cookie })).status, 204);
  assert.equal(await outcomeOf(opened, second), gone);
});

test("only an active admin can be invited", async (t) => {
  const { send, signIn } = await openConsole(t);
  const cookie = await signIn();
  for (const user of [one.member, one.inactive]) {
    const result = await send("POST", `${accessPath(user)}/invitation`, { cookie });
    assert.equal(
      `${verdict(result)}, ${errorOf(result).message}`,
      "409 conflict, Only active admins can use the console.",
    );
  }
  await send("PATCH", `/api/admin/users/${one.member}`, { cookie, body: { role: "admin" } });
  assert.equal((await send("DELETE", `/api/admin/users/${one.member}`, { cookie })).status, 204);
  assert.equal(verdict(await send("POST", `${accessPath(one.member)}/invitation`, { cookie })), "409 conflict");
});

test("an invited user who is archived or no admin can't sign in, and the invitation stays unused", async (t) => {
  const opened = await openConsole(t);
  const { send } = opened;
  const cookie = await opened.signIn();
  const path = `/api/admin/users/${one.member}`;
  await send("PATCH", path, { cookie, body: { role: "admin" } });
  const token = await invite(opened, cookie, one.member);
  for (const [undo, redo] of [
    [
      () => send("PATCH", path, { cookie, body: { role: "member" } }),
      () => send("PATCH", path, { cookie, body: { role: "admin" } }),
    ],
    [() => send("DELETE", path, { cookie }), () => send("POST", `${path}/restore`, { cookie })],
  ] as const) {
    assert.ok((await undo()).status < 300);
    assert.equal(verdict(await use(opened, token)), "403 insufficient_scope");
    assert.equal((await redo()).status, 200);
  }
  assert.equal((await use(opened, token)).status, 200);
});

test("a token of another purpose, tenant or server is no invitation", async (t) => {
  const opened = await openConsole(t);
  const { crm, send } = opened;
  const cookie = await opened.signIn();
  const token = await invite(opened, cookie);
  const invalid = "401 unauthorized, This sign-in link is invalid. Copy the whole link.";
  const changed = `${token.slice(0, -1)}${token.endsWith("A") ? "B" : "A"}`;
  for (const other of [cookie.replace("crm_console=", ""), changed])
    assert.equal(await outcomeOf(opened, other), invalid);
  const otherSecret = await openConsole(t, { secret: new Uint8Array(32).fill(1) }, crm);
  assert.equal(await outcomeOf(otherSecret, token), invalid);
  assert.equal(verdict(await send("GET", "/session", { cookie: `crm_console=${token}` })), "401 unauthorized");
  const foreign = await opened.signIn(two.id, two.admin);
  assert.equal(
    verdict(await send("POST", `${accessPath(one.admin)}/invitation`, { cookie: foreign })),
    "404 not_found",
  );
  assert.equal(await outcomeOf(opened, token), "200");
});
