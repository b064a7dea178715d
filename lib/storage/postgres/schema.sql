-- The PostgreSQL schema of crm-integrations. The SQLite schema (schema.sql at the top level) has the same records and
-- more explanations.
--
-- `tenant_id` is the first column of every primary, unique and foreign key and of every index, and every statement filters
-- by it. If the tables are distributed by `tenant_id`, a request uses one shard. The two tables whose comment starts with
-- "reference" are small, and each node has a copy. `api_key_owners` leads to the tenant. IDs and normalized values are compared byte by byte (COLLATE "C").
-- Times are milliseconds since 1970. JSON is stored as text.

-- Tenants. A tenant is a record of itself.
CREATE TABLE tenants (
  tenant_id   TEXT COLLATE "C" NOT NULL,
  id          TEXT COLLATE "C" NOT NULL,
  name        TEXT NOT NULL,
  created_at  BIGINT NOT NULL,
  updated_at  BIGINT NOT NULL,
  archived_at BIGINT,
  archived    SMALLINT NOT NULL GENERATED ALWAYS AS (CASE WHEN archived_at IS NULL THEN 0 ELSE 1 END) STORED,
  PRIMARY KEY (tenant_id, id),
  UNIQUE (tenant_id),
  CONSTRAINT tenant_belongs_to_itself CHECK (tenant_id = id)
);
COMMENT ON TABLE tenants IS 'reference: read whole by who runs the servers, never for a request';

-- The last commit time of each tenant. It only increases, even if the system clock is set back. `settings_version` is the
-- time of the last commit that wrote a setting, such as a custom field, a user or an API key. Events before `events_from`
-- don't exist: they were deleted, or the tenant was loaded at that time.
CREATE TABLE tenant_clocks (
  tenant_id        TEXT COLLATE "C" NOT NULL PRIMARY KEY REFERENCES tenants (tenant_id),
  last_at          BIGINT NOT NULL,
  settings_version BIGINT NOT NULL DEFAULT 0,
  events_from      BIGINT NOT NULL DEFAULT 0
);

-- Settings of the database: `cursor_secret` signs the cursors, `schema_version` is the version of the schema.
CREATE TABLE settings (
  name  TEXT NOT NULL PRIMARY KEY,
  value BYTEA NOT NULL
);
COMMENT ON TABLE settings IS 'reference: of the whole database';

-- Users of a tenant. Only active users can be assigned to records.
CREATE TABLE users (
  tenant_id   TEXT COLLATE "C" NOT NULL,
  id          TEXT COLLATE "C" NOT NULL,
  name        TEXT NOT NULL,
  email       TEXT NOT NULL,
  email_key   TEXT COLLATE "C" NOT NULL,
  external_id TEXT COLLATE "C",
  role        TEXT NOT NULL,
  active      BOOLEAN NOT NULL,
  created_at  BIGINT NOT NULL,
  updated_at  BIGINT NOT NULL,
  archived_at BIGINT,
  archived    SMALLINT NOT NULL GENERATED ALWAYS AS (CASE WHEN archived_at IS NULL THEN 0 ELSE 1 END) STORED,
  PRIMARY KEY (tenant_id, id),
  FOREIGN KEY (tenant_id) REFERENCES tenants (tenant_id),
  CONSTRAINT role_known CHECK (role IN ('admin', 'member'))
);
CREATE UNIQUE INDEX users_email_taken ON users (tenant_id, email_key) WHERE archived_at IS NULL;
CREATE INDEX users_by_update ON users (tenant_id, archived, updated_at, id);

-- Sales pipelines. At most one pipeline of a tenant is the default.
CREATE TABLE pipelines (
  tenant_id           TEXT COLLATE "C" NOT NULL,
  id                  TEXT COLLATE "C" NOT NULL,
  name                TEXT NOT NULL,
  is_default          BOOLEAN NOT NULL,
  lost_reasons        TEXT NOT NULL,
  require_lost_reason BOOLEAN NOT NULL,
  created_at          BIGINT NOT NULL,
  updated_at          BIGINT NOT NULL,
  archived_at         BIGINT,
  archived            SMALLINT NOT NULL GENERATED ALWAYS AS (CASE WHEN archived_at IS NULL THEN 0 ELSE 1 END) STORED,
  PRIMARY KEY (tenant_id, id),
  FOREIGN KEY (tenant_id) REFERENCES tenants (tenant_id),
  CONSTRAINT lost_reasons_is_list CHECK (json_typeof(lost_reasons::json) = 'array')
);
CREATE UNIQUE INDEX pipelines_one_default ON pipelines (tenant_id) WHERE is_default AND archived_at IS NULL;
CREATE INDEX pipelines_by_update ON pipelines (tenant_id, archived, updated_at, id);

