import type { CrmRecord } from "../records/record-columns.tsx";
import { fieldLabel, texts } from "../texts.ts";
import { toOptions } from "../ui/choices.tsx";
import type { Column } from "../ui/table.tsx";
import { Tag } from "../ui/tag.tsx";
import { RelativeTime } from "../ui/time.tsx";
import { ConsoleAccess } from "./console-access.tsx";
import { byText, type Context, type Resource, readLists, textFor } from "./resource.ts";

const { labels, help, roles } = texts.setUp;

/** Returns a column with a field of the record. */
export function textColumn(name: string, label: string = fieldLabel(name)): Column<CrmRecord> {
  return { label, order: name, render: (record) => <span dir="auto">{String(record[name] ?? "–") || "–"}</span> };
}

export function flagColumn(name: string, label: string): Column<CrmRecord> {
  return { label, order: name, render: (record) => (record[name] === true ? texts.setUp.yes : texts.setUp.no) };
}

export const updatedAtColumn: Column<CrmRecord> = {
  label: fieldLabel("updatedAt"),
  order: "updatedAt",
  render: ({ updatedAt }) => <RelativeTime iso={updatedAt} />,
};

export const users: Resource = {
  name: "users",
  route: ["users"],
  nameOf: ({ name }) => String(name),
  columns: () => [
    textColumn("email"),
    { label: labels.role, render: ({ role }) => <Tag value={String(role)} label={textFor(roles, role)} /> },
    { label: texts.setUp.keys.status, render: ({ active }) => <Tag value={active === true ? "active" : "inactive"} /> },
    textColumn("externalId"),
  ],
  fields: () => [
    { path: "/name", label: fieldLabel("name"), input: "text", required: true },
    { path: "/email", label: fieldLabel("email"), input: "email", required: true },
    { path: "/role", label: labels.role, help: help.role, input: "select", required: true, options: toOptions(roles) },
    { path: "/active", label: labels.active, help: help.active, input: "checkbox" },
    { path: "/externalId", label: fieldLabel("externalId"), help: help.userExternalId, input: "text", nullable: true },
  ],
  initial: () => ({ role: "member", active: true }),
  note: ({ id }, { user }) => (id === user.id ? texts.setUp.ownUser : undefined),
  Extra: ConsoleAccess,
};

function userName(userId: unknown, { lists }: Context): string {
  return String(lists.users?.find(({ id }) => id === userId)?.name ?? userId);
}

export const grants: Resource = {
  name: "grants",
  route: ["grants"],
  load: (signal) => readLists(["users"], signal),
  nameOf: ({ userId }, context) => userName(userId, context),
  compare: byText("createdAt"),
  columns: () => [
    { label: fieldLabel("id"), render: ({ id }) => <code>{id}</code> },
    {
      label: fieldLabel("createdAt"),
      order: "createdAt",
      render: ({ createdAt }) => <RelativeTime iso={String(createdAt)} />,
    },
  ],
  fields: () => [
    {
      path: "/userId",
      label: texts.kinds.user,
      help: help.grantUser,
      input: "reference",
      kind: "user",
      required: true,
    },
  ],
};
