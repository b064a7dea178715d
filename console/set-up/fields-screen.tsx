import { type Entity, entities } from "../names.ts";
import { readFields } from "../records/schema-fields.ts";
import { href } from "../route.ts";
import { texts } from "../texts.ts";
import { useLoad } from "../ui/load.ts";
import { LoadStatus } from "../ui/notice.tsx";
import { Page } from "../ui/page.tsx";
import { customFieldEntities, customFields } from "./custom-fields.ts";
import { FormPreview } from "./form-preview.tsx";
import type { Resource } from "./resource.ts";
import { ArchivedSwitch, ResourceTable } from "./resource-list.tsx";
import { rules } from "./rules.ts";

/** The custom fields and the rules of one kind of record, next to the form that they make. */
export function FieldsScreen({ query }: { readonly query: URLSearchParams }) {
  const entity = entities.find((each) => each === query.get("entity")) ?? "account";
  const hasFields = Object.hasOwn(customFieldEntities, entity);
  return (
    <Page title={texts.nav.fields}>
      <nav class="tabs" aria-label={texts.setUp.labels.entity}>
        {entities.map((each) => (
          <a
            key={each}
            href={href(customFields.route, { entity: each })}
            aria-current={each === entity ? "page" : undefined}
          >
            {texts.kinds[each]}
          </a>
        ))}
      </nav>
      <ArchivedSwitch route={customFields.route} query={query} />
      <div class="record halves-record">
        <div>
          {hasFields && <Section resource={customFields} entity={entity} query={query} />}
          <Section resource={rules} entity={entity} query={query} />
        </div>
        <EntityPreview key={entity} entity={entity} />
      </div>
    </Page>
  );
}

type SectionProps = { readonly resource: Resource; readonly entity: Entity; readonly query: URLSearchParams };

function Section({ resource, entity, query }: SectionProps) {
  const kind = texts.setUp.kinds[resource.name];
  return (
    <section>
      <div class="section-head">
        <h2>{kind.title}</h2>
        <a class="button" href={href([...resource.route, "new"], { entity })}>
          {kind.create}
        </a>
      </div>
      <p>{kind.intro}</p>
      <ResourceTable resource={resource} filter={{ entity }} query={query} />
    </section>
  );
}

function EntityPreview({ entity }: { readonly entity: Entity }) {
  const fields = useLoad((signal) => readFields(entity, "create", signal), entity);
  return fields.value ? <FormPreview fields={fields.value} /> : <LoadStatus of={fields} />;
}
