import assert from "node:assert/strict";
import { after, type TestContext, test } from "node:test";
import { context, SpanKind, SpanStatusCode, trace } from "@opentelemetry/api";
import { InMemorySpanExporter, NodeTracerProvider, SimpleSpanProcessor } from "@opentelemetry/sdk-trace-node";
import { type Api, type ApiOptions, type RequestSummary, wrapStorage } from "../../../lib/index.ts";
import { type Sent, send as sendTo, testCrm } from "../../support/harness.ts";
import { freshStorage } from "../../support/storages.ts";
import { testTenant } from "../../support/tenants.ts";

const one = testTenant(1);
const exporter = new InMemorySpanExporter();
const provider = new NodeTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
provider.register();
// Other tests run in the same process.
after(() => {
  trace.disable();
  context.disable();
});
const tracer = trace.getTracer("test");

/** Names the active span, as docs/guides/opentelemetry.md shows. */
function onRequest({ method, route, status, code, requestId }: RequestSummary): void {
  const span = trace.getActiveSpan();
  span?.updateName(route === null ? method : `${method} ${route}`);
  span?.setAttributes({
    "http.request.method": method,
    "http.response.status_code": status,
    "crm.request_id": requestId,
  });
  if (route !== null) span?.setAttribute("http.route", route);
  if (status >= 500) span?.setStatus({ code: SpanStatusCode.ERROR });
  if (code !== null) span?.setAttribute("error.type", code);
}

/** Opens an API whose requests run in a span of the host. */
async function openTraced(t: TestContext, options: Partial<ApiOptions> = {}) {
  exporter.reset();
  const crm = await testCrm([one], { onRequest, ...options });
  t.after(() => crm.api.close());
  const traced: Pick<Api, "fetch"> = {
    fetch: (request, env) =>
      tracer.startActiveSpan("host", { kind: SpanKind.SERVER }, (span) =>
        crm.api.fetch(request, env).finally(() => span.end()),
      ),
  };
  const send = (method: string, path: string, sent: Sent = {}) =>
    sendTo(traced, method, path, { key: one.key, ...sent });
  return { send };
}

const spans = () =>
  exporter.getFinishedSpans().map(({ name, attributes, status, parentSpanContext }) => ({
    name,
    status: attributes["http.response.status_code"],
    error: attributes["error.type"],
    isError: status.code === SpanStatusCode.ERROR,
    parent: parentSpanContext?.spanId,
  }));

test("the span of the host gets the name and the result of a success, a replay and a 422, and keeps its parent", async (t) => {
  const { send } = await openTraced(t);
  const headers = { "idempotency-key": "0197b0c4-5d2e-7f31-9a64-8e1f0c2b7d51" };
  const parent = tracer.startSpan("caller");
  await context.with(trace.setSpan(context.active(), parent), async () => {
    await send("GET", `/tasks/${one.task}`);
    for (let i = 0; i < 2; i++) await send("POST", "/tasks", { body: { title: "Call" }, headers });
    await send("POST", "/tasks", { body: { title: "Call", assignedTo: one.id } });
  });
  const expected = { error: undefined, isError: false, parent: parent.spanContext().spanId };
  assert.deepEqual(spans(), [
    { ...expected, name: "GET /tasks/:id", status: 200 },
    { ...expected, name: "POST /tasks", status: 201 },
    { ...expected, name: "POST /tasks", status: 201 },
    { ...expected, name: "POST /tasks", status: 422, error: "invalid_reference" },
  ]);
});

test("the span of an internal error has the status error", async (t) => {
  const list = () => Promise.reject(new Error("broken"));
  const { send } = await openTraced(t, { storage: wrapStorage(await freshStorage(), { list }) });
  await send("GET", "/tasks");
  const expected = { name: "GET /tasks", status: 500, error: "internal_error", isError: true, parent: undefined };
  assert.deepEqual(spans(), [expected]);
});

test("the spans of concurrent requests don't mix", async (t) => {
  const { send } = await openTraced(t);
  const ids = Array.from({ length: 20 }, (_, index) => `request-${index}`);
  await Promise.all(
    ids.map((id, index) => {
      const headers = { "x-request-id": id };
      return index % 2 === 0
        ? send("POST", "/tasks", { body: { title: id }, headers })
        : send("GET", `/tasks/${one.task}`, { headers });
    }),
  );
  const found = exporter.getFinishedSpans().map(({ name, attributes }) => [attributes["crm.request_id"], name]);
  assert.deepEqual(
    found.sort(),
    ids.map((id, index) => [id, index % 2 === 0 ? "POST /tasks" : "GET /tasks/:id"]).sort(),
  );
});
