import { type Entity, entityKinds, entityModels } from "../../lib/model/entities.ts";
import { type Model, polymorphic } from "../../lib/model/model.ts";

/** Returns a value for each kind that clients create and update. */
export function forEachEntity<T>(toValue: (kind: Entity) => T): Readonly<Record<Entity, T>> {
  return Object.fromEntries(entityKinds.map((kind) => [kind, toValue(kind)])) as Record<Entity, T>;
}

/** The path of the list of each kind. */
export const listPaths = forEachEntity((kind) => `/${entityModels[kind].plural}` as const);

/** Returns the kind whose list a path starts with. */
export function entityOfPath(path: string): Entity | undefined {
  return entityKinds.find((kind) => path.split("/")[1] === entityModels[kind].plural);
}

/**
 * Returns the fields that a new record needs. All of its texts are `text`, and its references have the ID `account`.
 */
export function requiredFields(kind: Entity, text: string, account: string): Record<string, unknown> {
  const required = Object.entries((entityModels[kind] as Model).fields).filter(([, field]) => field.required);
  return Object.fromEntries(
    required.map(([name, { reference }]) => [
      name,
      reference === polymorphic ? { type: "account", id: account } : text,
    ]),
  );
}

/** Returns the field of a kind that has its name, title or text. */
export function textField(kind: Entity): string {
  return Object.keys(requiredFields(kind, "", ""))[0] ?? "";
}
