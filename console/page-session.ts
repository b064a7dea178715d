/** The signed-in admin. */
export type Session = {
  readonly id: string;
  readonly user: { readonly id: string; readonly name: string; readonly email: string | null };
  readonly tenant: { readonly id: string; readonly name: string };
  readonly expiresAt: string;
  /** Whether the server has passkeys at this address. */
  readonly passkeys: boolean;
};

/** The session that the page shows. Undefined before the sign-in. */
export let pageSession: Session | undefined;

/** Sets the session that the page shows. The server rejects requests of the page for any other session. */
export function setPageSession(session: Session): void {
  pageSession = session;
}

/** The headers of a request of a page that shows this session. The server rejects it if the browser has another one. */
export function sessionHeaders({ tenant, user }: Session): Readonly<Record<string, string>> {
  return { "console-session": `${tenant.id}/${user.id}` };
}
