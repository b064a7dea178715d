import { faults, type Mutant } from "./mutant.ts";

/** A field whose IDs are no longer looked up. */
function unread(kind: string, field: string, to: string, tests: readonly string[]): Mutant[] {
  return faults(`lib/model/${kind}.ts`, tests, [[`any id in ${field} of ${kind}`, `, reference: ${to} }`, " }"]]);
}

const isolated = "prove/isolated";
const seenBy = (name: string): string[] => [name, isolated];

/** Faults in the checks of IDs in a body: each must be of an active record of the tenant. */
export const references = [
  ...faults("lib/api/prepare-record.ts", seenBy("accounts"), [
    ["references not looked up", "    ...referenceIssues,\n", ""],
    [
      "a reference to what is archived",
      "record === undefined || record.archivedAt !== null",
      "record === undefined",
      seenBy("contacts"),
    ],
    ["a reference to who is not active", 'if (kind !== "user" ||', 'if (kind === "user" ||'],
  ]),
  ...unread("account", "ownerId", '"user"', seenBy("accounts")),
  ...unread("contact", "accountId", '"account"', seenBy("contacts")),
  ...unread("contact", "ownerId", '"user"', seenBy("contacts")),
  ...unread("opportunity", "accountId", '"account"', seenBy("opportunities")),
  ...unread("opportunity", "contactIds", '"contact"', seenBy("opportunities-contacts")),
  ...unread("opportunity", "pipelineId", '"pipeline"', seenBy("opportunities-stages")),
  ...unread("opportunity", "stageId", '"stage"', seenBy("opportunities-stages")),
  ...unread("opportunity", "ownerId", '"user"', seenBy("opportunities")),
  ...unread("task", "assignedTo", '"user"', seenBy("tasks-rules")),
  ...unread("task", "relatedTo", "polymorphic", seenBy("tasks-rules")),
  ...faults(
    "lib/endpoints/generate-api-key.ts",
    ["admin-keys", isolated],
    [["any integration gets the key", "current.find(({ id }) => id === integrationId)", "current[0]"]],
  ),
  ...faults("lib/http/operations.ts", "operations", [
    ["a field cleared by what is undefined", ".filter(([, member]) => member !== undefined)", ""],
  ]),
];
