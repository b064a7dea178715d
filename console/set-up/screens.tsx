import type { ComponentChildren } from "preact";
import type { ScreenProps, Screens } from "../screen.ts";
import { CompanyScreen } from "./company.tsx";
import { customFields } from "./custom-fields.ts";
import { FieldsScreen } from "./fields-screen.tsx";
import { pipelines } from "./pipelines.tsx";
import type { Resource } from "./resource.ts";
import { ResourceList } from "./resource-list.tsx";
import { ExistingResource, NewResource } from "./resource-screen.tsx";
import { rules } from "./rules.ts";
import { grants, users } from "./simple-resources.tsx";
import { stages } from "./stages.ts";

/** The screens of the tenant's set-up. */
export const setUpScreens = {
  company: () => <CompanyScreen />,
  fields: resourceScreen(customFields, FieldsScreen),
  rules: resourceScreen(rules, FieldsScreen),
  pipelines: resourceScreen(pipelines),
  users: resourceScreen(users),
  grants: resourceScreen(grants),
} satisfies Screens;

/** Returns the screen of a list of records, of one of them, and of a new one. */
export function resourceScreen(
  listed: Resource,
  List: (props: { readonly resource: Resource; readonly query: URLSearchParams }) => ComponentChildren = ResourceList,
) {
  return ({ route: { path, query }, session }: ScreenProps) => {
    const [, first, below, stageId] = path;
    const isStage = listed === pipelines && first !== undefined && below === "stages";
    const [resource, id] = isStage ? [stages(first), stageId] : [listed, first];
    if (id === undefined) return <List {...{ resource, query }} />;
    if (id === "new") return <NewResource {...{ resource, query }} />;
    return <ExistingResource {...{ resource, id, query, session }} />;
  };
}
