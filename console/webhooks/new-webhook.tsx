import { useEffect, useRef, useState } from "preact/hooks";
import { href, navigate, openCreated } from "../route.ts";
import { CopyText } from "../set-up/new-key.tsx";
import { noContext } from "../set-up/resource.ts";
import { ResourceForm } from "../set-up/resource-form.tsx";
import { texts } from "../texts.ts";
import { focusTitle } from "../ui/focus.ts";
import { useLoad } from "../ui/load.ts";
import { LoadStatus } from "../ui/notice.tsx";
import { Page } from "../ui/page.tsx";
import { type WebhookWithSecret, webhooks } from "./webhook.ts";

const text = texts.webhooks;
const kind = texts.setUp.kinds.webhooks;

/** The form of a new webhook, and then its secret. */
export function NewWebhook({ query }: { readonly query: URLSearchParams }) {
  const context = useLoad(async (signal) => (await webhooks.load?.(signal)) ?? noContext, "");
  const [initial] = useState(() => ({ integrationId: query.get("integrationId"), skipOwn: true, active: true }));
  const [created, setCreated] = useState<WebhookWithSecret | undefined>();
  return (
    <Page
      title={kind.create}
      actions={
        <a class="button" href={href(["webhooks"])}>
          {kind.back}
        </a>
      }
    >
      <LoadStatus of={context} />
      {context.value && created === undefined && (
        <ResourceForm
          resource={webhooks}
          context={context.value}
          initial={initial}
          onSaved={(saved) => setCreated(saved as WebhookWithSecret)}
          onCancel={() => navigate(["webhooks"])}
        />
      )}
      {created && <NewSecret value={created.secret} onClose={() => openCreated(["webhooks", created.id])} />}
    </Page>
  );
}

type NewSecretProps = {
  /** Null if the response with the secret was lost. */
  readonly value: string | null;
  onClose(): void;
};

/** A new secret, which can't be shown again. */
export function NewSecret({ value, onClose }: NewSecretProps) {
  const box = useRef<HTMLElement>(null);
  useEffect(() => box.current?.focus(), []);
  return (
    <section class="notice" aria-label={text.newSecret} tabIndex={-1} ref={box}>
      <h2>{text.newSecret}</h2>
      <p>{value === null ? text.lost : text.newSecretText}</p>
      {value !== null && <CopyText label={text.secret} value={value} />}
      <button
        type="button"
        onClick={() => {
          focusTitle();
          onClose();
        }}
      >
        {value === null ? text.open : text.stored}
      </button>
    </section>
  );
}
