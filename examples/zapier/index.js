const windowMs = 7 * 24 * 60 * 60 * 1000;

const newContact = {
  key: "new_contact",
  noun: "Contact",
  display: { label: "New Contact", description: "Triggers when a contact is created." },
  operation: {
    async perform(z, bundle) {
      const { since, contacts } = await listChangedContacts(z, bundle);
      return contacts
        .filter(({ createdAt }) => createdAt >= since)
        .sort((a, b) => b.createdAt.localeCompare(a.createdAt));
    },
    sample: { id: "01945eff-a5c0-711c-b405-3468f589d00f", name: "Ana Diaz", email: "ana@example.com" },
  },
};

const changedContact = {
  key: "changed_contact",
  noun: "Contact",
  display: { label: "New or Changed Contact", description: "Triggers when a contact is created or changed." },
  operation: {
    async perform(z, bundle) {
      const { contacts } = await listChangedContacts(z, bundle);
      // Zapier skips each ID that it has seen, so each version of a contact needs an ID of its own.
      const versions = contacts.map((contact) => ({ ...contact, id: `${contact.id} ${contact.updatedAt}` }));
      return versions.map((version) => ({ ...version, contactId: version.id.split(" ")[0] })).reverse();
    },
    sample: { id: "01945eff 2026-01-01T00:00:00.000Z", contactId: "01945eff", name: "Ana Diaz" },
  },
};

const wonOpportunity = {
  key: "won_opportunity",
  noun: "Opportunity",
  display: { label: "Opportunity Won", description: "Triggers when an opportunity is won." },
  operation: {
    type: "hook",
    performSubscribe: (z, bundle) =>
      send(z, bundle, "POST", "/webhooks", { url: bundle.targetUrl, types: ["opportunity.won"], skipOwn: false }),
    performUnsubscribe: (z, bundle) => send(z, bundle, "DELETE", `/webhooks/${bundle.subscribeData.id}`),
    // A webhook can send an event twice, with the same ID.
    perform: (_z, { cleanedRequest: { data } }) => [
      { ...data.record, id: data.event.id, opportunityId: data.event.recordId },
    ],
    async performList(z, bundle) {
      const won = await send(z, bundle, "GET", "/opportunities?status=won&order=-updatedAt&limit=3");
      return won.map((record) => ({ ...record, opportunityId: record.id }));
    },
    sample: { id: "01945eff-a5c0-7d8b-a1c1-44ac0f5f7b3e", opportunityId: "01945eff", name: "Espresso bar" },
  },
};

const operationId = {
  key: "operationId",
  label: "Unique ID",
  required: true,
  helpText: "An ID of an earlier step, such as an order number.",
};

const createTask = {
  key: "create_task",
  noun: "Task",
  display: { label: "Create Task", description: "Creates a task." },
  operation: {
    perform: (z, bundle) => create(z, bundle, "tasks", { title: bundle.inputData.title }),
    inputFields: [{ key: "title", label: "Title", required: true }, operationId],
    sample: { id: "01945eff-a5c0-7d8b-a1c1-44ac0f5f7b3e", title: "Call Ana" },
  },
};

const createNote = {
  key: "create_note",
  noun: "Note",
  display: { label: "Create Note", description: "Adds a message to a contact, and creates the contact if it's new." },
  operation: {
    async perform(z, bundle) {
      const { email, name, message } = bundle.inputData;
      const found = await send(z, bundle, "GET", `/contacts?email=${encodeURIComponent(email)}`);
      const contact = found[0] ?? (await create(z, bundle, "contacts", { name, email }));
      return create(z, bundle, "notes", { body: message, relatedTo: { type: "contact", id: contact.id } });
    },
    inputFields: [
      { key: "email", label: "Email", required: true },
      { key: "name", label: "Name", required: true },
      { key: "message", label: "Message", type: "text", required: true },
      operationId,
    ],
    sample: { id: "01945eff-a5c0-7f30-b8cd-0c2a7c6f1c55", body: "Please call me." },
  },
};

const upsertContact = {
  key: "upsert_contact",
  noun: "Contact",
  display: {
    label: "Create or Update Contact",
    description: "Creates a contact, or updates the one with this email address.",
  },
  operation: {
    perform(z, bundle) {
      const { name, email, ...values } = bundle.inputData;
      const customFields = Object.entries(values).map(([key, value]) => [key.replace("custom_", ""), value]);
      const body = { name, email, customFields: Object.fromEntries(customFields) };
      return send(z, bundle, "POST", "/contacts/upsert?matchBy=email", body);
    },
    inputFields: [
      { key: "email", label: "Email", required: true },
      { key: "name", label: "Name", required: true },
      listCustomFields,
    ],
    sample: { id: "01945eff-a5c0-711c-b405-3468f589d00f", name: "Ana Diaz", email: "ana@example.com" },
  },
};

/** Returns an input field for each custom field of contacts. */
async function listCustomFields(z, bundle) {
  const fields = await send(z, bundle, "GET", "/custom-fields?entity=contact");
  return fields.map(({ key, label, type, optionLabels }) => ({
    key: `custom_${key}`,
    label,
    type: type === "number" || type === "currency" ? "number" : "string",
    ...(optionLabels && { choices: optionLabels }),
    ...(type === "multi_list" && { list: true }),
  }));
}

/** Returns the contacts that changed in the last seven days, oldest change first. */
async function listChangedContacts(z, bundle) {
  const since = new Date(Date.now() - windowMs).toISOString();
  const contacts = new Map();
  let cursor = "";
  do {
    const params = { limit: 200, updatedSince: since, cursor };
    const { data: page } = await z.request({ url: `${bundle.authData.crmUrl}/contacts`, params });
    // A contact that changes between two pages comes again. Only its last version counts.
    for (const contact of page.data) {
      contacts.delete(contact.id);
      contacts.set(contact.id, contact);
    }
    cursor = page.nextCursor;
  } while (cursor);
  return { since, contacts: [...contacts.values()] };
}

/** Creates a record once, even if the step is replayed. */
function create(z, bundle, list, body) {
  return send(z, bundle, "POST", `/${list}`, body, {
    "idempotency-key": `zapier-${list}-${bundle.inputData.operationId}`,
  });
}

async function send(z, bundle, method, path, body, headers = {}) {
  const response = await z.request({ method, url: bundle.authData.crmUrl + path, headers, body });
  return response.data?.data ?? {};
}

module.exports = {
  version: require("./package.json").version,
  platformVersion: require("zapier-platform-core").version,
  authentication: {
    type: "custom",
    fields: [
      { key: "crmUrl", label: "URL", required: true, helpText: "For example https://crm.example.com/integrations/v1" },
      { key: "apiKey", label: "API key", type: "password", required: true },
    ],
    test: { url: "{{bundle.authData.crmUrl}}/me" },
  },
  beforeRequest: [
    (request, _z, bundle) => {
      request.headers["x-api-key"] = bundle.authData.apiKey;
      return request;
    },
  ],
  triggers: Object.fromEntries([newContact, changedContact, wonOpportunity].map((each) => [each.key, each])),
  creates: Object.fromEntries([createTask, createNote, upsertContact].map((each) => [each.key, each])),
};
