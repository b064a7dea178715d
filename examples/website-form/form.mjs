import { createHash, randomUUID } from "node:crypto";
import { createServer } from "node:http";
import { text } from "node:stream/consumers";

const { CRM_URL, CRM_API_KEY, PORT = "3000" } = process.env;
const labels = { name: "Name", email: "Email", phone: "Phone", message: "Message" };
const escape = (value = "") => value.replaceAll(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);

function formPage(values, errors = {}) {
  const inputs = Object.entries(labels).map(([name, label]) => {
    const value = escape(values[name]);
    const input = name === "message" ? `<textarea name="message">\n${value}</textarea>` : `<input name="${name}" value="${value}">`;
    return `<p><label>${label} ${input}</label>
      <strong>${escape(errors[name])}</strong></p>`;
  });
  return `<form method="post"><input type="hidden" name="formId" value="${escape(values.formId)}">
    ${inputs.join("")}<button>Send</button> <strong>${escape(errors.form)}</strong></form>`;
}

async function create(path, idempotencyKey, values) {
  const response = await fetch(CRM_URL + path, {
    method: "POST",
    headers: { "x-api-key": CRM_API_KEY, "content-type": "application/json", "idempotency-key": idempotencyKey },
    body: JSON.stringify(values),
    signal: AbortSignal.timeout(10_000),
  }).catch(() => undefined);
  const { data, error } = (await response?.json().catch(() => undefined)) ?? {};
  return { id: data?.id ?? error?.details?.existingId, fieldErrors: error?.details?.errors ?? [] };
}

async function submit(body) {
  const { formId = randomUUID(), ...values } = Object.fromEntries(new URLSearchParams(body));
  const form = Object.fromEntries(Object.keys(labels).map((name) => [name, values[name] ?? ""]));
  const { message, ...contact } = form;
  const key = createHash("sha256").update(body).digest("hex");
  let { id, fieldErrors } = await create("/contacts", key, contact);
  if (id !== undefined && message.trim() !== "") {
    const note = { body: message, relatedTo: { type: "contact", id } };
    ({ id } = await create("/notes", `${key} note`, note));
  }
  if (id !== undefined) return [200, "<p>Thank you. We will write to you.</p>"];
  const errors = Object.fromEntries(
    fieldErrors.map(({ path, message }) => [path.slice(1), message]).filter(([name]) => name in labels),
  );
  const hasErrors = Object.keys(errors).length > 0;
  if (!hasErrors) errors.form = "We could not save this. Please send it again.";
  return [hasErrors ? 422 : 503, formPage({ ...form, formId }, errors)];
}

const server = createServer(async (request, response) => {
  const isTooLarge = request.method === "POST" && !(Number(request.headers["content-length"]) < 10_000);
  const [status, html] = isTooLarge
    ? [413, "<p>The form is too large.</p>"]
    : request.method === "POST"
      ? await submit(await text(request).catch(() => ""))
      : [200, formPage({ formId: randomUUID() })];
  response.writeHead(status, { "content-type": "text/html; charset=utf-8" });
  response.end(`<!doctype html><title>Contact us</title>${html}`);
});
server.listen(Number(PORT), () => console.log(`http://127.0.0.1:${server.address().port}`));
