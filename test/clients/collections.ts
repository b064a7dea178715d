import assert from "node:assert/strict";
import { globSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { signAdminToken } from "#lib";
import { serveDemo } from "../support/serve-demo.ts";
import { command, folder, installed } from "./languages.ts";

/** The base URL without its version, its API key and an admin token. */
type Target = { readonly url: string; readonly apiKey: string; readonly adminToken: string };
/** A request of an imported collection and its response. */
type Sent = { readonly name: string; readonly status: number; readonly body: unknown };

const description = resolve("docs/openapi.json");
const adminSecret = "0123456789abcdef0123456789abcdef";
const admin = { tenantId: "01943aa0-bc00-7f06-b989-aece882520fc", userId: "01943aa2-bd4a-7513-bffe-033db0871959" };

/** The server has logged no request with the ID of the examples. */
const noEntry = "404 There is no entry with this request ID. Entries are removed after some days.";
/** Tenant files have no webhooks. Integrations and admins have the same requests, apart from two. */
const noWebhook = "404 No webhook with this ID.";
const webhookRequests = [
  "Archive a webhook",
  "Retrieve a webhook",
  "Rotate the secret of a webhook",
  "Send a test event to a webhook",
  "Send one event to a webhook again",
  "Update a webhook",
];
/** The demo requires the custom field `segment`. The examples don't have it, because other tenants reject it. */
const withoutSegment = "422 customFields.segment is required (one of: SMB, Mid-Market, Enterprise).";
const expectedFailures = [
  "Archive a pipeline: 409 The pipeline has open opportunities (N). Move or close them first.",
  `Create an account: ${withoutSegment}`,
  `Create or update an account: ${withoutSegment}`,
  `Retrieve a request of a tenant: ${noEntry}`,
  `Retrieve an own request: ${noEntry}`,
  "Start a backup: 404 Only the person who runs this server can make backups: it has several tenants, or its database " +
    "isn't in a data folder.",
  ...[...webhookRequests, ...webhookRequests, "List what happened to a webhook", "Restore a webhook"].map(
    (name) => `${name}: ${noWebhook}`,
  ),
].sort();

/** Imports docs/openapi.json into a tool and sends all requests of the collection. */
const imports: Readonly<Record<string, (target: Target) => readonly Sent[]>> = {
  postman({ url, apiKey, adminToken }) {
    const options = "parametersResolution=Example,enableOptionalParameters=false";
    const collection = join(folder, "postman.json");
    const converter = installed("openapi-to-postmanv2@6.3.3", "openapi2postmanv2");
    command(converter, ["-s", description, "-o", collection, "-O", options]);
    // The converter ignores the base URL of the requests of admins.
    const { item: folders, ...rest } = readJson<{ item: readonly { name: string }[] }>(collection);
    const item = folders.map((each) => (["admin", "api-key"].includes(each.name) ? withAdminUrl(each) : each));
    writeFileSync(collection, JSON.stringify({ ...rest, item }));
    const [newman, report] = [installed("newman@6.2.2"), join(folder, "newman.json")];
    const urls = [`baseUrl=${url}/v1`, `adminUrl=${url}`];
    const variables = envVars([...urls, `apiKey=${apiKey}`, `bearerToken=${adminToken}`]);
    command(newman, ["run", collection, ...variables, "--reporters", "json", "--reporter-json-export", report]);
    const { executions } = readJson<{ run: { executions: readonly PostmanResult[] } }>(report).run;
    return executions.map(({ item: { name }, response: { code, stream } }) => {
      return { name, status: code, body: parsed(Buffer.from(stream.data).toString()) };
    });
  },
  bruno({ url, apiKey, adminToken }) {
    const bru = installed("@usebruno/cli@4.1.0", "bru");
    const [cwd, report] = [join(folder, "bruno"), join(folder, "bruno.json")];
    command(bru, ["import", "openapi", "--source", description, "--output", cwd]);
    for (const file of globSync(`${cwd}/*/*.yml`)) writeFileSync(file, edited(readFileSync(file, "utf8"), url));
    const variables = envVars([`baseUrl=${url}/v1`, `apiKey=${apiKey}`, `token=${adminToken}`]);
    command(bru, ["run", "-r", ...variables, "--reporter-json", report], { cwd });
    const [{ results } = { results: [] }] = readJson<readonly { results: readonly BrunoResult[] }[]>(report);
    return results.map(({ name, response }) => ({ name, status: response.status, body: response.data }));
  },
};

type PostmanResult = {
  readonly item: { readonly name: string };
  readonly response: { readonly code: number; readonly stream: { readonly data: readonly number[] } };
};
type BrunoResult = { readonly name: string; readonly response: { readonly status: number; readonly data: unknown } };

/** The names of the tools. */
export const collectionTools = Object.keys(imports);

/** Starts a server with the demo tenant. Throws if a request of the imported collection fails unexpectedly. */
export async function tryCollection(tool: string): Promise<void> {
  const served = await serveDemo(undefined, "--admin-secret", adminSecret);
  try {
    const issuedAt = Math.floor(Date.now() / 1000);
    const auth = { issuer: "crm-integrations", audience: "crm-integrations-admin", secret: Buffer.from(adminSecret) };
    const adminToken = await signAdminToken(auth, admin, { issuedAt, expiresAt: issuedAt + 600 });
    const target = { url: `${served.url}/integrations`, apiKey: served.keys[0]?.key ?? "", adminToken };
    const sent = imports[tool]?.(target) ?? [];
    assert.equal(sent.length, operationCount(), "number of requests");
    const failed = sent.filter(({ status }) => !(status >= 200 && status < 300));
    assert.deepEqual(failed.map(describe).sort(), expectedFailures);
  } finally {
    await served.stop();
  }
}

function describe({ name, status, body }: Sent): string {
  const message = (body as { error?: { message: string } } | undefined)?.error?.message;
  // Bruno adds the method to a name that two requests have.
  return `${name.replace(/ \([A-Z]+\)$/, "")}: ${status} ${message?.replace(/\(\d+\)/, "(N)")}`;
}

function operationCount(): number {
  const { paths } = readJson<{ paths: Readonly<Record<string, object>> }>(description);
  return Object.values(paths).flatMap((path) => Object.keys(path).filter((key) => key !== "servers")).length;
}

/**
 * Edits an imported request of Bruno as a user does: sets the base URL of the requests of admins, and toggles the
 * required query parameters, which Bruno doesn't send before.
 */
function edited(request: string, url: string): string {
  const [sent = ""] = request.split("\nexamples:");
  const parameters = [...sent.matchAll(/- name: (\w+)\n +value: "?([^"\n]*)"?\n +type: query\n((?: {6}.*\n)*)/g)];
  const enabled = parameters.filter(([, , , rest = ""]) => !rest.includes("disabled: true"));
  const query = enabled.map(([, name, value]) => `${name}=${value}`).join("&");
  const complete = query === "" ? request : request.replace(/^( +url: "[^"]*)"/m, `$1?${query}"`);
  return complete.replace("value: /integrations\n", `value: ${url}\n`);
}

function withAdminUrl(folder: object): object {
  return JSON.parse(JSON.stringify(folder).replaceAll("{{baseUrl}}", "{{adminUrl}}"));
}

function envVars(variables: readonly string[]): readonly string[] {
  return variables.flatMap((variable) => ["--env-var", variable]);
}

function parsed(text: string): unknown {
  return text === "" ? undefined : JSON.parse(text);
}

function readJson<T>(file: string): T {
  return JSON.parse(readFileSync(file, "utf8"));
}
