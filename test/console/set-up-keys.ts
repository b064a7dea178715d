import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { checkAccessible, checkWidth } from "./browser.ts";
import { field, group, press, success } from "./forms.ts";
import {
  archiveAndRestore,
  confirm,
  create,
  type DeclareTest,
  openList,
  type SetUpRecord,
  save,
} from "./set-up-steps.ts";

/** Integrations and their API keys. */
export function testKeys(consoleTest: DeclareTest): void {
  consoleTest("integrations are created and changed; keys are generated, rotated and revoked", async (crm) => {
    const { page, send, url } = crm;
    const canUse = async (key: string) =>
      (await fetch(`${url}/integrations/v1/me`, { headers: { "x-api-key": key } })).status;
    await openList(page, "Integrations and keys");
    const cell = page.getByRole("row", { name: /^ERP sync/ }).locator('[data-label="Scopes"]');
    assert.ok(((await cell.boundingBox())?.height ?? 0) < 40, "a row has one line");
    await cell.hover();
    assert.match((await cell.getAttribute("title")) ?? "", /users:read/);
    await page.getByRole("link", { name: "New integration" }).click();
    await field(page, "Name").fill("Newsletter");
    await group(page, "Scopes").getByLabel("contacts:read").check();
    const id = await create(page, "Newsletter");
    const tab = (name: string) => page.getByRole("tab", { name, exact: true });
    await tab("Permissions").click();
    await group(page, "Scopes").getByLabel("accounts:read").check();
    await save(page);
    const { scopes } = await send<SetUpRecord>("GET", `/admin/integrations/${id}`);
    assert.deepEqual(new Set(scopes as string[]), new Set(["contacts:read", "accounts:read"]));

    const keys = page
      .locator("main section")
      .filter({ has: page.getByRole("heading", { level: 2, name: "API keys" }) });
    const created = keys.getByRole("region", { name: "Your new API key" });
    const generate = async () => {
      await press(keys, "Generate a key");
      await created.waitFor();
      return created.getByRole("textbox", { name: "API key" }).inputValue();
    };
    await tab("API keys").click();
    const first = await generate();
    assert.equal(await canUse(first), 200);
    assert.match(
      await created.getByRole("textbox", { name: "Command that tries the key" }).inputValue(),
      new RegExp(`^curl .*${first}`),
    );
    await checkAccessible(page);
    await checkWidth(page);
    await crm.context.grantPermissions(["clipboard-read", "clipboard-write"]);
    await press(created, "Copy API key");
    await created.getByText("Copied.").waitFor();
    assert.equal(await page.evaluate("navigator.clipboard.readText()"), first);
    await press(created, "I have stored the key");
    await created.waitFor({ state: "detached" });
    await page.reload();
    await keys.getByRole("row").nth(1).waitFor();
    assert.ok(!(await page.content()).includes(first), "the key is shown once");

    const second = await generate();
    assert.notEqual(second, first);
    assert.deepEqual([await canUse(first), await canUse(second)], [200, 200]);
    await press(created, "I have stored the key");
    const oldest = keys.getByRole("row").last();
    await oldest.getByRole("button", { name: /^Revoke / }).click();
    await confirm(page, "Revoke");
    await keys.getByText(/ is revoked\.$/).waitFor();
    assert.deepEqual([await canUse(first), await canUse(second)], [401, 200]);
    await keys.getByRole("button", { name: "Revoke all keys" }).click();
    await confirm(page, "Revoke all keys");
    await keys.getByText("All keys are revoked.").waitFor();
    await keys.getByRole("button", { name: "Revoke all keys" }).waitFor({ state: "detached" });
    assert.equal(await canUse(second), 401);

    await archiveAndRestore(crm, "Integrations and keys", "Newsletter");
    await success(page, "Restored.");
    assert.equal(await canUse(first), 401);
  });

  consoleTest("the first request of an integration succeeds without a change and writes nothing", async (crm) => {
    const { page, send, url } = crm;
    const scopes = ["accounts:read", "accounts:write"];
    const body = { name: "First steps", scopes };
    const { key, integrationId } = await send<Record<"key" | "integrationId", string>>(
      "POST",
      "/api-key/generate",
      body,
    );
    const hook = { integrationId, url: "https://example.com/first-steps", types: ["account.*"] };
    await send("POST", "/admin/webhooks", hook);
    await page.goto(`${url}/console/#/integrations/${integrationId}?tab=webhooks`);
    await page.getByRole("table", { name: "Webhooks" }).getByRole("link", { name: hook.url }).waitFor();
    await page.getByRole("tab", { name: "Overview" }).click();
    const command = page.getByRole("region", { name: "A first request" }).getByRole("textbox", { name: "Command" });
    await page.getByText("It checks a new record", { exact: false }).waitFor();
    const count = async () => (await send<readonly unknown[]>("GET", "/v1/accounts?limit=200")).length;
    const before = await count();
    const text = (await command.inputValue()).replace("YOUR_API_KEY", key);
    const { stdout } = await promisify(execFile)("sh", ["-c", text]);
    const { data } = JSON.parse(stdout) as { readonly data: { readonly customFields: { readonly segment: string } } };
    assert.equal(data.customFields.segment, "SMB", "the demo company requires a segment");
    assert.equal(await count(), before);
    await page.getByRole("tab", { name: "Requests" }).click();
    await page.getByText("No request of this integration has failed in the last days.").waitFor();
    await checkAccessible(page);
    await checkWidth(page);
  });
}
