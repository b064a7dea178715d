import { command, type ProgramCommand } from "../cli/command.ts";
import { booleanSetting, enumSetting, stringSetting } from "../cli/setting.ts";
import { tableText } from "../cli/table.ts";
import { Failure, UsageError } from "../cli/usage.ts";
import { type OpenTenant, tenantSettings, withTenant } from "../tenants/tenant.ts";

type Shown = Readonly<Record<string, unknown>> & { readonly id: string };
type ShownUser = Shown & { readonly role: string; readonly active: boolean };

const userList = command({
  name: "user list",
  summary: "List the users of a tenant",
  settings: { ...tenantSettings, json: booleanSetting("as JSON") },
  examples: ["crm-integrations user list"],
  async run({ json, ...place }) {
    const { data } = (await withTenant(place, ({ call }) => call("listUsers"))).body as { data: Shown[] };
    const text = json
      ? `${JSON.stringify(data, null, 2)}\n`
      : tableText(data, ["id", "name", "email", "role", "active"]);
    process.stdout.write(text);
  },
});

const userAdd = command({
  name: "user add",
  summary: "Add a user: an admin makes keys and owns what nobody else does",
  settings: {
    ...tenantSettings,
    name: stringSetting("NAME", "the user's name"),
    email: stringSetting("EMAIL", "the user's e-mail address"),
    role: enumSetting(["admin", "member"], "what the user may do", "member"),
  },
  examples: ["crm-integrations user add --name 'Ana Silva' --email ana@acme.example --role admin"],
  async run({ name, email, role, ...place }) {
    if (name === undefined || email === undefined)
      throw new UsageError("user add needs --name NAME and --email EMAIL.");
    const made = await withTenant(place, ({ call }) => call("createUser", { body: { name, email, role } }));
    process.stdout.write(`Added ${(made.body as { data: Shown }).data.email}.\n`);
  },
});

const userDisable = changing("user disable", "Let a user do nothing any more; what the user owns stays", {
  active: false,
});
const userEnable = changing("user enable", "Let a user in again", { active: true });

export const userCommands: readonly ProgramCommand[] = [userAdd, userList, userDisable, userEnable];

function changing(name: string, summary: string, body: Readonly<Record<string, unknown>>): ProgramCommand {
  return command({
    name,
    summary,
    operands: "<EMAIL>",
    settings: tenantSettings,
    examples: [`crm-integrations ${name} ana@acme.example`],
    async run(place, [email = ""]) {
      await withTenant(place, async ({ call }) => {
        const { data } = (await call("listUsers", { query: { email } })).body as { data: ShownUser[] };
        const [user] = data;
        if (user === undefined) throw new Failure(`There is no user ${email}.`);
        if (body.active === false) await assertNotLastAdmin(user, call);
        await call("updateUser", { params: { id: user.id }, body });
        process.stdout.write(`${email} is ${body.active === true ? "active" : "not active any more"}.\n`);
      });
    },
  });
}

/** A tenant without an active admin can't manage its API keys over the API. @throws Failure */
async function assertNotLastAdmin({ id, role, active, email }: ShownUser, call: OpenTenant["call"]): Promise<void> {
  if (role !== "admin" || !active) return;
  const { data } = (await call("listUsers", { query: { active: "true" } })).body as { data: ShownUser[] };
  if (data.some((other) => other.role === "admin" && other.id !== id)) return;
  throw new Failure(`${email} is the last active admin of this tenant. Add or enable another admin first.`);
}