-- Stages of a pipeline, sorted by "order". `probability` is the chance to win, in percent. `name_key` is the normalized
-- name. It is unique among the stages of the pipeline that aren't archived.
CREATE TABLE stages (
  tenant_id   TEXT COLLATE "C" NOT NULL,
  id          TEXT COLLATE "C" NOT NULL,
  pipeline_id TEXT COLLATE "C" NOT NULL,
  name        TEXT NOT NULL,
  name_key    TEXT COLLATE "C" NOT NULL,
  "order"     BIGINT NOT NULL,
  probability DOUBLE PRECISION,
  created_at  BIGINT NOT NULL,
  updated_at  BIGINT NOT NULL,
  archived_at BIGINT,
  archived    SMALLINT NOT NULL GENERATED ALWAYS AS (CASE WHEN archived_at IS NULL THEN 0 ELSE 1 END) STORED,
  PRIMARY KEY (tenant_id, id),
  UNIQUE (tenant_id, pipeline_id, id),
  FOREIGN KEY (tenant_id, pipeline_id) REFERENCES pipelines (tenant_id, id),
  CONSTRAINT probability_is_percent CHECK (probability BETWEEN 0 AND 100)
);
CREATE UNIQUE INDEX stages_name_taken ON stages (tenant_id, pipeline_id, name_key) WHERE archived_at IS NULL;
CREATE INDEX stages_by_update ON stages (tenant_id, archived, updated_at, id);
CREATE INDEX stages_by_pipeline ON stages (tenant_id, pipeline_id, archived, updated_at, id);

-- Custom fields of a tenant, sorted by `position`. `key_key` is the key in lower case. It is unique among the fields of the
-- entity that aren't archived.
CREATE TABLE custom_fields (
  tenant_id     TEXT COLLATE "C" NOT NULL,
  id            TEXT COLLATE "C" NOT NULL,
  entity        TEXT NOT NULL,
  key           TEXT COLLATE "C" NOT NULL,
  key_key       TEXT COLLATE "C" NOT NULL,
  label         TEXT NOT NULL,
  type          TEXT NOT NULL,
  required      BOOLEAN NOT NULL,
  description   TEXT,
  max_length    BIGINT,
  options       TEXT,
  option_labels TEXT,
  position      BIGINT NOT NULL,
  created_at    BIGINT NOT NULL,
  updated_at    BIGINT NOT NULL,
  archived_at   BIGINT,
  archived      SMALLINT NOT NULL GENERATED ALWAYS AS (CASE WHEN archived_at IS NULL THEN 0 ELSE 1 END) STORED,
  PRIMARY KEY (tenant_id, id),
  FOREIGN KEY (tenant_id) REFERENCES tenants (tenant_id),
  CONSTRAINT entity_known CHECK (entity IN ('account', 'contact', 'opportunity')),
  CONSTRAINT type_known CHECK (type IN ('text', 'number', 'currency', 'date', 'list', 'multi_list')),
  CONSTRAINT options_are_for_lists CHECK ((type IN ('list', 'multi_list')) = (options IS NOT NULL)),
  CONSTRAINT max_length_is_for_text CHECK (max_length IS NULL OR type = 'text')
);
CREATE UNIQUE INDEX custom_fields_key_taken ON custom_fields (tenant_id, entity, key_key) WHERE archived_at IS NULL;
CREATE INDEX custom_fields_by_update ON custom_fields (tenant_id, archived, updated_at, id);
CREATE INDEX custom_fields_by_entity ON custom_fields (tenant_id, entity, archived, updated_at, id);

-- Required-field rules of a tenant. With "when", a rule applies only at some stages or statuses.
CREATE TABLE rules (
  tenant_id   TEXT COLLATE "C" NOT NULL,
  id          TEXT COLLATE "C" NOT NULL,
  entity      TEXT NOT NULL,
  field       TEXT NOT NULL,
  "when"      TEXT,
  created_at  BIGINT NOT NULL,
  updated_at  BIGINT NOT NULL,
  archived_at BIGINT,
  archived    SMALLINT NOT NULL GENERATED ALWAYS AS (CASE WHEN archived_at IS NULL THEN 0 ELSE 1 END) STORED,
  PRIMARY KEY (tenant_id, id),
  FOREIGN KEY (tenant_id) REFERENCES tenants (tenant_id),
  CONSTRAINT entity_known CHECK (entity IN ('account', 'contact', 'opportunity', 'task', 'note'))
);
CREATE INDEX rules_by_update ON rules (tenant_id, archived, updated_at, id);
CREATE INDEX rules_by_entity ON rules (tenant_id, entity, archived, updated_at, id);

