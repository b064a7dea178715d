import { fault, type Mutant } from "./mutant.ts";

/** A field whose ids are no longer looked up. */
function unread(kind: string, field: string, to: string, tests: readonly string[]): Mutant {
  return fault(`any id in ${field} of ${kind}`, `lib/model/${kind}.ts`, `, reference: ${to} }`, " }", tests);
}

const isolated = "prove/isolated";
const seenBy = (name: string): string[] => [name, isolated];

/** Faults in the checks of IDs in a body: each must be of an active record of the tenant. */
export const references = [
  fault("references not looked up", "lib/api/prepare-record.ts", "    ...referenceIssues,\n", "", seenBy("accounts")),
  fault(
    "a reference to what is archived",
    "lib/api/prepare-record.ts",
    "record === undefined || record.archivedAt !== null",
    "record === undefined",
    seenBy("contacts"),
  ),
  fault(
    "a reference to who is not active",
    "lib/api/prepare-record.ts",
    'if (kind !== "user" ||',
    'if (kind === "user" ||',
    seenBy("accounts"),
  ),
  unread("account", "ownerId", '"user"', seenBy("accounts")),
  unread("contact", "accountId", '"account"', seenBy("contacts")),
  unread("contact", "ownerId", '"user"', seenBy("contacts")),
  unread("opportunity", "accountId", '"account"', seenBy("opportunities")),
  unread("opportunity", "contactIds", '"contact"', seenBy("opportunities-contacts")),
  unread("opportunity", "pipelineId", '"pipeline"', seenBy("opportunities-stages")),
  unread("opportunity", "stageId", '"stage"', seenBy("opportunities-stages")),
  unread("opportunity", "ownerId", '"user"', seenBy("opportunities")),
  unread("task", "assignedTo", '"user"', seenBy("tasks-rules")),
  unread("task", "relatedTo", "polymorphic", seenBy("tasks-rules")),
  fault(
    "any integration gets the key",
    "lib/endpoints/generate-api-key.ts",
    "current.find(({ id }) => id === integrationId)",
    "current[0]",
    ["admin-keys", isolated],
  ),
  fault(
    "a field cleared by what is undefined",
    "lib/http/operations.ts",
    ".filter(([, member]) => member !== undefined)",
    "",
    ["operations"],
  ),
];
