// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the code that is changed has them.
import { faults } from "./mutant.ts";

const message = "lib/webhooks/message.ts";
const send = "lib/webhooks/send.ts";
const delivery = "lib/webhooks/delivery.ts";
const eventWindow = "lib/webhooks/event-window.ts";

/** Webhooks that get events that they must not get, miss events, or send to a network that is closed to them. */
export const webhooks = [
  ...faults(message, "webhook-delivery", [
    [
      "a webhook that gets the events of its own integration",
      "if (skipOwn && integrationId === webhook.integrationId) return false;",
      "",
    ],
    [
      "a webhook that gets events beyond the scopes of its integration",
      "integration?.scopes.includes(readScope(kind as Entity)) === true",
      "true",
    ],
  ]),
  ...faults(eventWindow, "webhook-order", [
    ["a webhook whose position moves over a running attempt", 'state !== "settled")', 'state === "waiting")'],
    ["a webhook whose events of one record overtake each other", " || records.has(each.event.recordId)", ""],
  ]),
  ...faults(delivery, "webhook-delivery", [
    [
      "a webhook that doesn't notice deleted events",
      "if (position.updatedAt < eventsFrom) return this.#expire(position.updatedAt, eventsFrom);",
      "",
    ],
  ]),
  ...faults(send, "webhook-sender", [
    [
      "a webhook that follows a redirect",
      "        response.destroy();\n",
      `        response.destroy();
        const { location } = response.headers;
        if (location !== undefined) {
          post(new URL(location, url), { headers, body, signal }, options).then(resolve, reject);
          return;
        }
`,
    ],
    ["a webhook at a private address", "if (isPrivateAddress(address))", "if (false)"],
    [
      "a webhook whose first address alone is checked",
      "of addresses) {\n    if (isAllowedAddress",
      "of addresses.slice(0, 1)) {\n    if (isAllowedAddress",
    ],
    [
      "a webhook whose host is resolved again after the check",
      "const addresses = await checkedAddresses(url, options);",
      "await checkedAddresses(url, options);\n  const addresses = await (options.resolve ?? resolveAll)(url.hostname);",
    ],
  ]),
  ...faults("lib/webhooks/addresses.ts", "webhook-sender", [
    ["a webhook at the address of a metadata service", "!metadataAddresses.check(address, family) && (", "("],
  ]),
  ...faults("lib/webhooks/signature.ts", "webhook-sender", [
    ["a signature without the time of the message", "`${id}.${timestamp}.${body}`", "`${id}.${body}`"],
  ]),
];