-- Integrations: client systems of a tenant, with their scopes. `name_key` is the normalized name. It is unique among
-- integrations that aren't archived.
CREATE TABLE integrations (
  tenant_id   TEXT COLLATE "C" NOT NULL,
  id          TEXT COLLATE "C" NOT NULL,
  name        TEXT NOT NULL,
  name_key    TEXT COLLATE "C" NOT NULL,
  scopes      TEXT NOT NULL,
  created_at  BIGINT NOT NULL,
  updated_at  BIGINT NOT NULL,
  archived_at BIGINT,
  archived    SMALLINT NOT NULL GENERATED ALWAYS AS (CASE WHEN archived_at IS NULL THEN 0 ELSE 1 END) STORED,
  PRIMARY KEY (tenant_id, id),
  FOREIGN KEY (tenant_id) REFERENCES tenants (tenant_id),
  CONSTRAINT scopes_is_list CHECK (json_typeof(scopes::json) = 'array')
);
CREATE UNIQUE INDEX integrations_name_taken ON integrations (tenant_id, name_key) WHERE archived_at IS NULL;
CREATE INDEX integrations_by_update ON integrations (tenant_id, archived, updated_at, id);

-- API keys of integrations. Only the SHA-256 of a key is stored (`hash`).
CREATE TABLE api_keys (
  tenant_id      TEXT COLLATE "C" NOT NULL,
  id             TEXT COLLATE "C" NOT NULL,
  integration_id TEXT COLLATE "C" NOT NULL,
  hash           TEXT COLLATE "C" NOT NULL,
  masked_key     TEXT COLLATE "C" NOT NULL,
  created_by     TEXT COLLATE "C",
  last_used_at   BIGINT,
  expires_at     BIGINT,
  revoked_at     BIGINT,
  created_at     BIGINT NOT NULL,
  updated_at     BIGINT NOT NULL,
  archived_at    BIGINT,
  archived       SMALLINT NOT NULL GENERATED ALWAYS AS (CASE WHEN archived_at IS NULL THEN 0 ELSE 1 END) STORED,
  PRIMARY KEY (tenant_id, id),
  FOREIGN KEY (tenant_id, integration_id) REFERENCES integrations (tenant_id, id),
  FOREIGN KEY (tenant_id, created_by) REFERENCES users (tenant_id, id),
  CONSTRAINT hash_is_sha256 CHECK (length(hash) = 64)
);
CREATE UNIQUE INDEX api_keys_by_hash ON api_keys (tenant_id, hash);
CREATE INDEX api_keys_by_update ON api_keys (tenant_id, archived, updated_at, id);
CREATE INDEX api_keys_by_integration ON api_keys (tenant_id, integration_id, archived, updated_at, id);

-- The tenant of each API key. Only this table is read before the tenant is known. Rows never change.
CREATE TABLE api_key_owners (
  hash      TEXT COLLATE "C" NOT NULL PRIMARY KEY,
  tenant_id TEXT COLLATE "C" NOT NULL
);
COMMENT ON TABLE api_key_owners IS 'distributed by hash: leads from a key to its tenant';

-- Grants: permissions of external systems to act for a user.
CREATE TABLE grants (
  tenant_id   TEXT COLLATE "C" NOT NULL,
  id          TEXT COLLATE "C" NOT NULL,
  user_id     TEXT COLLATE "C" NOT NULL,
  created_at  BIGINT NOT NULL,
  updated_at  BIGINT NOT NULL,
  archived_at BIGINT,
  archived    SMALLINT NOT NULL GENERATED ALWAYS AS (CASE WHEN archived_at IS NULL THEN 0 ELSE 1 END) STORED,
  PRIMARY KEY (tenant_id, id),
  FOREIGN KEY (tenant_id, user_id) REFERENCES users (tenant_id, id)
);
CREATE INDEX grants_by_update ON grants (tenant_id, archived, updated_at, id);

