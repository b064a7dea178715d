import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { type TestContext, test } from "node:test";
import { demoCrm, recipeCode } from "../support/recipes.ts";

const code = recipeCode("website-form", "js");

test("a form that is sent twice creates one contact with one note", { timeout: 60_000 }, async (t) => {
  const crm = await demoCrm(t);
  const formUrl = await startForm(t, crm.baseUrl, crm.apiKey);
  const page = await (await fetch(formUrl)).text();
  const formId = /name="formId" value="([0-9a-f-]{36})"/.exec(page)?.[1] ?? "";
  const form = { formId, name: "Ana & Co", email: "ana@form.example", phone: "+49 30 1", message: "Two\n<lines>" };
  const sent = await Promise.all([send(formUrl, form), send(formUrl, form)]);
  sent.push(await send(formUrl, form), await send(formUrl, { ...form, name: "Someone else", message: "Me again" }));
  assert.deepEqual(
    sent.map(({ status }) => status),
    [200, 200, 200, 200],
  );
  const { data } = await crm.send("GET", "/contacts?email=ana@form.example");
  assert.deepEqual(
    data.map((contact) => [contact.name, contact.phone]),
    [["Ana & Co", "+49 30 1"]],
  );
  const notes = (await crm.send("GET", `/notes?relatedToId=${data[0]?.id}`)).data;
  assert.deepEqual(
    notes.map(({ body }) => body),
    ["Two\n<lines>", "Me again"],
  );
  for (const { html } of [{ html: page }, ...sent]) assert.ok(!html.includes(crm.apiKey));
});

test("the form shows the errors of the API at the fields and keeps the values", { timeout: 60_000 }, async (t) => {
  const crm = await demoCrm(t);
  const formUrl = await startForm(t, crm.baseUrl, crm.apiKey);
  const { status, html } = await send(formUrl, {
    formId: "a-form",
    name: "",
    email: '"><b>',
    phone: "1",
    message: "</textarea>",
  });
  assert.equal(status, 422);
  const errors = [...html.matchAll(/name="(\w+)" value="([^"]*)"><\/label>\s*<strong>([^<]*)/g)];
  assert.deepEqual(
    errors.map(([, name, value, message]) => [name, value, message !== ""]),
    [
      ["name", "", true],
      ["email", "&#34;&#62;&#60;b&#62;", true],
      ["phone", "1", false],
    ],
  );
  assert.match(html, /name="formId" value="a-form"/);
  assert.match(html, /<textarea name="message">\n&#60;\/textarea&#62;<\/textarea>/);
  assert.ok(!html.includes(crm.apiKey));
});

test("the form stays filled in if the CRM rejects the API key or doesn't respond", { timeout: 60_000 }, async (t) => {
  const crm = await demoCrm(t);
  for (const baseUrl of [crm.baseUrl, "http://127.0.0.1:1"]) {
    const formUrl = await startForm(t, baseUrl, "crm_test_wrong");
    const { status, html } = await send(formUrl, { formId: "a-form", name: "Ana", email: "ana@form.example" });
    assert.equal(status, 503);
    assert.match(html, /value="Ana"/);
    assert.match(html, /Please send it again/);
    assert.ok(!html.includes("crm_test_wrong"));
  }
});

async function startForm(t: TestContext, baseUrl: string, apiKey: string): Promise<string> {
  const child = spawn(process.execPath, ["--input-type=module", "--eval", code], {
    env: { ...process.env, CRM_URL: baseUrl, CRM_API_KEY: apiKey, PORT: "0" },
    stdio: ["ignore", "pipe", "inherit"],
  });
  t.after(() => child.kill());
  const [line] = (await once(createInterface(child.stdout), "line")) as [string];
  return line;
}

async function send(formUrl: string, form: Readonly<Record<string, string>>) {
  const response = await fetch(formUrl, { method: "POST", body: new URLSearchParams(form) });
  return { status: response.status, html: await response.text() };
}
