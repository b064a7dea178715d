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
  fields: fieldsScreen(customFields),
  rules: fieldsScreen(rules),
  pipelines: resourceScreen(pipelines),
  users: resourceScreen(users),
  grants: resourceScreen(grants),
} satisfies Screens;

/** Returns the screen of a custom field or a rule. Both have the same list. */
function fieldsScreen(resource: Resource) {
  const single = resourceScreen(resource);
  return (props: ScreenProps) =>
    props.route.path[1] === undefined ? <FieldsScreen query={props.route.query} /> : single(props);
}

/** Returns the screen of a list of records, of one of them, and of a new one. */
export function resourceScreen(resource: Resource) {
  return ({ route: { path, query }, session }: ScreenProps) => {
    const [, id, below, stageId] = path;
    if (resource === pipelines && id !== undefined && below === "stages")
      return selectScreen({ resource: stages(id), id: stageId, query, session });
    return selectScreen({ resource, id, query, session });
  };
}

type SelectScreenProps = Omit<ScreenProps, "route"> & {
  readonly resource: Resource;
  readonly id: string | undefined;
  readonly query: URLSearchParams;
};

function selectScreen({ resource, id, query, session }: SelectScreenProps) {
  if (id === undefined) return <ResourceList resource={resource} query={query} />;
  if (id === "new") return <NewResource resource={resource} query={query} />;
  return <ExistingResource resource={resource} id={id} query={query} session={session} />;
}