-- URLs that receive events. `integration_id` is NULL for those of the tenant's admins. Tenant files don't contain them.
CREATE TABLE webhooks (
  tenant_id             TEXT COLLATE "C" NOT NULL,
  id                    TEXT COLLATE "C" NOT NULL,
  integration_id        TEXT COLLATE "C",
  url                   TEXT NOT NULL,
  types                 TEXT,
  skip_own              BOOLEAN NOT NULL,
  active                BOOLEAN NOT NULL,
  description           TEXT,
  secret                TEXT NOT NULL,
  previous_secret       TEXT,
  previous_secret_until BIGINT,
  created_at            BIGINT NOT NULL,
  updated_at            BIGINT NOT NULL,
  archived_at           BIGINT,
  archived              SMALLINT NOT NULL GENERATED ALWAYS AS (CASE WHEN archived_at IS NULL THEN 0 ELSE 1 END) STORED,
  PRIMARY KEY (tenant_id, id),
  FOREIGN KEY (tenant_id, integration_id) REFERENCES integrations (tenant_id, id)
);
CREATE INDEX webhooks_by_update ON webhooks (tenant_id, archived, updated_at, id);

-- Accounts: companies that a tenant does business with. `name_key` is the normalized name. It is unique among accounts
-- that aren't archived.
-- `phone_digits` has the digits of the phone number, NULL if there are none.
CREATE TABLE accounts (
  tenant_id     TEXT COLLATE "C" NOT NULL,
  id            TEXT COLLATE "C" NOT NULL,
  name          TEXT NOT NULL,
  name_key      TEXT COLLATE "C" NOT NULL,
  document      TEXT,
  website       TEXT,
  phone         TEXT,
  email         TEXT,
  description   TEXT,
  address       TEXT,
  owner_id      TEXT COLLATE "C",
  external_id   TEXT COLLATE "C",
  custom_fields TEXT NOT NULL,
  created_at    BIGINT NOT NULL,
  updated_at    BIGINT NOT NULL,
  archived_at   BIGINT,
  archived      SMALLINT NOT NULL GENERATED ALWAYS AS (CASE WHEN archived_at IS NULL THEN 0 ELSE 1 END) STORED,
  json          TEXT NOT NULL,
  phone_digits  TEXT COLLATE "C",
  PRIMARY KEY (tenant_id, id),
  FOREIGN KEY (tenant_id) REFERENCES tenants (tenant_id),
  FOREIGN KEY (tenant_id, owner_id) REFERENCES users (tenant_id, id),
  CONSTRAINT custom_fields_is_object CHECK (json_typeof(custom_fields::json) = 'object')
);
CREATE UNIQUE INDEX accounts_name_taken ON accounts (tenant_id, name_key) WHERE archived_at IS NULL;
CREATE INDEX accounts_by_update ON accounts (tenant_id, archived, updated_at, id);
CREATE INDEX accounts_by_creation ON accounts (tenant_id, archived, created_at, id);
CREATE INDEX accounts_archived_by_name ON accounts (tenant_id, name_key, updated_at, id) WHERE archived_at IS NOT NULL;
CREATE INDEX accounts_by_owner ON accounts (tenant_id, owner_id, archived, updated_at, id);
CREATE INDEX accounts_by_external_id ON accounts (tenant_id, external_id, archived, updated_at, id);
CREATE INDEX accounts_by_phone ON accounts (tenant_id, right(phone_digits, 7), archived, updated_at, id)
  WHERE phone_digits IS NOT NULL;

-- Contacts: people that a tenant does business with. `email_key` is the normalized email address. It is unique among
-- contacts that aren't archived.
CREATE TABLE contacts (
  tenant_id     TEXT COLLATE "C" NOT NULL,
  id            TEXT COLLATE "C" NOT NULL,
  name          TEXT NOT NULL,
  email         TEXT,
  email_key     TEXT COLLATE "C",
  phone         TEXT,
  job_title     TEXT,
  account_id    TEXT COLLATE "C",
  owner_id      TEXT COLLATE "C",
  external_id   TEXT COLLATE "C",
  custom_fields TEXT NOT NULL,
  created_at    BIGINT NOT NULL,
  updated_at    BIGINT NOT NULL,
  archived_at   BIGINT,
  archived      SMALLINT NOT NULL GENERATED ALWAYS AS (CASE WHEN archived_at IS NULL THEN 0 ELSE 1 END) STORED,
  json          TEXT NOT NULL,
  phone_digits  TEXT COLLATE "C",
  PRIMARY KEY (tenant_id, id),
  FOREIGN KEY (tenant_id) REFERENCES tenants (tenant_id),
  FOREIGN KEY (tenant_id, account_id) REFERENCES accounts (tenant_id, id),
  FOREIGN KEY (tenant_id, owner_id) REFERENCES users (tenant_id, id),
  CONSTRAINT email_key_with_email CHECK ((email IS NULL) = (email_key IS NULL)),
  CONSTRAINT custom_fields_is_object CHECK (json_typeof(custom_fields::json) = 'object')
);
CREATE UNIQUE INDEX contacts_email_taken ON contacts (tenant_id, email_key) WHERE archived_at IS NULL;
CREATE INDEX contacts_by_update ON contacts (tenant_id, archived, updated_at, id);
CREATE INDEX contacts_by_creation ON contacts (tenant_id, archived, created_at, id);
CREATE INDEX contacts_archived_by_email ON contacts (tenant_id, email_key, updated_at, id) WHERE archived_at IS NOT NULL;
CREATE INDEX contacts_by_account ON contacts (tenant_id, account_id, archived, updated_at, id);
CREATE INDEX contacts_by_owner ON contacts (tenant_id, owner_id, archived, updated_at, id);
CREATE INDEX contacts_by_external_id ON contacts (tenant_id, external_id, archived, updated_at, id);
CREATE INDEX contacts_by_phone ON contacts (tenant_id, right(phone_digits, 7), archived, updated_at, id)
  WHERE phone_digits IS NOT NULL;

