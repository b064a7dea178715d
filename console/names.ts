import { useEffect, useState } from "preact/hooks";
import { collections, type Entity } from "../lib/transfer/entities.ts";
import { call } from "./api.ts";
import { isId } from "./ui/record-id.ts";

export { collections, type Entity, entities } from "../lib/transfer/entities.ts";

/** Kinds of the records that fields and filters with these names refer to. */
export const referenceKinds: Readonly<Record<string, string>> = {
  ownerId: "user",
  assignedTo: "user",
  authorId: "user",
  accountId: "account",
  contactId: "contact",
  contactIds: "contact",
  pipelineId: "pipeline",
  stageId: "stage",
};

export type Named = {
  readonly id: string;
  readonly name?: string;
  readonly title?: string;
  readonly body?: string;
  readonly email?: string | null;
};

/** The longest name of a note. */
const maxNoteName = 60;

/** Returns the name of a record: of a task its title, of a note its first line, of a contact without a name its email address. */
export function nameOf({ id, name, title, email, body }: Named): string {
  return name || title || email || (body && firstLine(body)) || id;
}

function firstLine(body: string): string {
  const [line = ""] = body.trim().split(/[\r\n]/, 1);
  const characters = [...line];
  return characters.length > maxNoteName ? `${characters.slice(0, maxNoteName).join("")}…` : line;
}

const known = new Map<string, string>();
/** The most IDs that one request can have. */
const maxIds = 100;

/** Remembers names, so that they aren't read again. */
export function rememberNames(records: readonly Named[]): void {
  for (const record of records) known.set(record.id, nameOf(record));
}

/** Returns the names of records by ID. Unknown ones are read, archived ones too. */
export function useNames(kind: Entity, ids: readonly (string | null | undefined)[]): ReadonlyMap<string, string> {
  const [, setCount] = useState(0);
  const missing = [...new Set(ids.filter((id) => id && isId(id) && !known.has(id)))].slice(0, maxIds) as string[];
  const key = missing.join(",");
  useEffect(() => {
    if (key === "") return;
    const query = { ids: key, includeArchived: true, limit: maxIds };
    call<readonly Named[]>("GET", `api/v1/${collections[kind]}`, { query }).then(
      ({ data }) => {
        rememberNames(data);
        for (const id of key.split(",")) if (!known.has(id)) known.set(id, id);
        setCount((count) => count + 1);
      },
      () => {},
    );
  }, [kind, key]);
  return known;
}
