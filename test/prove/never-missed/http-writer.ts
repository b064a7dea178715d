import assert from "node:assert/strict";
import { listPaths, requiredFields } from "../../support/entity-fields.ts";
import { fieldOf } from "./fields.ts";
import { type Servers, tenant } from "./http-servers.ts";
import { kinds, type Shown, type Synced } from "./ledger.ts";

/** The last state of a record that one writer received, and whether the record was archived since. */
type Own = { readonly kind: Synced; readonly shown: Shown; readonly archived: boolean };

/** The responses that the writers received. In the end, the copy of every reader must contain them. */
export class Acknowledged {
  writes = 0;
  /** Records that only one writer changes, so their state is known. */
  readonly own = new Map<string, Own>();
  /** Tasks that all writers change: they have the last received state or a newer one. */
  readonly shared = new Map<string, Shown>();
  readonly #instants = new Map<string, string>();

  /** Adds a response. No two versions of records share an `updatedAt`, because each has its own commit. */
  shown(shown: Shown): void {
    this.writes++;
    const text = JSON.stringify(shown);
    const other = this.#instants.get(shown.updatedAt) ?? text;
    assert.equal(other, text, `two commits at ${shown.updatedAt}`);
    this.#instants.set(shown.updatedAt, text);
  }

  /** Returns the acknowledged states that this copy doesn't have. */
  missingIn(copy: ReadonlyMap<string, Shown>, kind: Synced): unknown[] {
    const own = [...this.own.values()].filter((each) => {
      const found = copy.get(each.shown.id);
      if (each.kind !== kind) return false;
      if (!each.archived) return JSON.stringify(found) !== JSON.stringify(each.shown);
      const { updatedAt, archivedAt, ...rest } = found ?? each.shown;
      const { updatedAt: before, ...was } = each.shown;
      // The tenant clock, which sets updatedAt, can be ahead of the wall clock, which sets archivedAt.
      return (
        !archivedAt || archivedAt > updatedAt || updatedAt <= before || JSON.stringify(rest) !== JSON.stringify(was)
      );
    });
    const shared = [...this.shared.values()].filter((each) => {
      return kind === "task" && (copy.get(each.id)?.updatedAt ?? "") < each.updatedAt;
    });
    return [...own, ...shared];
  }
}

/** Runs one writer: steps of one to four concurrent requests, each to a random server. */
export async function write(
  servers: Servers,
  acknowledged: Acknowledged,
  hasNext: (step: number) => boolean,
  random: () => number,
): Promise<void> {
  const mine: string[] = [];
  const number = (): number => Math.floor(random() * 1_000);
  const send = (method: string, path: string, body?: object) =>
    servers.send(Math.floor(random() * servers.count), method, path, body);
  const shownIn = (result: { status: number; text: string; body: unknown }): Shown | undefined => {
    if ([404, 409, 422].includes(result.status)) return undefined;
    assert.ok(result.status < 300, result.text);
    const { data } = (result.body ?? {}) as { data?: Shown };
    if (data !== undefined) acknowledged.shown(data);
    return data;
  };
  const create = async (): Promise<void> => {
    const kind = kinds[Math.floor(random() * kinds.length)] ?? "task";
    const name = requiredFields(kind, `New ${number()}.${number()}.${number()}`, tenant.account);
    const shown = shownIn(await send("POST", listPaths[kind], { ...fieldOf(tenant, kind, number()), ...name }));
    if (shown === undefined) return;
    acknowledged.own.set(shown.id, { kind, shown, archived: false });
    mine.push(shown.id);
  };
  const change = async (id: string): Promise<void> => {
    const { kind, shown, archived } = acknowledged.own.get(id) ?? assert.fail();
    const path = `${listPaths[kind]}/${id}`;
    if (archived) {
      const restored = shownIn(await send("POST", `${path}/restore`));
      if (restored !== undefined) acknowledged.own.set(id, { kind, shown: restored, archived: false });
    } else if (random() < 0.25) {
      const { status } = await send("DELETE", path);
      // A request without a response, or with a 503, may have been committed.
      const isAgain = status === 404 && servers.rejected + servers.broken > 0;
      assert.ok(status === 204 || isAgain, `DELETE returned ${status}`);
      acknowledged.writes++;
      acknowledged.own.set(id, { kind, shown, archived: true });
    } else {
      const patched = shownIn(await send("PATCH", path, fieldOf(tenant, kind, number())));
      if (patched !== undefined) acknowledged.own.set(id, { kind, shown: patched, archived });
    }
  };
  const share = async (): Promise<void> => {
    const body = { title: `Call ${number()}`, priority: random() < 0.5 ? "low" : "high" };
    const shown = shownIn(await send("PATCH", `/tasks/${tenant.task}`, body));
    if (shown !== undefined && shown.updatedAt > (acknowledged.shared.get(shown.id)?.updatedAt ?? "")) {
      acknowledged.shared.set(shown.id, shown);
    }
  };
  for (let step = 0; hasNext(step); step++) {
    const changed = new Set(Array.from({ length: random() * 3 }, () => mine[Math.floor(random() * mine.length)] ?? ""));
    const changes = [...changed].filter((id) => id !== "").map(change);
    await Promise.all([...changes, random() < 0.5 ? create() : undefined, random() < 0.2 ? share() : undefined]);
  }
}
