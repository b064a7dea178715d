import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { after, test } from "node:test";
import { systemClock } from "../../../lib/index.ts";
import { parseAllowedTargets } from "../../../lib/webhooks/addresses.ts";
import { createSender, type Resolve } from "../../../lib/webhooks/send.ts";

let connections = 0;
let mode: "ok" | "redirect" | "hang" | "close" = "ok";
const received: { readonly headers: Readonly<Record<string, unknown>>; readonly body: string }[] = [];
const receiver = createServer((request, response) => {
  let body = "";
  request.on("data", (chunk) => {
    body += chunk;
  });
  request.on("end", () => {
    received.push({ headers: request.headers, body });
    if (mode === "hang") return;
    if (mode === "close") request.socket.destroy();
    else if (mode === "redirect") response.writeHead(302, { location: "http://169.254.169.254/" }).end();
    else response.writeHead(503, { "retry-after": "7" }).end("x".repeat(1_000_000));
  });
});
receiver.on("connection", () => connections++);
await new Promise<void>((done) => receiver.listen(0, "::", done));
const { port } = receiver.address() as AddressInfo;
after(() => {
  receiver.closeAllConnections();
  receiver.close();
});

const secrets = [`whsec_${Buffer.alloc(32, 1).toString("base64")}`, `whsec_${Buffer.alloc(32, 2).toString("base64")}`];
const message = { id: "0199c0a1-0000-8000-a000-000000000001", body: '{"type":"task.created"}', secrets };
const senderOf = (allow: readonly string[] = [], resolve?: Resolve, timeoutMs = 2_000) =>
  createSender({
    allowed: parseAllowedTargets(allow),
    clock: systemClock,
    userAgent: "crm-integrations/1.0.0",
    resolve,
    timeoutMs,
  });

const hosts = [
  ...["127.0.0.1", "localhost", "localhost.", "LOCALHOST", "0x7f000001", "0x7f.0.0.1", "2130706433", "017700000001"],
  ...["0177.0.0.1", "127.1", "127.0.1", "①②⑦.0.0.1", "127。0。0。1", "127.0.0.1.", "0.0.0.0", "0", "[::1]", "[::]"],
  ...["[0:0:0:0:0:0:0:1]", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "[::127.0.0.1]", "[::ffff:0:127.0.0.1]"],
  ...["[64:ff9b::7f00:1]", "[64:ff9b:1::7f00:1]", "[2002:7f00:1::]", "[2001:0:7f00:1::]", "10.1.2.3", "172.16.0.1"],
  ...["172.31.255.255", "192.168.1.1", "100.64.0.1", "169.254.169.254", "[::ffff:a9fe:a9fe]", "[fd00:ec2::254]"],
  ...["[64:ff9b::a9fe:a9fe]", "[fe80::1]", "[fc00::1]", "[fdff::1]", "[ff02::1]", "224.0.0.1", "239.255.255.255"],
  ...["240.0.0.1", "255.255.255.255", "192.0.2.1", "198.51.100.1", "203.0.113.1", "198.18.0.1", "192.0.0.1"],
  ...["192.88.99.1", "[2001:db8::1]", "[100::1]", "[3fff::1]", "[4000::1]", "[2001:10::1]", "[fec0::1]"],
];
const public4 = { address: "93.184.216.34", family: 4 };
const local4 = { address: "127.0.0.1", family: 4 };
const addresses: Readonly<Record<string, readonly { readonly address: string; readonly family: number }[]>> = {
  "none.example": [],
  "local.example": [local4],
  "mixed.example": [public4, local4],
  "mixed-six.example": [public4, { address: "::1", family: 6 }],
  "mapped.example": [{ address: "::ffff:127.0.0.1", family: 6 }],
  "metadata.example": [{ address: "169.254.169.254", family: 4 }],
  "private.example": [{ address: "10.0.0.8", family: 4 }],
  "translated.example": [{ address: "64:ff9b::7f00:1", family: 6 }],
  "six-to-four.example": [{ address: "2002:7f00:1::1", family: 6 }],
  "local-six.example": [{ address: "fd12::1", family: 6 }],
  "link.example": [{ address: "fe80::1", family: 6 }],
  "any.example": [{ address: "0.0.0.0", family: 4 }],
};
const others = [
  ...[`http://u:p@127.0.0.1:${port}`, `https://u@127.0.0.1:${port}`, "file:///etc/passwd", "ftp://127.0.0.1/"],
  ...[`http://[::1%25lo]:${port}/`, "gopher://127.0.0.1/", "data:text/plain,x", "https://"],
];

