import type { Entity } from "crm-integrations/transfer";
import { BriefcaseBusiness, CircleCheck, type IconNode, StickyNote, TrendingUp, User } from "lucide";

type EntityLists = {
  readonly icon: IconNode;
  /** The fields in the columns of its list, after the name. */
  readonly columns: readonly string[];
  /** The filters of its list, which are those of the API. */
  readonly filters: readonly string[];
  readonly statuses?: readonly string[];
  /** Whether the list can be filtered by words. */
  readonly hasWords?: boolean;
  /** The values of `order` without `-`. */
  readonly orders: readonly string[];
};

/** The kinds that tasks and notes can belong to. */
export const relatedKinds: readonly Entity[] = ["account", "contact", "opportunity"];

/** The lists of records and their icons. A new kind of record needs an entry here and in lib/transfer/entities.ts. */
export const entityLists: Readonly<Record<Entity, EntityLists>> = {
  account: {
    icon: BriefcaseBusiness,
    columns: ["email", "phone", "ownerId", "updatedAt"],
    filters: ["name", "ownerId", "externalId", "phone"],
    hasWords: true,
    orders: ["updatedAt", "createdAt", "name"],
  },
  contact: {
    icon: User,
    columns: ["email", "phone", "accountId", "updatedAt"],
    filters: ["email", "accountId", "ownerId", "externalId", "phone"],
    hasWords: true,
    orders: ["updatedAt", "createdAt", "name"],
  },
  opportunity: {
    icon: TrendingUp,
    columns: ["stageId", "status", "amount", "accountId", "expectedCloseDate", "updatedAt"],
    filters: ["status", "pipelineId", "stageId", "accountId", "contactId", "ownerId", "externalId"],
    statuses: ["open", "won", "lost"],
    hasWords: true,
    orders: ["updatedAt", "createdAt", "name"],
  },
  task: {
    icon: CircleCheck,
    columns: ["status", "priority", "dueDate", "assignedTo", "updatedAt"],
    filters: ["status", "assignedTo", "relatedToId"],
    statuses: ["pending", "completed", "canceled"],
    hasWords: true,
    orders: ["updatedAt", "createdAt", "dueDate"],
  },
  note: {
    icon: StickyNote,
    columns: ["relatedTo", "authorId", "occurredAt", "updatedAt"],
    filters: ["relatedToId", "authorId", "externalId"],
    orders: ["updatedAt", "createdAt", "occurredAt"],
  },
};