-- Opportunities: potential deals. The stage belongs to the pipeline.
CREATE TABLE opportunities (
  tenant_id           TEXT COLLATE "C" NOT NULL,
  id                  TEXT COLLATE "C" NOT NULL,
  name                TEXT NOT NULL,
  account_id          TEXT COLLATE "C",
  pipeline_id         TEXT COLLATE "C" NOT NULL,
  stage_id            TEXT COLLATE "C" NOT NULL,
  status              TEXT NOT NULL,
  amount              DOUBLE PRECISION,
  currency            TEXT,
  expected_close_date TEXT,
  owner_id            TEXT COLLATE "C",
  lost_reason         TEXT,
  closed_at           BIGINT,
  stage_changed_at    BIGINT,
  external_id         TEXT COLLATE "C",
  custom_fields       TEXT NOT NULL,
  created_at          BIGINT NOT NULL,
  updated_at          BIGINT NOT NULL,
  archived_at         BIGINT,
  archived            SMALLINT NOT NULL GENERATED ALWAYS AS (CASE WHEN archived_at IS NULL THEN 0 ELSE 1 END) STORED,
  json                TEXT NOT NULL,
  PRIMARY KEY (tenant_id, id),
  FOREIGN KEY (tenant_id) REFERENCES tenants (tenant_id),
  FOREIGN KEY (tenant_id, account_id) REFERENCES accounts (tenant_id, id),
  FOREIGN KEY (tenant_id, pipeline_id, stage_id) REFERENCES stages (tenant_id, pipeline_id, id),
  FOREIGN KEY (tenant_id, owner_id) REFERENCES users (tenant_id, id),
  CONSTRAINT status_known CHECK (status IN ('open', 'won', 'lost')),
  CONSTRAINT open_or_closed_at CHECK ((status = 'open') = (closed_at IS NULL)),
  CONSTRAINT lost_reason_when_lost CHECK (lost_reason IS NULL OR status = 'lost'),
  CONSTRAINT custom_fields_is_object CHECK (json_typeof(custom_fields::json) = 'object')
);
CREATE INDEX opportunities_by_update ON opportunities (tenant_id, archived, updated_at, id);
CREATE INDEX opportunities_by_creation ON opportunities (tenant_id, archived, created_at, id);
CREATE INDEX opportunities_by_status ON opportunities (tenant_id, status, archived, updated_at, id);
CREATE INDEX opportunities_by_pipeline ON opportunities (tenant_id, pipeline_id, archived, updated_at, id);
CREATE INDEX opportunities_by_stage ON opportunities (tenant_id, stage_id, archived, updated_at, id);
CREATE INDEX opportunities_by_account ON opportunities (tenant_id, account_id, archived, updated_at, id);
CREATE INDEX opportunities_by_owner ON opportunities (tenant_id, owner_id, archived, updated_at, id);
CREATE INDEX opportunities_by_external_id ON opportunities (tenant_id, external_id, archived, updated_at, id);

