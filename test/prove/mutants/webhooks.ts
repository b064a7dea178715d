// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the code that is changed has them.
import { fault } from "./mutant.ts";

const message = "lib/webhooks/message.ts";
const send = "lib/webhooks/send.ts";
const delivery = "lib/webhooks/delivery.ts";
const eventWindow = "lib/webhooks/event-window.ts";

/** Webhooks that get events that they must not get, miss events, or send to a network that is closed to them. */
export const webhooks = [
  fault(
    "a webhook that gets the events of its own integration",
    message,
    "if (skipOwn && integrationId === webhook.integrationId) return false;",
    "",
    ["webhook-delivery"],
  ),
  fault(
    "a webhook that gets events beyond the scopes of its integration",
    message,
    "integration?.scopes.includes(readScope(kind as Entity)) === true",
    "true",
    ["webhook-delivery"],
  ),
  fault(
    "a webhook whose position moves over a running attempt",
    eventWindow,
    'state !== "settled")',
    'state === "waiting")',
    ["webhook-order"],
  ),
  fault(
    "a webhook whose events of one record overtake each other",
    eventWindow,
    " || records.has(each.event.recordId)",
    "",
    ["webhook-order"],
  ),
  fault(
    "a webhook that doesn't notice deleted events",
    delivery,
    "if (position.updatedAt < eventsFrom) return this.#expire(position.updatedAt, eventsFrom);",
    "",
    ["webhook-delivery"],
  ),
  fault(
    "a webhook that follows a redirect",
    send,
    "        response.destroy();\n",
    `        response.destroy();
        const { location } = response.headers;
        if (location !== undefined) {
          post(new URL(location, url), { headers, body, signal }, options).then(resolve, reject);
          return;
        }
`,
    ["webhook-sender"],
  ),
  fault("a webhook at a private address", send, "if (isPrivateAddress(address))", "if (false)", ["webhook-sender"]),
  fault(
    "a webhook whose first address alone is checked",
    send,
    "of addresses) {\n    if (isAllowedAddress",
    "of addresses.slice(0, 1)) {\n    if (isAllowedAddress",
    ["webhook-sender"],
  ),
  fault(
    "a webhook whose host is resolved again after the check",
    send,
    "const addresses = await checkedAddresses(url, options);",
    "await checkedAddresses(url, options);\n  const addresses = await (options.resolve ?? resolveAll)(url.hostname);",
    ["webhook-sender"],
  ),
  fault(
    "a webhook at the address of a metadata service",
    "lib/webhooks/addresses.ts",
    "!closedAddresses.check(address, family) && (",
    "(",
    ["webhook-sender"],
  ),
  fault(
    "a signature without the time of the message",
    "lib/webhooks/signature.ts",
    "`${id}.${timestamp}.${body}`",
    "`${id}.${body}`",
    ["webhook-sender"],
  ),
];
