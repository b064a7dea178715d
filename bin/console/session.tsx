import { useState } from "preact/hooks";
import { call, handleSignedOut } from "./api.ts";
import { texts } from "./texts.ts";
import { useAction, useLoad } from "./ui/load.ts";
import { ErrorNotice, Loading } from "./ui/notice.tsx";
import { Page } from "./ui/page.tsx";

/** The signed-in admin. */
export type Session = {
  readonly user: { readonly id: string; readonly name: string; readonly email: string | null };
  readonly tenant: { readonly id: string; readonly name: string };
  readonly expiresAt: string;
};

/** Takes the token of a sign-in link out of the URL, so that it doesn't stay in the history. */
function takeToken(): string | undefined {
  const token = /^#token=(.+)$/.exec(location.hash)?.[1];
  if (token !== undefined) history.replaceState(null, "", "#/");
  return token;
}

const linkToken = takeToken();

/** Reads the session again, because the tenant or the user has changed. */
export let reloadSession = (): void => {};

type SessionGateProps = { children(session: Session): preact.ComponentChildren };

/** Shows its children if an admin is signed in, and the sign-in page otherwise. */
export function SessionGate({ children }: SessionGateProps) {
  const [token, setToken] = useState(linkToken);
  const [isSignedOut, setSignedOut] = useState(false);
  const session = useLoad(
    async (signal) => (token === undefined ? (await call<Session>("GET", "session", { signal })).data : undefined),
    token === undefined ? "session" : "link",
  );
  handleSignedOut(() => setSignedOut(true));
  reloadSession = session.reload;
  if (token !== undefined)
    return (
      <SignIn
        token={token}
        onDone={() => {
          setToken(undefined);
          setSignedOut(false);
        }}
      />
    );
  if (session.value !== undefined && !isSignedOut) return <>{children(session.value)}</>;
  if (session.error === undefined && !isSignedOut) return <Loading />;
  return (
    <Page title={texts.signIn.title}>
      <p>{texts.signIn.expired}</p>
      {session.error !== undefined && session.error.status !== 401 && <ErrorNotice error={session.error} />}
      <p>{texts.signIn.how}</p>
      <pre>crm-integrations console</pre>
    </Page>
  );
}

/** Asks before it uses the token, because programs that check links open them. */
function SignIn({ token, onDone }: { readonly token: string; onDone(): void }) {
  const signIn = useAction(() => call("POST", "session", { body: { token } }));
  return (
    <Page title={texts.signIn.title}>
      <p>{texts.signIn.confirm}</p>
      {signIn.error && <ErrorNotice error={signIn.error} focus />}
      <button
        type="button"
        class="primary"
        disabled={signIn.isRunning}
        onClick={async () => {
          if ((await signIn.run()) !== undefined) onDone();
        }}
      >
        {texts.signIn.button}
      </button>
    </Page>
  );
}