-- Contacts of opportunities, sorted by `position`. `archived` and `updated_at` repeat those of the opportunity, so that an
-- index scan returns the opportunities of a contact in list order.
CREATE TABLE opportunity_contacts (
  tenant_id      TEXT COLLATE "C" NOT NULL,
  opportunity_id TEXT COLLATE "C" NOT NULL,
  contact_id     TEXT COLLATE "C" NOT NULL,
  position       BIGINT NOT NULL,
  archived       SMALLINT NOT NULL,
  updated_at     BIGINT NOT NULL,
  PRIMARY KEY (tenant_id, opportunity_id, contact_id),
  FOREIGN KEY (tenant_id, opportunity_id) REFERENCES opportunities (tenant_id, id),
  FOREIGN KEY (tenant_id, contact_id) REFERENCES contacts (tenant_id, id)
);
CREATE INDEX opportunity_contacts_by_contact
  ON opportunity_contacts (tenant_id, contact_id, archived, updated_at, opportunity_id);

-- Tasks. `related_to_id` references a record of the kind `related_to_type`. The three generated columns exist for the
-- foreign keys.
CREATE TABLE tasks (
  tenant_id              TEXT COLLATE "C" NOT NULL,
  id                     TEXT COLLATE "C" NOT NULL,
  title                  TEXT NOT NULL,
  description            TEXT,
  priority               TEXT NOT NULL,
  status                 TEXT NOT NULL,
  due_date               BIGINT,
  related_to_type        TEXT,
  related_to_id          TEXT COLLATE "C",
  assigned_to            TEXT COLLATE "C",
  closed_at              BIGINT,
  created_at             BIGINT NOT NULL,
  updated_at             BIGINT NOT NULL,
  archived_at            BIGINT,
  archived               SMALLINT NOT NULL GENERATED ALWAYS AS (CASE WHEN archived_at IS NULL THEN 0 ELSE 1 END) STORED,
  json                   TEXT NOT NULL,
  related_account_id     TEXT COLLATE "C" GENERATED ALWAYS AS (CASE related_to_type WHEN 'account' THEN related_to_id END) STORED,
  related_contact_id     TEXT COLLATE "C" GENERATED ALWAYS AS (CASE related_to_type WHEN 'contact' THEN related_to_id END) STORED,
  related_opportunity_id TEXT COLLATE "C" GENERATED ALWAYS AS (CASE related_to_type WHEN 'opportunity' THEN related_to_id END) STORED,
  PRIMARY KEY (tenant_id, id),
  FOREIGN KEY (tenant_id) REFERENCES tenants (tenant_id),
  FOREIGN KEY (tenant_id, assigned_to) REFERENCES users (tenant_id, id),
  FOREIGN KEY (tenant_id, related_account_id) REFERENCES accounts (tenant_id, id),
  FOREIGN KEY (tenant_id, related_contact_id) REFERENCES contacts (tenant_id, id),
  FOREIGN KEY (tenant_id, related_opportunity_id) REFERENCES opportunities (tenant_id, id),
  CONSTRAINT priority_known CHECK (priority IN ('low', 'medium', 'high')),
  CONSTRAINT status_known CHECK (status IN ('pending', 'completed', 'canceled')),
  CONSTRAINT pending_or_closed_at CHECK ((status = 'pending') = (closed_at IS NULL)),
  CONSTRAINT related_to_is_whole CHECK ((related_to_type IS NULL) = (related_to_id IS NULL)),
  CONSTRAINT related_to_type_known CHECK (related_to_type IN ('account', 'contact', 'opportunity'))
);
CREATE INDEX tasks_by_update ON tasks (tenant_id, archived, updated_at, id);
CREATE INDEX tasks_by_creation ON tasks (tenant_id, archived, created_at, id);
CREATE INDEX tasks_by_status ON tasks (tenant_id, status, archived, updated_at, id);
CREATE INDEX tasks_by_assignee ON tasks (tenant_id, assigned_to, archived, updated_at, id);
CREATE INDEX tasks_by_assignee_and_status ON tasks (tenant_id, assigned_to, status, archived, updated_at, id);
-- `status` is the last column so that a filter by status reads only matching tasks.
CREATE INDEX tasks_by_relation ON tasks (tenant_id, related_to_id, archived, updated_at, id, status);
CREATE INDEX tasks_by_relation_and_assignee ON tasks (tenant_id, related_to_id, assigned_to, archived, updated_at, id, status);

