import { useState } from "preact/hooks";
import { readStored, readStoredList, store, userStorageName } from "../browser-storage.ts";
import { collections, type Entity } from "../names.ts";
import { texts } from "../texts.ts";
import { useAction } from "../ui/load.ts";
import { ErrorNotice, useMessage } from "../ui/notice.tsx";
import { RelativeTime } from "../ui/time.tsx";
import { request } from "./request.ts";
import type { RunInput } from "./run.ts";

const { files } = texts;

/** An import that can be undone. */
type RememberedImport = {
  readonly time: number;
  readonly entity: Entity;
  readonly fileName: string;
  /** The IDs of the records that it created. */
  readonly ids: readonly string[];
};

const undoableMs = 24 * 60 * 60 * 1000;
const maxOperations = 100;

function readImports(): readonly RememberedImport[] {
  return readStoredList(userStorageName("imports"))?.filter(isUndoable) ?? [];
}

function isUndoable(value: unknown): value is RememberedImport {
  const { time, ids } = (value ?? {}) as Partial<RememberedImport>;
  return Array.isArray(ids) && Number(time) > Date.now() - undoableMs;
}

/** Returns whether the imports are stored. A browser stores only some megabytes. */
function storeImports(imports: readonly RememberedImport[]): boolean {
  const text = imports.length === 0 ? null : JSON.stringify(imports);
  store(userStorageName("imports"), text);
  return readStored(userStorageName("imports")) === text;
}

/**
 * Starts to remember an import in the browser. Returns a function that adds the IDs of created records, and returns
 * whether the import can be undone.
 */
export function rememberImport({ entity, file }: RunInput): (ids: readonly string[]) => boolean {
  const time = Date.now();
  const created: string[] = [];
  let isStored = true;
  return (ids) => {
    if (ids.length === 0) return isStored;
    created.push(...ids);
    const others = readImports().filter((each) => each.time !== time);
    const remembered = { time, entity, fileName: file.name, ids: created };
    // An import is undone as a whole or not at all.
    isStored = storeImports([remembered, ...others]);
    if (!isStored) storeImports(others);
    return isStored;
  };
}

/** The imports of the last 24 hours, with a button that archives what they created. */
export function RecentImports() {
  const [imports, setImports] = useState(readImports);
  const [notice, show] = useMessage();
  const action = useAction(async (undone: RememberedImport) => {
    const { archived, rejected } = await archiveAll(undone);
    storeImports(readImports().filter(({ time }) => time !== undone.time));
    setImports(readImports());
    show(files.undone(archived, rejected));
  });
  if (imports.length === 0 && !notice) return null;
  return (
    <section class="card">
      <h2>{files.recentImports}</h2>
      <p class="help">{files.undoHelp}</p>
      <ul class="problems">
        {imports.map((each) => (
          <li key={each.time}>
            <p>
              <bdi>{each.fileName}</bdi>, <RelativeTime iso={new Date(each.time).toISOString()} />:{" "}
              {files.createdRecords(each.ids.length, texts.collections[collections[each.entity]])}
            </p>
            <div class="actions">
              <button
                type="button"
                disabled={action.isRunning}
                aria-label={files.undoOf(each.fileName)}
                onClick={() => confirm(files.undoQuestion(each.ids.length)) && action.run(each)}
              >
                {files.undo}
              </button>
            </div>
          </li>
        ))}
      </ul>
      {action.error && <ErrorNotice error={action.error} focus />}
      {notice}
    </section>
  );
}

/** Archives the records of an import. A record that is already archived isn't an error. */
async function archiveAll({ entity, ids }: RememberedImport): Promise<{ archived: number; rejected: number }> {
  let [archived, rejected] = [0, 0];
  for (let at = 0; at < ids.length; at += maxOperations) {
    const operations = ids.slice(at, at + maxOperations).map((id) => ({ op: "archive", id }));
    const { body } = await request("POST", `/${collections[entity]}/batch`, { body: { operations } });
    const { data } = body as { readonly data: readonly { readonly error?: { readonly code: string } }[] };
    for (const { error } of data) {
      if (error === undefined) archived += 1;
      else if (error.code !== "not_found") rejected += 1;
    }
  }
  return { archived, rejected };
}