test("at least 80 hostile URLs and DNS results make no connection", async () => {
  const before = connections;
  const [system, faked] = [senderOf(), senderOf([], async (host) => addresses[host] ?? [])];
  const targets = [
    ...hosts
      .flatMap((host) => [`http://${host}:${port}/`, `https://${host}:${port}/`])
      .map((url) => [system, url] as const),
    ...Object.keys(addresses).map((host) => [faked, `https://${host}:${port}/`] as const),
    ...others.map((url) => [system, url] as const),
  ];
  assert.ok(targets.length >= 80, `${targets.length} targets`);
  for (const [sender, url] of targets) {
    const { status, error } = await sender.send({ ...message, url });
    assert.equal(status, null, url);
    assert.match(error ?? "", /isn't public|isn't an https URL|user name|no address|ERR_INVALID_URL|ENOTFOUND/, url);
  }
  assert.equal(connections, before);
});

test("a second DNS result isn't used: the socket connects to an address that was checked", async () => {
  let count = 0;
  const resolve: Resolve = async () => (count++ === 0 ? [{ address: "192.0.2.1", family: 4 }] : [local4]);
  const before = connections;
  const allowed = senderOf(["192.0.2.0/24"], resolve, 200);
  assert.equal((await allowed.send({ ...message, url: `http://rebind.example:${port}/` })).status, null);
  assert.deepEqual([count, connections - before], [1, 0]);
});

test("--webhook-allow opens a network or a host with its port, and nothing else", async () => {
  const local: Resolve = async () => [local4];
  const url = `http://crm.internal:${port}/hook`;
  for (const [allow, isOpen] of [
    [["127.0.0.0/8"], true],
    [[`crm.internal:${port}`], true],
    [[`crm.internal:${port + 1}`], false],
    [[`other.internal:${port}`], false],
    [["10.0.0.0/8", "::/0"], false],
  ] as const) {
    const { status } = await senderOf(allow, local).send({ ...message, url });
    assert.equal(status, isOpen ? 503 : null, allow.join());
  }
  for (const address of ["169.254.169.254", "::ffff:169.254.169.254", "fd00:ec2::254", "64:ff9b::a9fe:a9fe"]) {
    const family = address.includes(":") ? 6 : 4;
    const open = senderOf(["0.0.0.0/0", "::/0", "metadata.internal:80"], async () => [{ address, family }]);
    const { error } = await open.send({ ...message, url: "http://metadata.internal/" });
    assert.match(error ?? "", /isn't public/, address);
  }
  for (const entry of ["10.0.0.0", "10.0.0.0/33", "crm.internal", "https://crm.internal", "", "a b:80", "::/129"])
    assert.throws(() => parseAllowedTargets([entry]), TypeError, entry);
});

test("http needs an allowed target even if its address is public", async () => {
  const sender = senderOf([], async () => [public4]);
  assert.match((await sender.send({ ...message, url: "http://shop.example/" })).error ?? "", /http isn't allowed/);
  await assert.rejects(sender.check("http://shop.example/"));
  await sender.check("https://shop.example/");
});

test("a message has the headers of Standard Webhooks, with one signature per secret, and the name in Host", async () => {
  const { status, retryAfter } = await senderOf(["127.0.0.0/8"], async () => [local4]).send({
    ...message,
    url: `http://crm.internal:${port}/hook?x=1`,
  });
  assert.deepEqual([status, retryAfter], [503, "7"]);
  const { headers, body } = received.at(-1) ?? { headers: {}, body: "" };
  assert.equal(body, message.body);
  assert.deepEqual([headers.host, headers["user-agent"]], [`crm.internal:${port}`, "crm-integrations/1.0.0"]);
  assert.equal(headers["webhook-id"], message.id);
  const expected = secrets.map((secret) => {
    const hmac = createHmac("sha256", Buffer.from(secret.slice(6), "base64"));
    return `v1,${hmac.update(`${message.id}.${headers["webhook-timestamp"]}.${body}`).digest("base64")}`;
  });
  assert.equal(headers["webhook-signature"], expected.join(" "));
});

test("redirects aren't followed, and a receiver that hangs or closes the connection is an error", async () => {
  const url = `http://127.0.0.1:${port}/`;
  const outcomeOf = (sent: typeof mode) => {
    mode = sent;
    return senderOf(["127.0.0.0/8"], undefined, 300).send({ ...message, url });
  };
  const count = received.length;
  assert.equal((await outcomeOf("redirect")).status, 302);
  assert.equal(received.length, count + 1);
  assert.equal((await outcomeOf("hang")).error, "timeout");
  assert.equal((await outcomeOf("close")).error, "ECONNRESET");
});
