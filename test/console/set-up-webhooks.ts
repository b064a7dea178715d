import assert from "node:assert/strict";
import { createServer } from "node:http";
import { text } from "node:stream/consumers";
import type { TestContext } from "node:test";
import { type ConsoleTest, checkAccessible, checkWidth, settle } from "./browser.ts";
import { assertFieldError, field, press, screen, success } from "./forms.ts";
import { confirm, type DeclareTest, openList, type SetUpRecord, save } from "./set-up-steps.ts";

type Webhook = SetUpRecord & {
  readonly createdAt: string;
  readonly failures: number;
  readonly skipped: readonly unknown[];
  readonly pausedReason: string | null;
};

/**
 * Starts a receiver of webhooks, which responds with `status`. `arrived` waits until it has got this number of
 * messages.
 */
async function startReceiver(t: TestContext) {
  const types: string[] = [];
  let onMessage = (): void => {};
  const receiver = {
    status: 204,
    url: "",
    types,
    async arrived(count: number): Promise<void> {
      while (types.length < count) {
        await new Promise<void>((resolve) => {
          onMessage = resolve;
        });
      }
    },
  };
  const server = createServer(async (request, response) => {
    types.push(JSON.parse(await text(request)).type);
    response.writeHead(receiver.status).end();
    onMessage();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.after(() => server.close());
  receiver.url = `http://127.0.0.1:${(server.address() as { port: number }).port}/crm`;
  return receiver;
}

type Receiver = Awaited<ReturnType<typeof startReceiver>>;

/** Webhooks, on a server whose clock the test sets. */
export function testWebhooks(consoleTest: DeclareTest): void {
  consoleTest("webhooks are created, tested, changed, archived and restored; secrets are shown once", async (crm) => {
    const { page, t } = crm;
    const receiver = await startReceiver(t);
    await createWebhook(crm, receiver);
    await press(page, "Send a test");
    await success(page, await outcome(crm, 204));
    receiver.status = 500;
    await press(page, "Send a test");
    await page.locator(".notice.error").getByText("The receiver responded with status 500").waitFor();
    assert.deepEqual(receiver.types, ["webhook.test", "webhook.test"]);
    await field(page, "Description").fill("For the shop");
    await save(page);
    await page.getByRole("region", { name: "History" }).getByText("Description: empty").waitFor();
    await checkAccessible(page);
    await press(page, "Archive");
    await confirm(page, "Archive");
    await success(page, "Archived.");
    await page.reload();
    await settle(page);
    await page.getByRole("region", { name: "History" }).getByText("Archived").waitFor();
    await press(page, "Restore");
    await success(page, "Restored.");
    await press(page, "Archive");
    await confirm(page, "Archive");
    await success(page, "Archived.");
    await openList(page, "Webhooks");
    await page.getByText("There are no webhooks.").waitFor();
  });

  consoleTest("a webhook shows its failures in words; skipped events are sent again and a pause ends", async (crm) => {
    const { page, url, send, t } = crm;
    const receiver = await startReceiver(t);
    const { id } = await createWebhook(crm, receiver);
    const read = () => send<Webhook>("GET", `/admin/webhooks/${id}`);
    const stateIs = async (state: RegExp) => {
      await page.reload();
      await settle(page);
      await page.locator("dd").getByText(state).waitFor();
    };
    await stateIs(/^Delivering$/);
    receiver.status = 422;
    await send("POST", "/v1/tasks", { title: "Call" });
    for (const [index, seconds] of [6, 66, 330, 1_650].entries()) {
      await receiver.arrived(index + 1);
      await until(async () => (await read()).failures === index + 1);
      if (index === 0) await stateIs(/^Retrying since .+, next attempt .+/);
      await advance(url, seconds);
    }
    await until(async () => (await read()).skipped.length === 1);
    receiver.status = 204;
    await stateIs(/^Delivering$/);
    await checkAccessible(page);
    await checkWidth(page);
    await press(page, "Send again task.created");
    await page.getByText("No event was skipped.").waitFor();
    await success(page, await outcome(crm, 204));

    receiver.status = 410;
    await send("POST", "/v1/tasks", { title: "Write" });
    await until(async () => (await read()).pausedReason === "gone");
    await openList(page, "Webhooks");
    await page.locator(".tag.bad").getByText("Paused").waitFor();
    await page.getByText("Paused the receiver responded with status 410 (gone)").waitFor();
    await checkAccessible(page);
    await checkWidth(page);
    await page.getByRole("link", { name: receiver.url }).click();
    receiver.status = 204;
    const before = receiver.types.length;
    await press(page, "Continue");
    await success(page, "The delivery continues.");
    await receiver.arrived(before + 1);
    await field(page, "From").fill(localTime((await read()).createdAt));
    await press(page, "Deliver again from this time");
    await success(page, "The events from this time are delivered again.");
    await receiver.arrived(before + 3);
  });
}

/** Creates a webhook for tasks with the form. Returns its ID and secret. */
async function createWebhook({ page, expectErrors, send }: ConsoleTest, { url }: Receiver) {
  await openList(page, "Webhooks");
  await page.getByRole("link", { name: "New webhook" }).first().click();
  await field(page, "URL").fill("https://10.0.0.1/crm");
  await field(page, "Events").fill("task.*\ntask.creatd");
  expectErrors("POST /admin/webhooks 400", "POST /admin/webhooks 422");
  await press(page, "Create");
  await assertFieldError(field(page, "Events"), /task\.created/);
  await field(page, "Events").fill("task.*");
  await press(page, "Create");
  await assertFieldError(field(page, "URL"), /^URL must be an https URL.*--webhook-allow/);
  await checkAccessible(page);
  await field(page, "URL").fill(url);
  await press(page, "Create");
  const created = page.getByRole("region", { name: "The new secret" });
  const secretOf = () => created.getByRole("textbox", { name: "Secret" }).inputValue();
  await created.waitFor();
  const first = await secretOf();
  assert.match(first, /^whsec_[A-Za-z0-9+/]{43}=$/);
  await checkAccessible(page);
  const opened = page.waitForEvent("dialog");
  await page.evaluate("history.back()");
  const dialog = await opened;
  assert.match(dialog.message(), /isn't shown again/);
  await dialog.dismiss();
  assert.equal(await secretOf(), first);
  await press(created, "I have stored the secret");
  await screen(page, url);
  await success(page, "Created.");
  await press(page, "Rotate the secret");
  await confirm(page, "Rotate the secret");
  await created.waitFor();
  const second = await secretOf();
  assert.notEqual(second, first);
  await press(created, "I have stored the secret");
  await created.waitFor({ state: "detached" });
  const content = await page.content();
  assert.ok(!content.includes(first) && !content.includes(second), "secrets are shown once");
  const [webhook] = await send<readonly Webhook[]>("GET", "/admin/webhooks");
  assert.deepEqual(webhook?.types, ["task.*"]);
  return webhook;
}

/** Returns the text of an outcome as the page shows it. */
async function outcome({ page }: ConsoleTest, status: number): Promise<string> {
  const notice = page.locator(".notice.success").getByText(`The receiver responded with status ${status} after`);
  await notice.waitFor();
  return notice.innerText();
}

async function advance(url: string, seconds: number): Promise<void> {
  const init = { method: "POST", headers: { "content-type": "application/json" } };
  const response = await fetch(`${url}/__fixtures/clock`, {
    ...init,
    body: JSON.stringify({ advanceMs: seconds * 1_000 }),
  });
  assert.equal(response.status, 200);
}

/** Asks again until the server has stored something. */
async function until(isDone: () => Promise<boolean>): Promise<void> {
  while (!(await isDone())) await new Promise((resolve) => setTimeout(resolve, 50));
}

/** Returns the time as the input of a form has it. */
function localTime(iso: string): string {
  const time = new Date(iso);
  return new Date(time.getTime() - time.getTimezoneOffset() * 60_000).toISOString().slice(0, 19);
}
