import assert from "node:assert/strict";
import { checkAccessible, checkWidth, openConsole, settle } from "./browser.ts";
import { assertFieldError, field, press, screen, success, value } from "./forms.ts";

const consoleTest = openConsole();

type Note = Readonly<Record<string, unknown>> & { readonly id: string; readonly body: string };
const contact = "01945eff-a5c0-732a-93b1-33d2195a9dee";
const relatedTo = { type: "contact", id: contact };

consoleTest(
  "notes of a record are added, edited and archived, newest first",
  async ({ page, url, send, expectErrors }) => {
    const seen = "<b>Two</b> lines:\n  https://example.com";
    await send("POST", "/v1/notes", { body: "In the future", relatedTo, occurredAt: "2031-01-01T00:00:00Z" });
    await page.goto(`${url}/console/#/contacts/${contact}`);
    await screen(page, "Åsa Lindqvist");
    await settle(page);
    const section = page.getByRole("region", { name: "Notes" });
    const texts = section.locator(".note-text");
    const [first = "", second = ""] = await texts.allInnerTexts();
    assert.equal(first, "In the future");
    assert.match(second, /^We open a second café .* two groups\.\nPlease call me/);

    expectErrors("POST /notes 400");
    await press(section, "Add note");
    await assertFieldError(field(section, "New note"), /New note is required/);
    await field(section, "New note").fill(seen);
    await press(section, "Add note");
    await success(page, "Added.");
    await texts.nth(2).waitFor();
    assert.deepEqual(await texts.allInnerTexts(), [first, seen, second]);
    assert.equal(await field(section, "New note").inputValue(), "");
    assert.equal(await texts.getByRole("link").count(), 0);
    const users = await send<readonly { id: string; name: string }[]>("GET", "/v1/users");
    const [made] = await send<readonly Note[]>("GET", `/v1/notes?relatedToId=${contact}&order=-createdAt&limit=1`);
    assert.ok(made);
    assert.deepEqual(
      [made.body, made.relatedTo, users.find(({ id }) => id === made.authorId)?.name],
      [seen, relatedTo, "Ingrid Solberg"],
    );
    const item = section.getByRole("listitem").filter({ hasText: "<b>Two" });
    await item.getByText("Ingrid Solberg").waitFor();
    await checkAccessible(page);
    await checkWidth(page);

    await item.getByRole("button", { name: /^Edit/ }).click();
    const edited = section.getByLabel("Text");
    await edited.and(page.locator(":focus")).waitFor();
    await edited.fill("Changed");
    await checkAccessible(page);
    await press(section, "Save");
    await success(page, "Saved.");
    await texts.getByText("Changed", { exact: true }).waitFor();
    assert.equal((await send<Note>("GET", `/v1/notes/${made.id}`)).body, "Changed");

    const changed = section.getByRole("listitem").filter({ hasText: "Changed" });
    await changed.getByRole("button", { name: /^Archive/ }).click();
    await success(page, "Archived.");
    await changed.waitFor({ state: "detached" });
    const archived = await send<Note>("GET", `/v1/notes/${made.id}?includeArchived=true`);
    assert.equal(typeof archived.archivedAt, "string");
  },
);

consoleTest("a change of a note by another program isn't overwritten", async ({ page, url, send, expectErrors }) => {
  const note = await send<Note>("POST", "/v1/notes", {
    body: "Mine",
    relatedTo: { type: "account", id: await accountId(send) },
  });
  await page.goto(`${url}/console/#/accounts/${await accountId(send)}`);
  await settle(page);
  const section = page.getByRole("region", { name: "Notes" });
  const item = section.getByRole("listitem").first();
  await item.getByRole("button", { name: /^Edit/ }).click();
  await send("PATCH", `/v1/notes/${note.id}`, { body: "Theirs" });
  expectErrors("PATCH /notes/{id} 412");
  await section.getByLabel("Text").fill("Mine again");
  await press(section, "Save");
  await section.getByText("Changed to “Theirs” since you opened it.", { exact: false }).waitFor();
  assert.equal((await send<Note>("GET", `/v1/notes/${note.id}`)).body, "Theirs");
  await press(section, "Save");
  await success(page, "Saved.");
  assert.equal((await send<Note>("GET", `/v1/notes/${note.id}`)).body, "Mine again");
});

consoleTest(
  "100 notes are shown, with a link to the list of all, and an archived record gets no new ones",
  async ({ page, url, send }) => {
    const account = await send<Note>("POST", "/v1/accounts", { name: "Many notes", customFields: { segment: "SMB" } });
    const data = (index: number) => ({ body: `Note ${index}`, relatedTo: { type: "account", id: account.id } });
    for (const from of [0, 50, 100]) {
      const operations = Array.from({ length: from === 100 ? 1 : 50 }, (_, index) => ({
        op: "create",
        data: data(from + index),
      }));
      await send("POST", "/v1/notes/batch", { operations });
    }
    await send("DELETE", `/v1/accounts/${account.id}`);
    await page.goto(`${url}/console/#/accounts/${account.id}`);
    await settle(page);
    const section = page.getByRole("region", { name: "Notes" });
    assert.equal(await section.locator(".note-text").count(), 100);
    assert.equal(await field(section, "New note").count(), 0);
    await section.getByRole("link", { name: "All notes of this record" }).click();
    await screen(page, "Notes");
    await page.getByText("50 of 101 records.").waitFor();
    const related = page.getByRole("table", { name: "Notes" }).getByRole("link", { name: "Many notes" });
    await related.nth(49).waitFor();
    assert.equal(await related.count(), 50);
    await page.getByRole("link", { name: "Note 100", exact: true }).click();
    await screen(page, "Note 100");
    assert.equal(await value(page, "Text").innerText(), "Note 100");
    await page.getByRole("link", { name: "Many notes" }).click();
    await screen(page, "Many notes");
  },
);

async function accountId(send: <T>(method: string, path: string) => Promise<T>): Promise<string> {
  const [account] = await send<readonly Note[]>("GET", "/v1/accounts?limit=1");
  return account?.id ?? assert.fail("no account");
}