-- Notes: texts about one record, whose kind is `related_to_type`. Foreign keys as for tasks.
CREATE TABLE notes (
  tenant_id              TEXT COLLATE "C" NOT NULL,
  id                     TEXT COLLATE "C" NOT NULL,
  body                   TEXT NOT NULL,
  related_to_type        TEXT NOT NULL,
  related_to_id          TEXT COLLATE "C" NOT NULL,
  author_id              TEXT COLLATE "C",
  occurred_at            BIGINT NOT NULL,
  external_id            TEXT COLLATE "C",
  created_at             BIGINT NOT NULL,
  updated_at             BIGINT NOT NULL,
  archived_at            BIGINT,
  archived               SMALLINT NOT NULL GENERATED ALWAYS AS (CASE WHEN archived_at IS NULL THEN 0 ELSE 1 END) STORED,
  related_account_id     TEXT COLLATE "C" GENERATED ALWAYS AS (CASE related_to_type WHEN 'account' THEN related_to_id END) STORED,
  related_contact_id     TEXT COLLATE "C" GENERATED ALWAYS AS (CASE related_to_type WHEN 'contact' THEN related_to_id END) STORED,
  related_opportunity_id TEXT COLLATE "C" GENERATED ALWAYS AS (CASE related_to_type WHEN 'opportunity' THEN related_to_id END) STORED,
  json                   TEXT NOT NULL,
  PRIMARY KEY (tenant_id, id),
  FOREIGN KEY (tenant_id) REFERENCES tenants (tenant_id),
  FOREIGN KEY (tenant_id, author_id) REFERENCES users (tenant_id, id),
  FOREIGN KEY (tenant_id, related_account_id) REFERENCES accounts (tenant_id, id),
  FOREIGN KEY (tenant_id, related_contact_id) REFERENCES contacts (tenant_id, id),
  FOREIGN KEY (tenant_id, related_opportunity_id) REFERENCES opportunities (tenant_id, id),
  CONSTRAINT related_to_type_known CHECK (related_to_type IN ('account', 'contact', 'opportunity'))
);
CREATE INDEX notes_by_update ON notes (tenant_id, archived, updated_at, id);
CREATE INDEX notes_by_creation ON notes (tenant_id, archived, created_at, id);
CREATE INDEX notes_by_relation ON notes (tenant_id, related_to_id, archived, updated_at, id);
CREATE INDEX notes_by_author ON notes (tenant_id, author_id, archived, updated_at, id);
CREATE INDEX notes_by_external_id ON notes (tenant_id, external_id, archived, updated_at, id);

-- Stored responses of POST requests with an Idempotency-Key, written in the transaction of the request and deleted after
-- 24 hours. `id` consists of the caller (an integration or an admin) and the key. There are no lists of them.
CREATE TABLE idempotency_records (
  tenant_id      TEXT COLLATE "C" NOT NULL,
  id             TEXT COLLATE "C" NOT NULL,
  integration_id TEXT COLLATE "C",
  fingerprint    TEXT NOT NULL,
  path           TEXT NOT NULL,
  status         BIGINT NOT NULL,
  body           TEXT,
  location       TEXT,
  created_at     BIGINT NOT NULL,
  updated_at     BIGINT NOT NULL,
  archived_at    BIGINT,
  archived       SMALLINT NOT NULL GENERATED ALWAYS AS (CASE WHEN archived_at IS NULL THEN 0 ELSE 1 END) STORED,
  PRIMARY KEY (tenant_id, id),
  FOREIGN KEY (tenant_id, integration_id) REFERENCES integrations (tenant_id, id),
  CONSTRAINT only_success_is_stored CHECK (status BETWEEN 200 AND 299)
);
-- The expired records of all tenants are deleted by one statement.
CREATE INDEX idempotency_records_by_age ON idempotency_records (created_at);

-- What each commit did to each record, written in that commit. `id` starts with the commit time, so the primary key has the
-- order of the commits and is the only index. `before` has the former values of the fields in `changed`.
CREATE TABLE events (
  tenant_id      TEXT COLLATE "C" NOT NULL,
  id             TEXT COLLATE "C" NOT NULL,
  type           TEXT NOT NULL,
  record_id      TEXT COLLATE "C" NOT NULL,
  changed        TEXT,
  before         TEXT,
  previous_at    BIGINT,
  integration_id TEXT COLLATE "C",
  key_id         TEXT COLLATE "C",
  user_id        TEXT COLLATE "C",
  request_id     TEXT,
  created_at     BIGINT NOT NULL,
  updated_at     BIGINT NOT NULL,
  archived_at    BIGINT,
  PRIMARY KEY (tenant_id, id)
);

