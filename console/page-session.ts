/** The signed-in admin. */
export type Session = {
  readonly id: string;
  readonly user: { readonly id: string; readonly name: string; readonly email: string | null };
  readonly tenant: { readonly id: string; readonly name: string };
  readonly expiresAt: string;
  /** Whether the server has passkeys at this address. */
  readonly passkeys: boolean;
};

/** The headers of a request of a page that shows this session. The server rejects it if the browser has another one. */
export function sessionHeaders({ tenant, user }: Session): Readonly<Record<string, string>> {
  return { "console-session": `${tenant.id}/${user.id}` };
}
