import { useRef, useState } from "preact/hooks";
import { call } from "../api.ts";
import { collections } from "../names.ts";
import { href, navigate, navigateSaved } from "../route.ts";
import { CompanyForm } from "../set-up/company.tsx";
import { NewKey } from "../set-up/new-key.tsx";
import { texts } from "../texts.ts";
import { useAction } from "../ui/load.ts";
import { ErrorNotice } from "../ui/notice.tsx";
import { Page } from "../ui/page.tsx";
import { welcomed } from "./first-steps.ts";

const text = texts.welcome;

/** Three steps: the name of the company, its data, and an API key. */
export function WelcomeScreen({ step }: { readonly step: string | undefined }) {
  const Step = { data: DataStep, key: KeyStep }[step ?? ""] ?? NameStep;
  const number = { data: 2, key: 3 }[step ?? ""] ?? 1;
  return (
    <Page title={text.title}>
      <p class="help">{text.step(number, 3)}</p>
      <Step />
    </Page>
  );
}

function NameStep() {
  return <CompanyForm submitLabel={text.next} onSaved={() => navigateSaved(["welcome", "data"])} />;
}

function DataStep() {
  return (
    <>
      <h2>{text.data}</h2>
      <p>{text.dataHint}</p>
      <div class="actions">
        <a class="button" href={href(["import"])}>
          {text.import}
        </a>
        <a class="button primary" href={href(["welcome", "key"])}>
          {text.startEmpty}
        </a>
      </div>
    </>
  );
}

const firstScopes = Object.values(collections).flatMap((name) => [`${name}:read`, `${name}:write`]);

function KeyStep() {
  const [name, setName] = useState(text.defaultIntegration);
  // If only the key fails, the next attempt uses the same integration.
  const integrationId = useRef<string | undefined>(undefined);
  // Null if the response with the key was lost.
  const [key, setKey] = useState<string | null | undefined>();
  const create = useAction(async () => {
    const scopes = [...firstScopes, "pipelines:read", "users:read"];
    integrationId.current ??= (
      await call<{ id: string }>("POST", "api/admin/integrations", { body: { name, scopes } })
    ).data.id;
    const body = { integrationId: integrationId.current, name };
    return (await call<{ key: string | null }>("POST", "api/api-key/generate", { body })).data.key;
  }, setKey);
  function finish(): void {
    welcomed.set();
    navigate([collections.account]);
  }
  if (typeof key === "string")
    return (
      <>
        <h2>{text.key}</h2>
        <NewKey value={key} onClose={finish} />
      </>
    );
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        void create.run();
      }}
    >
      <h2>{text.key}</h2>
      <p>{text.integrationHint}</p>
      {key === null && <NewKey value={null} onClose={finish} />}
      {create.error && <ErrorNotice error={create.error} focus />}
      <div class="field-group">
        <div class="field">
          <label for="integration">{text.integration}</label>
          <input id="integration" value={name} onInput={(event) => setName(event.currentTarget.value)} />
        </div>
      </div>
      <div class="actions">
        <button type="submit" class="primary" disabled={create.isRunning}>
          {text.createKey}
        </button>
        <button type="button" onClick={finish}>
          {text.skip}
        </button>
      </div>
    </form>
  );
}
