import { useState } from "preact/hooks";
import { call, read } from "../api.ts";
import { texts } from "../texts.ts";
import { formatTime } from "../ui/date-text.ts";
import { useAction, useLoad } from "../ui/load.ts";
import { ErrorNotice, LoadStatus, Notice, useMessage } from "../ui/notice.tsx";
import { Table } from "../ui/table.tsx";
import { RelativeTime } from "../ui/time.tsx";
import { describeBrowser } from "./browser-name.ts";
import { ConfirmButton } from "./confirm-button.tsx";
import { CopyText } from "./new-key.tsx";
import { type Passkey, Passkeys } from "./passkeys.tsx";
import type { ExtraProps } from "./resource.ts";

const text = texts.setUp.access;

type UserSession = {
  readonly id: string;
  readonly userAgent: string;
  readonly createdAt: string;
  readonly lastUsedAt: string;
  readonly expiresAt: string;
};

type Access = {
  readonly sessions: readonly UserSession[];
  readonly invitation: { readonly createdAt: string; readonly expiresAt: string } | null;
  readonly passkeys: readonly Passkey[];
};

/** The sessions and the passkeys of a user in the console, and the invitation to it. */
export function ConsoleAccess({ record, session }: ExtraProps) {
  const url = `api/admin/users/${record.id}/console-access`;
  const access = useLoad((signal) => read<Access>(url, { signal }), record.id);
  const [notice, setMessage] = useMessage();
  const { sessions = [], invitation = null, passkeys = [] } = access.value ?? {};
  const canSignIn = record.role === "admin" && record.active === true && !record.archivedAt;

  function reload(done?: string): void {
    setMessage(done);
    access.reload();
  }

  return (
    <section>
      <h2>{text.title}</h2>
      {notice}
      <LoadStatus of={access} />
      {access.value && (canSignIn || sessions.length > 0) && (
        <Sessions url={url} sessions={sessions} currentId={session.id} onEnded={() => reload(text.endedMessage)} />
      )}
      {access.value && (canSignIn || passkeys.length > 0) && (
        <Passkeys
          {...{ url, passkeys }}
          isOwn={record.id === session.user.id}
          isAvailable={session.passkeys}
          onChanged={reload}
        />
      )}
      {!canSignIn && <p>{text.onlyAdmins}</p>}
      {access.value && canSignIn && <Invite url={url} invitation={invitation} onChanged={reload} />}
    </section>
  );
}

type SessionsProps = {
  readonly url: string;
  readonly sessions: readonly UserSession[];
  /** ID of the session of this page. *Sign out* ends it. */
  readonly currentId: string;
  onEnded(): void;
};

function Sessions({ url, sessions, currentId, onEnded }: SessionsProps) {
  const end = useAction(({ id }: UserSession) => call("DELETE", `${url}/sessions/${id}`), onEnded);
  return (
    <>
      {end.error && <ErrorNotice error={end.error} focus />}
      <Table
        caption={text.sessions}
        rows={sessions}
        keyOf={({ id }) => id}
        empty={text.noSessions}
        columns={[
          {
            label: text.browser,
            render: ({ id, userAgent }) => (
              <>
                {describeBrowser(userAgent) ?? text.unknownBrowser}{" "}
                {id === currentId && <span class="tag">{text.current}</span>}
              </>
            ),
          },
          { label: text.signedIn, render: ({ createdAt }) => <RelativeTime iso={createdAt} /> },
          { label: texts.setUp.keys.lastUsed, render: ({ lastUsedAt }) => <RelativeTime iso={lastUsedAt} /> },
          { label: text.ends, render: ({ expiresAt }) => formatTime(expiresAt) },
          {
            label: text.end,
            render: (each) =>
              each.id !== currentId && (
                <ConfirmButton
                  label={text.end}
                  title={text.endTitle}
                  isRunning={end.isRunning}
                  onConfirm={() => end.run(each)}
                >
                  <p>{text.endEffect}</p>
                </ConfirmButton>
              ),
          },
        ]}
      />
    </>
  );
}

type InviteProps = Pick<Access, "invitation"> & { readonly url: string; onChanged(done?: string): void };

/** The token is null if the first response was lost and the server repeats it. */
type Created = { readonly token: string | null };

/** Creates a link that signs the user in once. The link can't be shown again. */
function Invite({ url, invitation, onChanged }: InviteProps) {
  const [created, setCreated] = useState<Created | undefined>();
  const finish = (result?: Created, done?: string): void => {
    setCreated(result);
    onChanged(done);
  };
  const create = useAction(
    () => call<Created>("POST", `${url}/invitation`, { body: {} }),
    ({ data }) => finish(data),
  );
  const withdraw = useAction(
    () => call("DELETE", `${url}/invitation`),
    () => finish(undefined, text.withdrawnMessage),
  );
  const isRunning = create.isRunning || withdraw.isRunning;
  return (
    <section class="card" aria-label={text.invitation}>
      <h3>{text.invitation}</h3>
      <p>{text.invitationHelp}</p>
      {[create, withdraw].map(({ error }, index) => error && <ErrorNotice key={index} error={error} focus />)}
      {created?.token === null && <p class="notice error">{text.lost}</p>}
      {created?.token && (
        <>
          <Notice focus>{text.shownOnce}</Notice>
          <CopyText label={text.link} value={`${location.origin}${location.pathname}#token=${created.token}`} />
        </>
      )}
      {invitation && !created && (
        <p>{text.pending(formatTime(invitation.createdAt), formatTime(invitation.expiresAt))}</p>
      )}
      <div class="actions">
        <button
          type="button"
          disabled={isRunning}
          onClick={() => {
            setCreated(undefined);
            void create.run();
          }}
        >
          {invitation === null ? text.invite : text.inviteAgain}
        </button>
        {invitation && (
          <ConfirmButton
            label={text.withdraw}
            title={text.withdrawTitle}
            isRunning={isRunning}
            onConfirm={withdraw.run}
          >
            <p>{text.withdrawEffect}</p>
          </ConfirmButton>
        )}
      </div>
    </section>
  );
}
