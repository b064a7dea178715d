-- The tables of the hand-written server, filled by PostgreSQL itself. :tenants and :tasks are put in before it runs.
CREATE TABLE tasks (
  tenant_id uuid NOT NULL, id uuid NOT NULL DEFAULT gen_random_uuid(), title text NOT NULL, description text,
  priority text NOT NULL, status text NOT NULL, due_date timestamptz, related_to jsonb, assigned_to uuid,
  closed_at timestamptz, created_at timestamptz NOT NULL, updated_at timestamptz NOT NULL
);
INSERT INTO tasks
SELECT ('00000000-0000-0000-0000-' || lpad((n / (:tasks / :tenants))::text, 12, '0'))::uuid, gen_random_uuid(),
  'Call back about the offer ' || n,
  CASE WHEN n % 2 = 1 THEN 'The customer asked for it on the phone and wants to hear from us this week.' END,
  'medium', 'pending', CASE WHEN n % 3 = 0 THEN timestamptz '2026-01-01' END,
  CASE WHEN n % 2 = 0 THEN jsonb_build_object('type', 'account', 'id', gen_random_uuid()) END,
  CASE WHEN n % 4 > 0 THEN gen_random_uuid() END, NULL,
  timestamptz '2025-01-06T08:00:00Z' + (n % (:tasks / :tenants)) * interval '1 second',
  timestamptz '2025-01-06T08:00:00Z' + (n % (:tasks / :tenants)) * interval '1 second'
FROM generate_series(0, :tasks - 1) n;
ALTER TABLE tasks ADD PRIMARY KEY (tenant_id, id);
CREATE INDEX tasks_by_update ON tasks (tenant_id, updated_at, id);
CREATE TABLE accounts (
  tenant_id uuid NOT NULL, id uuid NOT NULL DEFAULT gen_random_uuid(), name text NOT NULL, phone text, external_id text,
  custom_fields jsonb NOT NULL, owner_id uuid, created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(), PRIMARY KEY (tenant_id, id), UNIQUE (tenant_id, name)
);
CREATE INDEX accounts_by_update ON accounts (tenant_id, updated_at, id);
VACUUM ANALYZE tasks;
