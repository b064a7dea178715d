import assert from "node:assert/strict";
import { test } from "node:test";
import { clientNetwork } from "../../lib/http/authenticate-request.ts";
import { baseUrl, testCrm } from "../support/harness.ts";
import { testTenant } from "../support/tenants.ts";

const networks: Readonly<Record<string, string>> = {
  "192.0.2.1": "192.0.2.1",
  "::ffff:192.0.2.1": "192.0.2.1",
  "::FFFF:192.0.2.1": "192.0.2.1",
  "2001:db8:1:2:3:4:5:6": "2001:db8:1:2::/64",
  "2001:0DB8:0001:0002::6": "2001:db8:1:2::/64",
  "2001:db8:1::": "2001:db8:1:0::/64",
  "2001:db8::1:2:3:4:5": "2001:db8:0:1::/64",
  "64:ff9b::192.0.2.1": "64:ff9b:0:0::/64",
  "1:2:3:4:5:6:192.0.2.1": "1:2:3:4::/64",
  "fe80::1%eth0": "fe80:0:0:0::/64",
  "::1": "0:0:0:0::/64",
  "::": "0:0:0:0::/64",
  "1:2:3:4:5:6:7::": "1:2:3:4::/64",
  unknown: "unknown",
  "": "",
};

for (const [address, network] of Object.entries(networks)) {
  test(`clientNetwork(${address || "an empty address"}) returns ${network || "it"}`, () => {
    assert.equal(clientNetwork(address), network);
  });
}

test("addresses of one IPv6 /64 share the limit of failed authentication, and other networks don't", async () => {
  const { api } = await testCrm([testTenant(1)]);
  const failFrom = async (remoteAddress: string): Promise<number> => {
    const request = new Request(`${baseUrl}/me`, { headers: { "x-api-key": "wrong" } });
    return (await api.fetch(request, { remoteAddress })).status;
  };
  const statuses: number[] = [];
  for (let host = 1; host <= 61; host++) statuses.push(await failFrom(`2001:db8:1:2::${host.toString(16)}`));
  assert.deepEqual(statuses, [...Array.from({ length: 60 }, () => 401), 429]);
  assert.equal(await failFrom("2001:db8:1:3::1"), 401);
  await api.close();
});
