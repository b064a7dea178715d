import { readFile } from "node:fs/promises";
import type { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { createApi, type Storage } from "#lib";
import { tenantFileSchema } from "#lib/tenant-file";
import { suggestName } from "#lib/transfer";
import { command } from "../cli/command.ts";
import { Failure } from "../cli/errors.ts";
import { booleanSetting } from "../cli/setting.ts";
import { systemErrorReason } from "../cli/system-error.ts";
import { dryRunStorage } from "../tenants/dry-run-storage.ts";
import { type PlanStep, planSettings, type Settings } from "../tenants/settings-plan.ts";
import { type OpenTenant, tenantSettings, withTenant } from "../tenants/tenant.ts";

const symbols = { add: "+", change: "~", archive: "-" } as const;

export const applyCommand = command({
  name: "apply",
  summary: "Change the set-up of a tenant to that of a settings file",
  details:
    "The file has the format of a tenant file. Its users, pipelines, customFields, rules, integrations and grants are applied; " +
    "its records and API keys are ignored. Use - for stdin. Lists that the file doesn't have are left unchanged. All changes " +
    "are checked first: a file with errors changes nothing. Applying the same file again changes nothing.",
  operands: "<FILE>",
  settings: {
    ...tenantSettings,
    dryRun: booleanSetting("print the plan without changing anything"),
    prune: booleanSetting("archive what the lists of the file don't contain"),
    json: booleanSetting("print JSON: a list of action, kind, name, fields"),
  },
  examples: ["crm-integrations apply settings.json --dry-run", "crm-integrations apply settings.json --prune"],
  async run({ dryRun, prune, json, ...tenantValues }, [file = ""], program) {
    const settings = await readSettings(file, program.stdin);
    const plan = ({ call }: OpenTenant) => planSettings(settings, prune, call);
    const inMemory = (storage: Storage) => createApi({ storage: dryRunStorage(storage) });
    const checked = await withTenant(tenantValues, program, async (tenant) => checkSteps(await plan(tenant)), inMemory);
    const steps = dryRun
      ? checked
      : await withTenant(tenantValues, program, async (tenant) => runSteps(await plan(tenant)));
    const text = `${steps.map(describeStep).join("")}${summarize(steps, dryRun)}\n`;
    program.stdout.write(json ? `${JSON.stringify(steps, null, 2)}\n` : text);
  },
});

/** @throws Failure */
async function readSettings(file: string, stdin: Readable): Promise<Settings> {
  let settings: unknown;
  try {
    settings = JSON.parse(String(file === "-" ? await buffer(stdin) : await readFile(file)));
  } catch (error) {
    throw new Failure(`Cannot read ${file}: ${systemErrorReason(error)}.`);
  }
  if (typeof settings !== "object" || settings === null || Array.isArray(settings))
    throw new Failure(`${file}: A settings file is a JSON object with lists such as users and pipelines.`);
  const known = Object.keys(tenantFileSchema.entries);
  const unknown = Object.keys(settings).filter((name) => !known.includes(name));
  const messages = unknown.map((name) => `Unknown list "${name}"${suggestName(name, known)}.`);
  if (messages.length > 0) throw new Failure(`${file}: ${messages.join("\n  ")}`);
  return settings as Settings;
}

function describeStep({ action, kind, name, fields }: PlanStep): string {
  return `${symbols[action]} ${kind} ${name}${fields === undefined ? "" : `: ${fields.join(", ")}`}\n`;
}

/** Runs all steps in memory and returns them. @throws Failure with the errors of all steps that fail */
async function checkSteps(steps: readonly PlanStep[]): Promise<readonly PlanStep[]> {
  const messages: string[] = [];
  for (const step of steps) {
    const error = await runStep(step);
    if (error !== undefined) messages.push(error);
  }
  if (messages.length === 0) return steps;
  throw new Failure([...messages, "Nothing was changed. Correct the file and apply it again."].join("\n  "));
}

/** Returns the steps. @throws Failure if a step fails, because the set-up has changed since the check */
async function runSteps(steps: readonly PlanStep[]): Promise<readonly PlanStep[]> {
  for (const [index, step] of steps.entries()) {
    const error = await runStep(step);
    if (error === undefined) continue;
    throw new Failure(`${error}\n  ${index} of ${steps.length} changes were applied. Apply the file again.`);
  }
  return steps;
}

/** Returns the message if the step fails. */
async function runStep({ kind, name, run }: PlanStep): Promise<string | undefined> {
  try {
    await run();
    return undefined;
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return `${kind} ${name}: ${error.message}`;
  }
}

function summarize(steps: readonly PlanStep[], isDryRun: boolean): string {
  if (steps.length === 0) return "The set-up is up to date.";
  const count = (action: PlanStep["action"]) => steps.filter((step) => step.action === action).length;
  const [added, changed, archived] = [count("add"), count("change"), count("archive")];
  if (isDryRun) return `Plan: ${added} to add, ${changed} to change, ${archived} to archive. Nothing was changed.`;
  return `Added ${added}, changed ${changed}, archived ${archived}.`;
}
