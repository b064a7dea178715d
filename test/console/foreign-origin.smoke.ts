import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { openConsole } from "./browser.ts";

const consoleTest = openConsole();

/** A page that tries to act with the session of the admin. */
const attack = (target: string): string => `<!doctype html><title>attack</title>
<form id="form" method="post" enctype="text/plain" target="frame" action="${target}/console/api/v1/accounts">
  <input name='{"name":"Planted","customFields":{"segment":"SMB"},"x":"' value='"}'>
</form>
<form id="session" method="post" enctype="text/plain" target="frame" action="${target}/console/session"></form>
<iframe name="frame"></iframe><iframe src="${target}/console/"></iframe>
<script>
  const outcomes = [];
  const send = (method, path, init = {}) =>
    fetch("${target}/console/" + path, { method, credentials: "include", ...init }).then(
      (response) => outcomes.push(method + " " + path + " " + response.type + " " + response.status),
      () => outcomes.push(method + " " + path + " blocked"),
    );
  const body = JSON.stringify({ name: "Planted", customFields: { segment: "SMB" } });
  const json = { "content-type": "application/json" };
  window.attack = async () => {
    document.getElementById("form").submit();
    await new Promise((done) => { document.querySelector("iframe").onload = done; });
    document.getElementById("session").submit();
    for (const path of ["session", "api/v1/accounts", "api/v1/me", "api/admin/users"]) {
      await send("GET", path);
      await send("GET", path, { mode: "no-cors" });
    }
    await send("POST", "api/v1/accounts", { body, headers: json });
    await send("POST", "api/v1/accounts", { body, mode: "no-cors" });
    await send("POST", "session", { body, mode: "no-cors" });
    await send("DELETE", "session");
    await send("DELETE", "api/v1/accounts/01945eff-a5c0-7ce2-b439-160e7d883d6c");
    return outcomes;
  };
</script>`;

consoleTest("a page of another origin can read and change nothing", async ({ t, url, context, send }) => {
  const server = createServer((_, response) => response.setHeader("content-type", "text/html").end(attack(url)));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => server.close());
  const { port } = server.address() as AddressInfo;
  const before = await send<readonly unknown[]>("GET", "/v1/accounts?includeArchived=true&limit=100");
  const browser = context.browser() ?? assert.fail("no browser");
  const other = await browser.newContext();
  t.after(() => other.close());
  await other.addCookies(await context.cookies());
  // The same site with another port, so that browsers send the cookie, and another site.
  for (const host of ["127.0.0.1", "localhost"]) {
    const page = await other.newPage();
    const statuses: string[] = [];
    page.on("response", (response) => {
      const { pathname, origin } = new URL(response.url());
      if (origin === url) statuses.push(`${response.request().method()} ${pathname} ${response.status()}`);
    });
    await page.goto(`http://${host}:${port}/`);
    const outcomes = await page.evaluate<readonly string[]>("window.attack()");
    assert.deepEqual(
      outcomes.filter((outcome) => / (basic|cors|default) /.test(outcome)),
      [],
      host,
    );
    const reached = statuses.filter((status) => /\/(api|session)/.test(status));
    assert.ok(
      reached.some((status) => status.startsWith("POST /console/api/v1/accounts")),
      reached.join("\n"),
    );
    assert.deepEqual(
      reached.filter((status) => !/ 40[13]$/.test(status)),
      [],
      host,
    );
    assert.equal(await page.frameLocator("iframe >> nth=1").getByRole("heading").count(), 0, "no site can frame it");
    await page.close();
  }
  assert.deepEqual(await send("GET", "/v1/accounts?includeArchived=true&limit=100"), before);
  const own = await other.newPage();
  await own.goto(`${url}/console/#/accounts`);
  await own.getByRole("heading", { name: "Accounts", level: 1 }).waitFor();
});
