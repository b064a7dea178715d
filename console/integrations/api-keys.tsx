import { useState } from "preact/hooks";
import { call, read } from "../api.ts";
import { ConfirmButton } from "../set-up/confirm-button.tsx";
import { NewKey } from "../set-up/new-key.tsx";
import { fieldLabel, texts } from "../texts.ts";
import { formatTime } from "../ui/date-text.ts";
import type { FieldSpec } from "../ui/field-spec.ts";
import { Form } from "../ui/form.tsx";
import { useAction, useLoad } from "../ui/load.ts";
import { ErrorNotice, LoadStatus, useMessage } from "../ui/notice.tsx";
import { Table } from "../ui/table.tsx";
import { Tag } from "../ui/tag.tsx";
import { RelativeTime } from "../ui/time.tsx";

const text = texts.setUp.keys;

/** An API key as the list returns it. */
type ApiKey = {
  readonly id: string;
  readonly integrationId: string;
  readonly maskedKey: string;
  readonly status: "active" | "revoked" | "expired";
  readonly createdAt: string;
  readonly lastUsedAt: string | null;
  readonly expiresAt: string | null;
  readonly revokedAt: string | null;
};

/** The key is null if the first response was lost and the server repeats it. */
type CreatedKey = ApiKey & { readonly key: string | null };

type ApiKeysProps = {
  readonly integrationId: string;
  /** Called after the integration has changed: a new key is a change of it. */
  onGenerated(): void;
};

/** The API keys of an integration: generate, rotate and revoke. */
export function ApiKeys({ integrationId, onGenerated }: ApiKeysProps) {
  const keys = useLoad(async (signal) => {
    const all = await read<readonly ApiKey[]>("api/api-key", { signal });
    return all.filter((key) => key.integrationId === integrationId).toReversed();
  }, integrationId);
  const [created, setCreated] = useState<CreatedKey | undefined>();
  const [notice, setMessage] = useMessage();
  const active = keys.value?.filter(({ status }) => status === "active") ?? [];
  return (
    <section>
      <h2>{text.title}</h2>
      {notice}
      {created && <NewKey key={created.id} value={created.key} onClose={() => setCreated(undefined)} />}
      <LoadStatus of={keys} />
      {keys.value && (
        <KeyTable
          keys={keys.value}
          onRevoked={(key) => {
            setMessage(text.revokedMessage(key.maskedKey));
            if (key.id === created?.id) setCreated(undefined);
            keys.reload();
          }}
        />
      )}
      {keys.value?.some(({ status }) => status !== "revoked") && (
        <RevokeAll
          integrationId={integrationId}
          onRevoked={() => {
            setMessage(text.allRevokedMessage);
            setCreated(undefined);
            keys.reload();
          }}
        />
      )}
      {keys.value && (
        <GenerateKey
          key={`${keys.value.length} ${active.length}`}
          integrationId={integrationId}
          active={active}
          onCreated={(key) => {
            setMessage(undefined);
            setCreated(key);
            keys.reload();
            onGenerated();
          }}
        />
      )}
    </section>
  );
}

type KeyTableProps = { readonly keys: readonly ApiKey[]; onRevoked(key: ApiKey): void };

function KeyTable({ keys, onRevoked }: KeyTableProps) {
  const revoke = useAction(
    (key: ApiKey) => call("POST", `api/api-key/${key.id}/revoke`),
    (_, key) => onRevoked(key),
  );
  return (
    <>
      {revoke.error && <ErrorNotice error={revoke.error} focus />}
      <Table
        caption={text.title}
        rows={keys}
        keyOf={({ id }) => id}
        empty={text.empty}
        columns={[
          { label: text.key, render: ({ maskedKey }) => <code>{maskedKey}</code> },
          {
            label: text.status,
            render: ({ status, revokedAt }) => (
              <>
                <Tag value={status} /> {revokedAt && <RelativeTime iso={revokedAt} />}
              </>
            ),
          },
          { label: fieldLabel("createdAt"), render: ({ createdAt }) => <RelativeTime iso={createdAt} /> },
          { label: text.lastUsed, render: ({ lastUsedAt }) => <RelativeTime iso={lastUsedAt} /> },
          { label: text.expires, render: ({ expiresAt }) => (expiresAt === null ? text.never : formatTime(expiresAt)) },
          {
            label: text.revoke,
            render: (key) =>
              key.status === "revoked" ? (
                "–"
              ) : (
                <ConfirmButton
                  label={text.revoke}
                  name={key.maskedKey}
                  title={text.revokeTitle(key.maskedKey)}
                  isRunning={revoke.isRunning}
                  onConfirm={() => revoke.run(key)}
                >
                  <p>{text.revokeEffect}</p>
                  <p>
                    {text.lastUsed}: <RelativeTime iso={key.lastUsedAt} />
                  </p>
                </ConfirmButton>
              ),
          },
        ]}
      />
    </>
  );
}

type RevokeAllProps = { readonly integrationId: string; onRevoked(): void };

function RevokeAll({ integrationId, onRevoked }: RevokeAllProps) {
  const revoke = useAction(() => call("POST", `api/admin/integrations/${integrationId}/revoke-keys`), onRevoked);
  return (
    <div class="actions">
      {revoke.error && <ErrorNotice error={revoke.error} focus />}
      <ConfirmButton
        label={text.revokeAll}
        title={text.revokeAllTitle}
        isRunning={revoke.isRunning}
        onConfirm={revoke.run}
      >
        <p>{text.revokeEffect}</p>
      </ConfirmButton>
    </div>
  );
}

type GenerateKeyProps = {
  readonly integrationId: string;
  readonly active: readonly ApiKey[];
  onCreated(key: CreatedKey): void;
};

/** The form of a new key. With one active key, it explains how to rotate it. */
function GenerateKey({ integrationId, active, onCreated }: GenerateKeyProps) {
  const generate = useAction(
    (values: object) => call<CreatedKey>("POST", "api/api-key/generate", { body: { ...values, integrationId } }),
    ({ data }) => onCreated(data),
  );
  const fields: readonly FieldSpec[] = [
    { path: "/expiresAt", label: text.expires, help: text.expiresHelp, input: "date-time" },
    ...(active.length > 1
      ? [{ path: "/rotate", label: text.rotate, help: text.rotateHelp, input: "checkbox" } as const]
      : []),
  ];
  return (
    <section class="card" aria-label={text.generateTitle}>
      <h3>{active.length === 1 ? text.rotateTitle : text.generateTitle}</h3>
      {active.length === 1 ? (
        <ol>
          {text.rotateSteps.map((step) => (
            <li key={step}>{step}</li>
          ))}
        </ol>
      ) : (
        <p>{active.length === 0 ? text.generateIntro : text.twoActive}</p>
      )}
      <Form
        fields={fields}
        submitLabel={text.generate}
        isRunning={generate.isRunning}
        error={generate.error}
        onSubmit={generate.run}
      />
    </section>
  );
}
