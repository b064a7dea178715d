import { call } from "../api.ts";
import { addPasskey, hasPasskeys } from "../passkeys.ts";
import { fieldLabel, texts } from "../texts.ts";
import type { FieldSpec } from "../ui/field-spec.ts";
import { Form } from "../ui/form.tsx";
import { useAction } from "../ui/load.ts";
import { ErrorNotice } from "../ui/notice.tsx";
import { Table } from "../ui/table.tsx";
import { RelativeTime } from "../ui/time.tsx";
import { describeBrowser } from "./browser-name.ts";
import { ConfirmButton } from "./confirm-button.tsx";

const text = texts.setUp.passkeys;

export type Passkey = {
  readonly id: string;
  readonly name: string;
  readonly createdAt: string;
  readonly lastUsedAt: string | null;
};

type PasskeysProps = {
  readonly url: string;
  readonly passkeys: readonly Passkey[];
  /** Whether the signed-in user can add one: the page is that of the user, and the server has passkeys. */
  readonly isOwn: boolean;
  readonly isAvailable: boolean;
  onChanged(done: string): void;
};

/** The passkeys of a user, to remove. Users add their own. */
export function Passkeys({ url, passkeys, isOwn, isAvailable, onChanged }: PasskeysProps) {
  const remove = useAction(
    ({ id }: Passkey) => call("DELETE", `${url}/passkeys/${id}`),
    () => onChanged(text.removedMessage),
  );
  return (
    <>
      {remove.error && <ErrorNotice error={remove.error} focus />}
      <Table
        caption={text.title}
        rows={passkeys}
        keyOf={({ id }) => id}
        empty={text.none}
        columns={[
          { label: fieldLabel("name"), render: ({ name }) => <bdi>{name}</bdi> },
          { label: text.added, render: ({ createdAt }) => <RelativeTime iso={createdAt} /> },
          { label: texts.setUp.keys.lastUsed, render: ({ lastUsedAt }) => <RelativeTime iso={lastUsedAt} /> },
          {
            label: text.remove,
            render: (each) => (
              <ConfirmButton
                label={text.remove}
                name={each.name}
                title={text.removeTitle(each.name)}
                isRunning={remove.isRunning}
                onConfirm={() => remove.run(each)}
              >
                <p>{text.removeEffect}</p>
              </ConfirmButton>
            ),
          },
        ]}
      />
      {isOwn && isAvailable && hasPasskeys && (
        <AddPasskey key={passkeys.length} url={url} onAdded={() => onChanged(text.addedMessage)} />
      )}
      {isOwn && !(isAvailable && hasPasskeys) && <p>{text.unavailable}</p>}
    </>
  );
}

const maxNameLength = 100;
const browserName = (describeBrowser(navigator.userAgent) ?? "").slice(0, maxNameLength);
const fields: readonly FieldSpec[] = [
  { path: "/name", label: text.name, help: text.nameHelp, input: "text", maxLength: maxNameLength },
];
const initial = { name: browserName };

function AddPasskey({ url, onAdded }: { readonly url: string; onAdded(): void }) {
  const add = useAction((name: string) => addPasskey(url, name), onAdded);
  return (
    <section class="card" aria-label={text.add}>
      <h3>{text.add}</h3>
      <p>{text.help}</p>
      <Form
        fields={fields}
        initial={initial}
        submitLabel={text.add}
        isRunning={add.isRunning}
        error={add.error}
        // A name that the server rejects would leave a passkey in the browser.
        onSubmit={({ name }) => add.run(String(name ?? "").trim() || browserName || text.title)}
      />
    </section>
  );
}
