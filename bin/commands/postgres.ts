import { command } from "../cli/command.ts";
import { UsageError } from "../cli/errors.ts";
import { booleanSetting } from "../cli/setting.ts";
import { databaseSettings } from "../database/database.ts";
import { postgresDistributionSql, queryPostgres } from "../database/postgres-database.ts";

export const postgresDistributeCommand = command({
  name: "postgres distribute",
  summary: "Distribute the tables of a PostgreSQL database by tenant with Citus",
  details:
    "Run it after the first init or serve, while no server runs. It distributes all tables or none, and later only new " +
    "ones. Citus adds capacity: a commit takes several times longer than on plain PostgreSQL.",
  settings: {
    database: databaseSettings.database,
    dryRun: booleanSetting("print the SQL without running it"),
  },
  examples: [
    "crm-integrations postgres distribute --dry-run",
    "crm-integrations postgres distribute --database postgres://crm@localhost/crm",
  ],
  async run({ database, dryRun }, _operands, { stdout }) {
    if (dryRun) {
      const statements = await postgresDistributionSql();
      stdout.write(statements.map((sql) => `${sql};\n`).join(""));
      return;
    }
    if (database === undefined) throw new UsageError("postgres distribute requires --database URL.");
    const tables = await queryPostgres(database, (client, { distributeTables }) => distributeTables(client));
    stdout.write(tables.length === 0 ? "All tables are distributed already.\n" : `Distributed ${tables.join(", ")}.\n`);
  },
});
