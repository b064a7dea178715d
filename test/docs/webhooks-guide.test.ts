import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import { pathToFileURL } from "node:url";
import { Webhook } from "standardwebhooks";
import { startTestCrm } from "../../lib/testing/index.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const guide = readFileSync("docs/guides/webhooks.md", "utf8");
const block = (language: string): string =>
  new RegExp(`^\`\`\`${language}\n([\\s\\S]*?is_?[Ss]igned[\\s\\S]*?)^\`\`\`$`, "m").exec(guide)?.[1] ?? "";
const folder = temporaryFolder();

// The reference libraries compare the time of a message with the clock of the machine.
const crm = await startTestCrm({ now: Date.now() });
after(() => crm.close());
const { id, secret } = await crm.client.webhooks.create({ url: "https://hooks.acme.example/crm", skipOwn: false });
await crm.client.tasks.create({ title: "Call Åsa" });
crm.webhooks.addFault({ status: 503 });
await crm.webhooks.deliver();
const rotated = await crm.client.webhooks.rotateSecret(id);
crm.clock.advance(6_000);
await crm.webhooks.deliver();
const now = crm.clock.now();
const [first, second] = crm.webhooks.sent;
assert.ok(first !== undefined && second !== undefined && secret !== null && rotated.secret !== null);
/** Secret, message, its body, the time in seconds, and whether the receiver accepts it. */
const cases = [
  [secret, first, first.body, now / 1000, true],
  [rotated.secret, first, first.body, now / 1000, false],
  [secret, second, second.body, now / 1000, true],
  [rotated.secret, second, second.body, now / 1000, true],
  [secret, second, `${second.body} `, now / 1000, false],
  [secret, second, second.body, now / 1000 + 400, false],
] as const;

test("the test CRM sends an event again after a fault, with the same webhook-id", () => {
  assert.deepEqual(
    crm.webhooks.sent.map(({ status }) => status),
    [503, 204],
  );
  assert.equal(first.headers["webhook-id"], second.headers["webhook-id"]);
});

test("the TypeScript receiver of the guide accepts signed messages only, also during a rotation", async () => {
  const file = join(folder, "receiver.ts");
  writeFileSync(file, block("ts"));
  const { isSigned } = await import(pathToFileURL(file).href);
  for (const [key, message, body, seconds, isAccepted] of cases)
    assert.equal(isSigned(key, message.headers, body, seconds * 1000), isAccepted);
});

const hasPython = spawnSync("python3", ["--version"]).status === 0;

test("the Python receiver of the guide accepts signed messages only, also during a rotation", {
  skip: hasPython ? false : "python3 isn't installed",
}, () => {
  const calls = cases.map(([key, { headers }, body, seconds]) => [key, headers, body, seconds]);
  const main = "import json, sys\nprint(json.dumps([is_signed(*each) for each in json.load(sys.stdin)]))";
  const { stdout, stderr } = spawnSync("python3", ["-c", `${block("python")}\n${main}`], {
    input: JSON.stringify(calls),
  });
  assert.equal(stderr.toString(), "");
  assert.deepEqual(
    JSON.parse(stdout.toString()),
    cases.map((each) => each[4]),
  );
});

/** Those with the time of the machine. */
const current = cases.filter(([, , , seconds]) => seconds === now / 1000);

test("the reference library of Standard Webhooks for TypeScript accepts the same messages, also during a rotation", () => {
  for (const [key, { headers }, body, , isAccepted] of current) {
    const verify = () => new Webhook(key).verify(body, headers);
    if (isAccepted) assert.deepEqual(verify(), JSON.parse(body));
    else assert.throws(verify, { message: "No matching signature found" });
  }
  assert.deepEqual([...current.map((each) => each[4])].sort(), [false, false, true, true, true]);
});

test("the reference library of Standard Webhooks for Python accepts the same messages", (t) => {
  const python = join(folder, "python", "bin", "python");
  const install = spawnSync("python3", ["-m", "venv", join(folder, "python")]);
  const pip = ["-m", "pip", "install", "--quiet", "standardwebhooks==1.1.0"];
  if (install.status !== 0 || spawnSync(python, pip, { timeout: 120_000 }).status !== 0) {
    t.skip("the library can't be installed from the Python package index");
    return;
  }
  const main = `
import json, sys
from standardwebhooks import Webhook, WebhookVerificationError
def is_signed(secret, headers, body):
    try:
        return Webhook(secret).verify(body, headers) is not None
    except WebhookVerificationError:
        return False
print(json.dumps([is_signed(*each) for each in json.load(sys.stdin)]))`;
  const input = JSON.stringify(current.map(([key, { headers }, body]) => [key, headers, body]));
  const { stdout, stderr } = spawnSync(python, ["-c", main], { input });
  assert.equal(stderr.toString(), "");
  assert.deepEqual(
    JSON.parse(stdout.toString()),
    current.map((each) => each[4]),
  );
});