-- What was delivered of each webhook: the events up to `position_id`, or those before `position_at`. Rows are updated at
-- most once a second.
CREATE TABLE webhook_states (
  tenant_id       TEXT COLLATE "C" NOT NULL,
  id              TEXT COLLATE "C" NOT NULL,
  position_at     BIGINT NOT NULL,
  position_id     TEXT COLLATE "C",
  failing_since   BIGINT,
  failures        BIGINT NOT NULL,
  rejections      BIGINT NOT NULL,
  next_attempt_at BIGINT,
  last_attempt    TEXT,
  last_success_at BIGINT,
  paused_reason   TEXT,
  skipped         TEXT NOT NULL,
  lease_owner     TEXT,
  lease_until     BIGINT,
  created_at      BIGINT NOT NULL,
  updated_at      BIGINT NOT NULL,
  archived_at     BIGINT,
  archived        SMALLINT NOT NULL GENERATED ALWAYS AS (CASE WHEN archived_at IS NULL THEN 0 ELSE 1 END) STORED,
  PRIMARY KEY (tenant_id, id),
  FOREIGN KEY (tenant_id, id) REFERENCES webhooks (tenant_id, id),
  CONSTRAINT paused_reason_known CHECK (paused_reason IN ('failing', 'gone', 'expired'))
);
CREATE INDEX webhook_states_by_update ON webhook_states (tenant_id, archived, updated_at, id);

-- How each user signs in to the console: the hashes of the tokens of sessions and of the invitation, and passkeys. Rows
-- are updated at most once a minute per session.
CREATE TABLE console_access (
  tenant_id   TEXT COLLATE "C" NOT NULL,
  id          TEXT COLLATE "C" NOT NULL,
  sessions    TEXT NOT NULL,
  invitation  TEXT,
  passkeys    TEXT NOT NULL,
  created_at  BIGINT NOT NULL,
  updated_at  BIGINT NOT NULL,
  archived_at BIGINT,
  archived    SMALLINT NOT NULL GENERATED ALWAYS AS (CASE WHEN archived_at IS NULL THEN 0 ELSE 1 END) STORED,
  PRIMARY KEY (tenant_id, id),
  FOREIGN KEY (tenant_id, id) REFERENCES users (tenant_id, id)
);
CREATE INDEX console_access_by_update ON console_access (tenant_id, archived, updated_at, id);

-- The records that a search or `q` finds: those that aren't archived. `terms` has their words, each after its tenant and
-- kind. A pending list of the index would make searches slower.
CREATE TABLE search_entries (
  tenant_id  TEXT COLLATE "C" NOT NULL,
  kind       TEXT COLLATE "C" NOT NULL,
  id         TEXT COLLATE "C" NOT NULL,
  terms      TSVECTOR NOT NULL,
  updated_at BIGINT NOT NULL,
  PRIMARY KEY (tenant_id, kind, id),
  FOREIGN KEY (tenant_id) REFERENCES tenants (tenant_id)
);
CREATE INDEX search_entries_by_term ON search_entries USING gin (terms) WITH (fastupdate = off);

-- The requests of the last days. Unlogged: a crash of the database empties these tables. `entry` has the other members
-- of an entry as JSON.
CREATE UNLOGGED TABLE request_log (
  tenant_id      TEXT COLLATE "C" NOT NULL,
  at             BIGINT NOT NULL,
  id             TEXT COLLATE "C" NOT NULL,
  request_id     TEXT COLLATE "C" NOT NULL,
  integration_id TEXT COLLATE "C",
  key_id         TEXT COLLATE "C",
  user_id        TEXT COLLATE "C",
  operation      TEXT COLLATE "C" NOT NULL,
  status         BIGINT NOT NULL,
  code           TEXT COLLATE "C",
  duration_ms    DOUBLE PRECISION NOT NULL,
  entry          TEXT NOT NULL,
  PRIMARY KEY (tenant_id, at, id)
);
CREATE INDEX request_log_by_request_id ON request_log (tenant_id, request_id);
-- Old entries of all tenants are deleted by one statement.
CREATE INDEX request_log_by_time ON request_log (at);

-- The number of successful reads, and of repeated 429 and 503 responses, by minute.
CREATE UNLOGGED TABLE request_counts (
  tenant_id      TEXT COLLATE "C" NOT NULL,
  at             BIGINT NOT NULL,
  integration_id TEXT COLLATE "C" NOT NULL,
  operation      TEXT COLLATE "C" NOT NULL,
  code           TEXT COLLATE "C" NOT NULL,
  count          BIGINT NOT NULL,
  client_errors  BIGINT NOT NULL,
  server_errors  BIGINT NOT NULL,
  duration_ms    DOUBLE PRECISION NOT NULL,
  max_ms         DOUBLE PRECISION NOT NULL,
  PRIMARY KEY (tenant_id, at, integration_id, operation, code)
);
CREATE INDEX request_counts_by_time ON request_counts (at);
