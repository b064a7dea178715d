import type { CrmError } from "crm-integrations/client";
import { useEffect, useState } from "preact/hooks";
import { call, handleSessionEvents, read, resumeCalls, type Session } from "./api.ts";
import { pageSession, setPageSession } from "./page-session.ts";
import { hasPasskeys, signInWithPasskey } from "./passkeys.ts";
import { handleSignInToken, takeSignInToken } from "./route.ts";
import { texts } from "./texts.ts";
import { Dialog } from "./ui/dialog.tsx";
import { LanguageSwitch } from "./ui/language-switch.tsx";
import { useAction, useLoad } from "./ui/load.ts";
import { ErrorNotice, Loading } from "./ui/notice.tsx";
import { Page } from "./ui/page.tsx";

export type { Session };

/** Reads the session again, because the tenant or the user has changed. */
export let reloadSession = (): void => {};

const firstToken = takeSignInToken();

type SessionGateProps = { children(session: Session): preact.ComponentChildren };

/**
 * Shows its children if an admin is signed in, and the sign-in page otherwise. If the session ends, the children stay and
 * the user signs in over them.
 */
export function SessionGate({ children }: SessionGateProps) {
  const [token, setToken] = useState(firstToken);
  const [isEnded, setEnded] = useState(false);
  const [isRejected, setRejected] = useState(false);
  const [other, setOther] = useState<Session | undefined>();
  const session = useLoad(
    // Until the user has used the sign-in link of the address, another session must not be shown.
    async (signal) =>
      firstToken !== undefined && pageSession === undefined ? undefined : read<Session>("session", { signal }),
    "session",
  );
  const shown = session.value;
  if (shown !== undefined) setPageSession(shown);
  reloadSession = session.reload;
  handleSignInToken(() => setToken(takeSignInToken()));
  handleSessionEvents({ onEnded: () => setEnded(true), onRejected: () => setRejected(true), onOther: setOther });

  function open(opened: Session): void {
    setToken(undefined);
    setEnded(false);
    if (isRejected) {
      // Data that was loaded for another session must not be shown.
      location.reload();
    } else if (shown !== undefined && !isSame(shown, opened)) {
      setOther(opened);
    } else {
      session.set(opened);
      resumeCalls();
    }
  }

  if (shown === undefined || isRejected) {
    if (shown === undefined && session.error === undefined && token === undefined) return <Loading />;
    return (
      <Page title={texts.signIn.title}>
        {token === undefined && <p>{texts.signIn.expired}</p>}
        <SignIn key={token} token={token} onSignedIn={open} />
        <LanguageSwitch token={token} />
      </Page>
    );
  }
  return (
    <>
      {children(shown)}
      {other && <OtherSession shown={shown} other={other} />}
      {!other && (isEnded || token !== undefined) && (
        <LastingDialog title={texts.signIn.title}>
          {token === undefined && <p>{texts.signIn.ended}</p>}
          <SignIn key={token} token={token} onSignedIn={open} />
        </LastingDialog>
      )}
    </>
  );
}

function isSame(a: Session, b: Session): boolean {
  return a.tenant.id === b.tenant.id && a.user.id === b.user.id;
}

/** A dialog that opens again when the user closes it with Escape. */
function LastingDialog(props: { readonly title: string; readonly children: preact.ComponentChildren }) {
  const [count, setCount] = useState(0);
  return <Dialog key={count} {...props} onClose={() => setCount(count + 1)} />;
}

/** Says that the browser has another session. Nothing of it is shown until the page is loaded again. */
function OtherSession({ shown, other }: { readonly shown: Session; readonly other: Session }) {
  const { title, text, button } = texts.otherSession;
  return (
    <LastingDialog title={title(other.tenant.name)}>
      <p>{text(other.user.name, shown.tenant.name, shown.user.name)}</p>
      <button type="button" class="primary" onClick={() => location.reload()}>
        {button(other.tenant.name)}
      </button>
    </LastingDialog>
  );
}

type SignInProps = { readonly token: string | undefined; onSignedIn(session: Session): void };

function SignIn({ token, onSignedIn }: SignInProps) {
  return token === undefined ? <HowToSignIn onSignedIn={onSignedIn} /> : <UseLink {...{ token, onSignedIn }} />;
}

/** Signs in with a passkey, and explains how to get a sign-in link. Notices a session that was opened in another tab. */
function HowToSignIn({ onSignedIn }: Pick<SignInProps, "onSignedIn">) {
  const session = useLoad((signal) => read<Session>("session", { signal }), "");
  const { value, error } = session;
  useEffect(() => {
    if (value !== undefined) onSignedIn(value);
  }, [value]);
  return (
    <>
      {error && error.status !== 401 && <ErrorNotice error={error} />}
      {error?.details.passkeys === true && hasPasskeys && (
        <SignInButton label={texts.signIn.passkey} signIn={signInWithPasskey} onSignedIn={onSignedIn} />
      )}
      <LinkHelp error={error} />
      <p>{texts.signIn.open}</p>
      <button type="button" disabled={session.isLoading} onClick={session.reload}>
        {texts.signIn.continue}
      </button>
    </>
  );
}

/** Explains how to get a sign-in link. The 401 of the server has the command that prints one. */
function LinkHelp({ error }: { readonly error: CrmError | undefined }) {
  const command = error?.details.signInCommand;
  return (
    <>
      {typeof command === "string" ? (
        <>
          <p>{texts.signIn.how}</p>
          <pre>{command}</pre>
        </>
      ) : (
        <p>{texts.signIn.whoHelps}</p>
      )}
      <p>{texts.signIn.invited}</p>
    </>
  );
}

/** Asks before it uses the token, because programs that check links open them. */
function UseLink({ token, onSignedIn }: { readonly token: string; onSignedIn(session: Session): void }) {
  const signIn = async () => (await call<Session>("POST", "session", { body: { token } })).data;
  return <SignInButton label={texts.signIn.button} isLink {...{ signIn, onSignedIn }} />;
}

type SignInButtonProps = {
  readonly label: string;
  readonly isLink?: boolean;
  signIn(): Promise<Session>;
  onSignedIn(session: Session): void;
};

/** A button that signs in, below the error of the last attempt. After a bad link, explains how to get another. */
function SignInButton({ label, isLink, signIn, onSignedIn }: SignInButtonProps) {
  const action = useAction(signIn, onSignedIn);
  const isBadLink = isLink && action.error?.status === 401;
  return (
    <>
      {isLink && !isBadLink && <p>{texts.signIn.confirm}</p>}
      {action.error && <ErrorNotice error={action.error} focus />}
      {isBadLink ? (
        <LinkHelp error={action.error} />
      ) : (
        <p>
          <button type="button" class="primary" disabled={action.isRunning} onClick={() => action.run()}>
            {label}
          </button>
        </p>
      )}
    </>
  );
}
