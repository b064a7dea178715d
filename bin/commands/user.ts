import { command, type ProgramCommand } from "../cli/command.ts";
import { Failure, UsageError } from "../cli/errors.ts";
import { formatTable } from "../cli/format.ts";
import { booleanSetting, enumSetting, stringSetting } from "../cli/setting.ts";
import { tenantSettings, withTenant } from "../tenants/tenant.ts";

type UserSummary = Readonly<Record<string, unknown>> & { readonly id: string };

const userList = command({
  name: "user list",
  summary: "List the users of a tenant",
  settings: { ...tenantSettings, json: booleanSetting("print JSON") },
  examples: ["crm-integrations user list"],
  async run({ json, ...tenantValues }, _operands, program) {
    const { data } = (await withTenant(tenantValues, program, ({ call }) => call("listUsers"))).body as {
      data: UserSummary[];
    };
    const text = json
      ? `${JSON.stringify(data, null, 2)}\n`
      : formatTable(data, ["id", "name", "email", "role", "active"]);
    program.stdout.write(text);
  },
});

const userAdd = command({
  name: "user add",
  summary: "Add a user; admins manage API keys and are the default record owners",
  settings: {
    ...tenantSettings,
    name: stringSetting("NAME", "name of the user"),
    email: stringSetting("EMAIL", "email address of the user"),
    role: enumSetting(["admin", "member"], "role of the user", "member"),
  },
  examples: ["crm-integrations user add --name 'Ana Silva' --email ana@acme.example --role admin"],
  async run({ name, email, role, ...tenantValues }, _operands, program) {
    if (name === undefined || email === undefined)
      throw new UsageError("user add requires --name NAME and --email EMAIL.");
    const { body } = await withTenant(tenantValues, program, ({ call }) =>
      call("adminCreateUser", { body: { name, email, role } }, { "/name": "--name", "/email": "--email" }),
    );
    program.stdout.write(`Added ${(body as { data: UserSummary }).data.email}.\n`);
  },
});

const userDisable = activation("user disable", "Disable a user; records of the user are unchanged", {
  active: false,
});
const userEnable = activation("user enable", "Enable a disabled user", { active: true });

export const userCommands: readonly ProgramCommand[] = [userAdd, userList, userDisable, userEnable];

/** Defines a command that sets `active` of a user. */
function activation(name: string, summary: string, body: Readonly<Record<string, unknown>>): ProgramCommand {
  return command({
    name,
    summary,
    operands: "<EMAIL>",
    settings: tenantSettings,
    examples: [`crm-integrations ${name} ana@acme.example`],
    async run(tenantValues, [email = ""], program) {
      await withTenant(tenantValues, program, async ({ call }) => {
        const { data } = (await call("listUsers", { query: { email } })).body as { data: UserSummary[] };
        const [user] = data;
        if (user === undefined) throw new Failure(`No user with the email address ${email}.`);
        await call("adminUpdateUser", { params: { id: user.id }, body });
        program.stdout.write(`${email} is ${body.active === true ? "active" : "disabled"}.\n`);
      });
    },
  });
}
