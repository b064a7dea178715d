import assert from "node:assert/strict";
import { fieldOf } from "./fields.ts";
import { type Servers, tenant } from "./http-servers.ts";
import { kinds, type Shown, type Synced } from "./ledger.ts";
import { paths } from "./writer.ts";

/** What one writer was told of a record: as it was shown last, and whether it was archived after that. */
type Own = { readonly kind: Synced; readonly shown: Shown; readonly archived: boolean };

/** What the writers were answered, which must be in the copy of every reader in the end. */
export class Acknowledged {
  writes = 0;
  /** Records that one writer alone changes: how they are is known. */
  readonly own = new Map<string, Own>();
  /** Tasks that all writers change: they are as they were shown last, or were changed after that. */
  readonly shared = new Map<string, Shown>();
  readonly #instants = new Map<string, string>();

  /** Takes in an answer. No two versions of whatever records have one `updatedAt`: each is a commit of its own. */
  shown(shown: Shown): void {
    this.writes++;
    const text = JSON.stringify(shown);
    const other = this.#instants.get(shown.updatedAt) ?? text;
    assert.equal(other, text, `two commits at ${shown.updatedAt}`);
    this.#instants.set(shown.updatedAt, text);
  }

  /** What was acknowledged and is not in this copy. */
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

/** One writer: steps of one to four requests at once, each to any of the servers, as long as it goes on. */
export async function write(
  servers: Servers,
  told: Acknowledged,
  goesOn: (step: number) => boolean,
  dice: () => number,
): Promise<void> {
  const mine: string[] = [];
  const number = (): number => Math.floor(dice() * 1_000);
  const ask = (method: string, path: string, body?: object) =>
    servers.ask(Math.floor(dice() * servers.count), method, path, body);
  const shownIn = (result: { status: number; text: string; body: unknown }): Shown | undefined => {
    if ([404, 409, 422].includes(result.status)) return undefined;
    assert.ok(result.status < 300, result.text);
    const { data } = (result.body ?? {}) as { data?: Shown };
    if (data !== undefined) told.shown(data);
    return data;
  };
  const create = async (): Promise<void> => {
    const kind = kinds[Math.floor(dice() * kinds.length)] ?? "task";
    const name = { [kind === "task" ? "title" : "name"]: `New ${number()}.${number()}.${number()}` };
    const shown = shownIn(await ask("POST", paths[kind], { ...fieldOf(tenant, kind, number()), ...name }));
    if (shown === undefined) return;
    told.own.set(shown.id, { kind, shown, archived: false });
    mine.push(shown.id);
  };
  const change = async (id: string): Promise<void> => {
    const { kind, shown, archived } = told.own.get(id) ?? assert.fail();
    const path = `${paths[kind]}/${id}`;
    if (archived) {
      const restored = shownIn(await ask("POST", `${path}/restore`));
      if (restored !== undefined) told.own.set(id, { kind, shown: restored, archived: false });
    } else if (dice() < 0.25) {
      const { status } = await ask("DELETE", path);
      // What was answered 503, or not at all, may have happened.
      const isAgain = status === 404 && servers.refused + servers.broken > 0;
      assert.ok(status === 204 || isAgain, `DELETE was answered ${status}`);
      told.writes++;
      told.own.set(id, { kind, shown, archived: true });
    } else {
      const patched = shownIn(await ask("PATCH", path, fieldOf(tenant, kind, number())));
      if (patched !== undefined) told.own.set(id, { kind, shown: patched, archived });
    }
  };
  const share = async (): Promise<void> => {
    const body = { title: `Call ${number()}`, priority: dice() < 0.5 ? "low" : "high" };
    const shown = shownIn(await ask("PATCH", `/tasks/${tenant.task}`, body));
    if (shown !== undefined && shown.updatedAt > (told.shared.get(shown.id)?.updatedAt ?? "")) {
      told.shared.set(shown.id, shown);
    }
  };
  for (let step = 0; goesOn(step); step++) {
    const changed = new Set(Array.from({ length: dice() * 3 }, () => mine[Math.floor(dice() * mine.length)] ?? ""));
    const changes = [...changed].filter((id) => id !== "").map(change);
    await Promise.all([...changes, dice() < 0.5 ? create() : undefined, dice() < 0.2 ? share() : undefined]);
  }
}
