import { texts } from "../texts.ts";
import { FieldInput } from "../ui/field-input.tsx";
import { type FieldSpec, groupsOf, toDraft } from "../ui/field-spec.ts";

/** Fields as people see them in a form. They can't be used. */
export function FormPreview({ fields }: { readonly fields: readonly FieldSpec[] }) {
  return (
    <section class="card" aria-label={texts.setUp.preview}>
      <h2>{texts.setUp.preview}</h2>
      <fieldset class="lock" disabled>
        {groupsOf(fields).map(([group, members]) => (
          <div key={group} class="field-group">
            {group && <h3>{group}</h3>}
            {members.map((field) => (
              <FieldInput
                key={field.path}
                id={`preview${field.path.replaceAll("/", "-")}`}
                field={field}
                draft={toDraft(field, undefined)}
                errors={[]}
                changed={undefined}
                onUseChanged={undefined}
                onChange={() => {}}
              />
            ))}
          </div>
        ))}
      </fieldset>
    </section>
  );
}
