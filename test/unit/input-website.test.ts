import assert from "node:assert/strict";
import { test } from "node:test";
import * as v from "valibot";
import { website } from "../../lib/model/scalars.ts";
import { openCrm } from "../support/crm.ts";
import { verdict } from "../support/responses.ts";

const accepted = [
  "",
  "https://example.com",
  "HTTP://EXAMPLE.COM/a?b#c",
  "http://localhost:8080/",
  "https://[2001:db8::1]/",
  "https://münchen.example/straße",
  "example.com",
  "www.example.co.uk/shop?page=1",
  "example.com:8443/a",
  "münchen.example",
];
const rejected = [
  "javascript:alert(1)",
  "JavaScript:alert(1)//example.com",
  "javascript://example.com/%0aalert(1)",
  "java\nscript:alert(1)",
  "data:text/html,x",
  "vbscript:x.y",
  "file:///etc/passwd",
  "ftp://example.com",
  "mailto:ana@example.com",
  "ana@example.com",
  "//example.com",
  "https://",
  "https:example.com",
  "https:///example.com",
  "https://exa mple.com",
  "https://example.com:99999",
  "example",
  "Acme Inc.",
  "example..com",
  " example.com",
  "example.com\n",
];

test("a website is an http or https URL or a domain", () => {
  for (const value of accepted) assert.deepEqual(v.safeParse(website, value).issues, undefined, value);
  for (const value of rejected) {
    const types = v.safeParse(website, value).issues?.map(({ type }) => type);
    assert.deepEqual(types, ["invalid_format"], JSON.stringify(value));
  }
  const long = `https://example.com/${"a".repeat(2_028)}`;
  assert.equal(v.is(website, long), true);
  assert.deepEqual(
    v.safeParse(website, `${long}a`).issues?.map(({ type }) => type),
    ["too_long"],
  );
});

test("a website with an international domain is accepted after thousands of others", () => {
  for (let count = 0; count < 20_000; count++) {
    assert.equal(v.is(website, "https://example.com/"), true);
    assert.equal(v.is(website, "https://münchen.example/"), true, `call ${count}`);
  }
});

test("POST /accounts with a website that is a script returns 400 invalid_format", async () => {
  const { call } = await openCrm();
  const result = await call("POST", "/accounts", { name: "Acme", website: "javascript:alert(1)" });
  assert.equal(verdict(result), "400 validation_error: /website invalid_format");
});

test("a description has at most 65,536 characters", async () => {
  const { call, create } = await openCrm();
  for (const [path, body] of [
    ["/accounts", { name: "Long" }],
    ["/tasks", { title: "Call" }],
  ] as const) {
    const description = "👩".repeat(65_536);
    assert.equal((await create(path, { ...body, description })).description, description);
    const result = await call("POST", path, {
      ...body,
      name: undefined,
      title: undefined,
      description: "x".repeat(65_537),
    });
    assert.match(verdict(result), /^400 validation_error: .*\/description too_long/);
  }
});

test("a tenant file rejects a text field with a maxLength over 65,536", async () => {
  const field = { entity: "account", key: "notes", label: "Notes", type: "text" };
  const { call } = await openCrm({ "/customFields": [{ ...field, maxLength: 65_536 }] });
  const customFields = { notes: "x".repeat(65_536) };
  assert.equal(verdict(await call("POST", "/accounts", { name: "Long", customFields })), "201");
  await assert.rejects(
    openCrm({ "/customFields": [{ ...field, maxLength: 65_537 }] }),
    /maxLength must be an integer from 1 to 65536/,
  );
});
