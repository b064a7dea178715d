import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import { testedStorage } from "../served-storage.ts";
import { figures, seed, seededRandom, size } from "../size.ts";
import { Servers } from "./http-servers.ts";
import type { Shown } from "./ledger.ts";
import { type Arrival, WebhookReceiver } from "./webhook-receiver.ts";

const kills = size(20, 200);
const writers = 4;
/** Paths of the webhooks, and the event types that they receive; null is all. */
const hooks = { "/all": null, "/tasks": ["task.*"] } as const;

/** Delivers to a receiver while servers and the receiver are killed, and checks what arrived. */
async function killWhileDelivering(t: TestContext, count: number): Promise<void> {
  const folder = temporaryFolder(t);
  const random = seededRandom(seed + 3);
  const receiver = new WebhookReceiver(seededRandom(seed + 4));
  const url = await receiver.open();
  t.after(() => receiver.kill());
  const servers = await Servers.start(t, folder, 50, count, ["--webhook-allow", "127.0.0.0/8"]);
  const [key = ""] = servers.keys;
  const ids: string[] = [];
  for (const [path, types] of Object.entries(hooks)) {
    const body = { url: url + path, types, skipOwn: false };
    const { status, text } = await servers.sendAs(key, 0, "POST", "/webhooks", body);
    assert.equal(status, 201, text);
    ids.push(JSON.parse(text).data.id);
  }
  /** A receiver that works again doesn't wait for the next attempt. */
  const retryNow = async (): Promise<void> => {
    for (const id of ids) await servers.sendAs(key, 0, "PATCH", `/webhooks/${id}`, { active: true });
  };

  let isDone = false;
  const write = async (writer: number): Promise<void> => {
    const own: string[] = [];
    for (let turn = 0; !isDone; turn++) {
      const server = (writer + turn) % count;
      const id = own[turn % 5];
      const [method, path] = id === undefined ? ["POST", "/tasks"] : ["PATCH", `/tasks/${id}`];
      const { status, text } = await servers.send(server, method, path, { title: `Task ${writer} ${turn}` });
      assert.ok(status === 200 || status === 201, text);
      if (id === undefined) own.push(JSON.parse(text).data.id);
      await servers.send(server, "POST", "/accounts", { name: `Account ${writer} ${turn}` });
    }
  };
  const kill = async (): Promise<void> => {
    while (servers.kills < kills) {
      await pause(random() * 500);
      await servers.kill(Math.floor(random() * count));
      if (servers.kills % 5 === 0) {
        await receiver.kill();
        await receiver.open();
      }
      await retryNow();
    }
    isDone = true;
  };
  await Promise.all([kill(), ...Array.from({ length: writers }, (_, writer) => write(writer))]);
  receiver.isReliable = true;

  const committed = async (path: string): Promise<readonly Shown[]> => {
    const types = path === "/tasks" ? "&types=task.*" : "";
    const events: Shown[] = [];
    for (let cursor: string | null = ""; cursor !== null; ) {
      const page = cursor === "" ? "" : `&cursor=${cursor}`;
      const { body, text } = await servers.sendAs(key, 0, "GET", `/events?limit=200${page}${types}`);
      const { data, nextCursor } = body as { data: Shown[]; nextCursor: string | null };
      assert.ok(Array.isArray(data), text);
      events.push(...data);
      cursor = nextCursor;
    }
    return events;
  };
  const isSettled = async (id: string, { id: eventId, updatedAt }: Shown): Promise<boolean> => {
    const { body } = await servers.sendAs(key, 0, "GET", `/webhooks/${id}`);
    const { position } = (body as { data: { position: { time: string; eventId: string | null } } }).data;
    return position.time > updatedAt || position.eventId === eventId;
  };
  let arrivals = 0;
  for (const [index, path] of Object.keys(hooks).entries()) {
    const events = await committed(path);
    const last = events.at(-1) ?? assert.fail("there are no events");
    while (!(await isSettled(ids[index] ?? "", last))) {
      await retryNow();
      await pause(500);
    }
    const arrived = receiver.arrivals.get(path) ?? [];
    arrivals += arrived.length;
    const arrivedIds = new Set(arrived.map(({ id }) => id));
    assert.deepEqual(
      events.filter(({ id }) => !arrivedIds.has(id)),
      [],
      "these events didn't arrive",
    );
    assertCommitted(arrived, events);
    assertOrdered(arrived);
  }
  await servers.stop();
  const records = [...(await servers.readAll("task")), ...(await servers.readAll("account"))];
  for (const path of Object.keys(hooks)) assertLatest(receiver.arrivals.get(path) ?? [], records);
  const events = receiver.arrivals.get("/all")?.map(({ id }) => id);
  figures(t, "webhooks-killed", {
    ...(testedStorage === "sqlite" ? {} : { servers: count }),
    kills: servers.kills,
    "events of one webhook": new Set(events).size,
    "messages of all webhooks": arrivals,
    "messages without a success": receiver.faults,
    lost: 0,
  });
}

/** Asserts that each message has a committed event, unchanged. */
function assertCommitted(arrived: readonly Arrival[], events: readonly Shown[]): void {
  const known = new Map(events.map((event) => [event.id, event]));
  for (const { id, type, event } of arrived) {
    assert.deepEqual(event, known.get(id), `${id} isn't a committed event`);
    assert.equal(type, event.type);
  }
}

/** Asserts that the events of each record arrived in the order of their commits, apart from repeated ones. */
function assertOrdered(arrived: readonly Arrival[]): void {
  const [seen, last] = [new Set<string>(), new Map<unknown, string>()];
  for (const { id, event } of arrived) {
    if (seen.has(id)) continue;
    seen.add(id);
    assert.ok((last.get(event.recordId) ?? "") < id, `${id} arrived after ${last.get(event.recordId)}`);
    last.set(event.recordId, id);
  }
}

/** Asserts that the last message of each record has its last version. */
function assertLatest(arrived: readonly Arrival[], records: readonly Shown[]): void {
  const last = new Map(arrived.map(({ event, record }) => [event.recordId, record]));
  assert.ok(last.size > 0);
  const byId = new Map(records.map((record) => [record.id, record]));
  for (const [id, record] of last) assert.deepEqual(record, byId.get(String(id)), `the last message of ${id}`);
}

const servers = testedStorage === "postgres" ? 2 : 1;
test(
  `each webhook gets each event, in order, although ${kills} servers are killed`,
  {
    timeout: size(300_000, 3_600_000),
  },
  (t) => killWhileDelivering(t, servers),
);
