import type { AddressInfo } from "node:net";
import express from "express";
import pg from "pg";

/**
 * A hand-written server with the same list, record and create on Express and PostgreSQL, and nothing
 * else: no API keys, limits, custom fields, rules, idempotency or checks. It trusts the tenant in a header.
 */
const pool = new pg.Pool({ connectionString: process.argv[2], max: 20 });
const app = express();
app.disable("x-powered-by");
app.disable("etag");
app.use(express.json());

const columns = `id, title, description, priority, status, due_date AS "dueDate", related_to AS "relatedTo",
  assigned_to AS "assignedTo", closed_at AS "closedAt", created_at AS "createdAt", updated_at AS "updatedAt"`;
const limit = 50;

app.get("/tasks", async (request, response) => {
  const [at, id] = JSON.parse(Buffer.from(String(request.query.cursor), "base64url").toString()) as [string, string];
  const { rows } = await pool.query({
    name: "list",
    text: `SELECT ${columns} FROM tasks WHERE tenant_id = $1 AND (updated_at, id) > ($2, $3) ORDER BY updated_at, id LIMIT ${limit + 1}`,
    values: [request.get("x-tenant"), at, id],
  });
  const data = rows.slice(0, limit);
  const last = data.at(-1);
  const next = rows.length > limit && JSON.stringify([last.updatedAt, last.id]);
  response.json({ data, nextCursor: next ? Buffer.from(next).toString("base64url") : null });
});

const account = `id, name, phone, external_id AS "externalId", custom_fields AS "customFields", owner_id AS "ownerId",
  created_at AS "createdAt", updated_at AS "updatedAt"`;

app.get("/accounts/:id", async (request, response) => {
  const { rows } = await pool.query({
    name: "record",
    text: `SELECT ${account} FROM accounts WHERE tenant_id = $1 AND id = $2`,
    values: [request.get("x-tenant"), request.params.id],
  });
  response.status(rows.length === 0 ? 404 : 200).json({ data: rows[0] });
});

app.post("/accounts", async (request, response) => {
  const { name, phone, externalId, customFields } = request.body;
  const { rows } = await pool.query({
    name: "create",
    text: `INSERT INTO accounts (tenant_id, name, phone, external_id, custom_fields, owner_id)
      VALUES ($1, $2, $3, $4, $5, gen_random_uuid()) RETURNING ${account}`,
    values: [request.get("x-tenant"), name, phone, externalId, customFields],
  });
  response.status(201).json({ data: rows[0] });
});

const server = app.listen(0, "127.0.0.1", () => {
  const { port } = server.address() as AddressInfo;
  process.stdout.write(`${JSON.stringify({ url: `http://127.0.0.1:${port}` })}\n`);
});
process.once("SIGTERM", () => process.exit(0));
