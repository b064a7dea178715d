import { readFile } from "node:fs/promises";
import { buffer } from "node:stream/consumers";
import { command } from "../cli/command.ts";
import { Failure } from "../cli/errors.ts";
import { booleanSetting } from "../cli/setting.ts";
import { type PlanStep, planSettings, type Settings } from "../tenants/settings-plan.ts";
import { tenantSettings, withTenant } from "../tenants/tenant.ts";

const symbols = { add: "+", change: "~", archive: "-" } as const;

export const applyCommand = command({
  name: "apply",
  summary: "Change the set-up of a tenant to that of a settings file",
  details:
    "The file has the format of a tenant file. Its users, pipelines, customFields, rules, integrations and grants are applied; " +
    "its records and API keys are ignored. Use - for stdin. Lists that the file doesn't have are left unchanged. Applying " +
    "a file twice changes nothing.",
  operands: "<FILE>",
  settings: {
    ...tenantSettings,
    dryRun: booleanSetting("print the plan without changing anything"),
    prune: booleanSetting("archive what the lists of the file don't contain"),
    json: booleanSetting("print JSON: a list of action, kind, name, fields"),
  },
  examples: ["crm-integrations apply settings.json --dry-run", "crm-integrations apply settings.json --prune"],
  async run({ dryRun, prune, json, ...tenantValues }, [file = ""]) {
    const settings = await readSettings(file);
    await withTenant(tenantValues, async ({ call }) => {
      const steps = await planSettings(settings, prune, call);
      if (!json) process.stdout.write(steps.map(describeStep).join(""));
      if (!dryRun) await runSteps(steps);
      process.stdout.write(json ? `${JSON.stringify(steps, null, 2)}\n` : `${summarize(steps, dryRun)}\n`);
    });
  },
});

/** @throws Failure */
async function readSettings(file: string): Promise<Settings> {
  let settings: unknown;
  try {
    settings = JSON.parse(String(file === "-" ? await buffer(process.stdin) : await readFile(file)));
  } catch (error) {
    throw new Failure(`${file}: ${(error as Error).message}`);
  }
  if (typeof settings !== "object" || settings === null || Array.isArray(settings))
    throw new Failure(`${file}: A settings file is a JSON object with lists such as users and pipelines.`);
  return settings as Settings;
}

function describeStep({ action, kind, name, fields }: PlanStep): string {
  return `${symbols[action]} ${kind} ${name}${fields === undefined ? "" : `: ${fields.join(", ")}`}\n`;
}

/** @throws Failure if a step fails. Earlier steps remain applied. */
async function runSteps(steps: readonly PlanStep[]): Promise<void> {
  for (const [index, step] of steps.entries()) {
    try {
      await step.run();
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      const applied = `${index} of ${steps.length} changes were applied. Correct the file and apply it again.`;
      throw new Failure(`${step.kind} ${step.name}: ${error.message}\n  ${applied}`);
    }
  }
}

function summarize(steps: readonly PlanStep[], isDryRun: boolean): string {
  if (steps.length === 0) return "The set-up is up to date.";
  const count = (action: PlanStep["action"]) => steps.filter((step) => step.action === action).length;
  const [added, changed, archived] = [count("add"), count("change"), count("archive")];
  if (isDryRun) return `Plan: ${added} to add, ${changed} to change, ${archived} to archive. Nothing was changed.`;
  return `Added ${added}, changed ${changed}, archived ${archived}.`;
}
