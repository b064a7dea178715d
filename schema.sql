-- The SQLite schema of crm-integrations. lib/storage/sqlite/schema.ts defines its version and the steps from older ones.
--
-- Every table belongs to a tenant. The tenant leads every primary, unique and foreign key, so a reference into another
-- tenant can't be stored. Times are milliseconds since 1970. `updated_at` is the commit time. It increases strictly per
-- tenant, so (updated_at, id) is the order of commits and of every list. Rows are archived, not deleted. `archived`
-- repeats `archived_at` as 0 or 1, so that an index can lead with it.

-- Tenants. A tenant is a record that belongs to itself.
CREATE TABLE tenants (
  tenant_id   TEXT    NOT NULL,
  id          TEXT    NOT NULL,
  name        TEXT    NOT NULL,
  created_at  INTEGER NOT NULL,
  updated_at  INTEGER NOT NULL,
  archived_at INTEGER,
  archived    INTEGER NOT NULL GENERATED ALWAYS AS (archived_at IS NOT NULL) VIRTUAL,
  PRIMARY KEY (tenant_id, id),
  UNIQUE (tenant_id),
  CONSTRAINT tenant_belongs_to_itself CHECK (tenant_id = id)
) STRICT;

-- The tenant clock: the last commit time. It only increases, even if the system clock goes back. `settings_version` is
-- the time of the last commit that wrote a setting, such as a custom field, a user or an API key. Events before
-- `events_from` don't exist: they were deleted, or the tenant was loaded at that time.
CREATE TABLE tenant_clocks (
  tenant_id        TEXT    NOT NULL PRIMARY KEY REFERENCES tenants (tenant_id),
  last_at          INTEGER NOT NULL,
  settings_version INTEGER NOT NULL DEFAULT 0,
  events_from      INTEGER NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;

-- Settings of the database. `cursor_secret` signs the cursors.
CREATE TABLE settings (
  name  TEXT NOT NULL PRIMARY KEY,
  value BLOB NOT NULL
) STRICT, WITHOUT ROWID;

-- Users of a tenant. An owner or assignee must be active when chosen.
CREATE TABLE users (
  tenant_id   TEXT    NOT NULL,
  id          TEXT    NOT NULL,
  name        TEXT    NOT NULL,
  email       TEXT    NOT NULL,
  email_key   TEXT    NOT NULL,
  role        TEXT    NOT NULL,
  active      INTEGER NOT NULL,
  created_at  INTEGER NOT NULL,
  updated_at  INTEGER NOT NULL,
  archived_at INTEGER,
  archived    INTEGER NOT NULL GENERATED ALWAYS AS (archived_at IS NOT NULL) VIRTUAL,
  external_id TEXT,
  PRIMARY KEY (tenant_id, id),
  FOREIGN KEY (tenant_id) REFERENCES tenants (tenant_id),
  CONSTRAINT role_known CHECK (role IN ('admin', 'member')),
  CONSTRAINT active_is_boolean CHECK (active IN (0, 1))
) STRICT;
CREATE UNIQUE INDEX users_email_taken ON users (tenant_id, email_key) WHERE archived_at IS NULL;
CREATE INDEX users_by_update ON users (tenant_id, archived, updated_at, id);
CREATE INDEX users_archived_by_email ON users (tenant_id, email_key, updated_at, id) WHERE archived_at IS NOT NULL;

-- Sales pipelines. One pipeline of a tenant may be the default.
CREATE TABLE pipelines (
  tenant_id           TEXT    NOT NULL,
  id                  TEXT    NOT NULL,
  name                TEXT    NOT NULL,
  is_default          INTEGER NOT NULL,
  lost_reasons        TEXT    NOT NULL,
  require_lost_reason INTEGER NOT NULL,
  created_at          INTEGER NOT NULL,
  updated_at          INTEGER NOT NULL,
  archived_at         INTEGER,
  archived            INTEGER NOT NULL GENERATED ALWAYS AS (archived_at IS NOT NULL) VIRTUAL,
  PRIMARY KEY (tenant_id, id),
  FOREIGN KEY (tenant_id) REFERENCES tenants (tenant_id),
  CONSTRAINT is_default_is_boolean CHECK (is_default IN (0, 1)),
  CONSTRAINT require_lost_reason_is_boolean CHECK (require_lost_reason IN (0, 1)),
  CONSTRAINT lost_reasons_is_list CHECK (json_type(lost_reasons) = 'array')
) STRICT;
CREATE UNIQUE INDEX pipelines_one_default ON pipelines (tenant_id) WHERE is_default = 1 AND archived_at IS NULL;
CREATE INDEX pipelines_by_update ON pipelines (tenant_id, archived, updated_at, id);

-- Stages of a pipeline, sorted by "order". `probability` is the chance to win in percent. `name_key` is the normalized
-- name, unique among the stages of the pipeline that aren't archived.
CREATE TABLE stages (
  tenant_id   TEXT    NOT NULL,
  id          TEXT    NOT NULL,
  pipeline_id TEXT    NOT NULL,
  name        TEXT    NOT NULL,
  name_key    TEXT    NOT NULL,
  "order"     INTEGER NOT NULL,
  probability REAL,
  created_at  INTEGER NOT NULL,
  updated_at  INTEGER NOT NULL,
  archived_at INTEGER,
  archived    INTEGER NOT NULL GENERATED ALWAYS AS (archived_at IS NOT NULL) VIRTUAL,
  PRIMARY KEY (tenant_id, id),
  UNIQUE (tenant_id, pipeline_id, id),
  FOREIGN KEY (tenant_id, pipeline_id) REFERENCES pipelines (tenant_id, id),
  CONSTRAINT probability_is_percent CHECK (probability BETWEEN 0 AND 100)
) STRICT;
CREATE UNIQUE INDEX stages_name_taken ON stages (tenant_id, pipeline_id, name_key) WHERE archived_at IS NULL;
CREATE INDEX stages_by_update ON stages (tenant_id, archived, updated_at, id);
CREATE INDEX stages_by_pipeline ON stages (tenant_id, pipeline_id, archived, updated_at, id);

-- The catalog: definitions of the custom fields, sorted by `position`. `key_key` is the key in lower case, unique among
-- the fields of the entity that aren't archived.
CREATE TABLE custom_fields (
  tenant_id     TEXT    NOT NULL,
  id            TEXT    NOT NULL,
  entity        TEXT    NOT NULL,
  key           TEXT    NOT NULL,
  key_key       TEXT    NOT NULL,
  label         TEXT    NOT NULL,
  type          TEXT    NOT NULL,
  required      INTEGER NOT NULL,
  description   TEXT,
  max_length    INTEGER,
  options       TEXT,
  option_labels TEXT,
  position      INTEGER NOT NULL,
  created_at    INTEGER NOT NULL,
  updated_at    INTEGER NOT NULL,
  archived_at   INTEGER,
  archived      INTEGER NOT NULL GENERATED ALWAYS AS (archived_at IS NOT NULL) VIRTUAL,
  PRIMARY KEY (tenant_id, id),
  FOREIGN KEY (tenant_id) REFERENCES tenants (tenant_id),
  CONSTRAINT entity_known CHECK (entity IN ('account', 'contact', 'opportunity')),
  CONSTRAINT type_known CHECK (type IN ('text', 'number', 'currency', 'date', 'list', 'multi_list')),
  CONSTRAINT required_is_boolean CHECK (required IN (0, 1)),
  CONSTRAINT options_are_for_lists CHECK ((type IN ('list', 'multi_list')) = (options IS NOT NULL)),
  CONSTRAINT max_length_is_for_text CHECK (max_length IS NULL OR type = 'text')
) STRICT;
CREATE UNIQUE INDEX custom_fields_key_taken ON custom_fields (tenant_id, entity, key_key) WHERE archived_at IS NULL;
CREATE INDEX custom_fields_by_update ON custom_fields (tenant_id, archived, updated_at, id);
CREATE INDEX custom_fields_by_entity ON custom_fields (tenant_id, entity, archived, updated_at, id);

-- Required-field rules: a field is required always, or at certain stages or statuses ("when").
CREATE TABLE rules (
  tenant_id   TEXT    NOT NULL,
  id          TEXT    NOT NULL,
  entity      TEXT    NOT NULL,
  field       TEXT    NOT NULL,
  "when"      TEXT,
  created_at  INTEGER NOT NULL,
  updated_at  INTEGER NOT NULL,
  archived_at INTEGER,
  archived    INTEGER NOT NULL GENERATED ALWAYS AS (archived_at IS NOT NULL) VIRTUAL,
  PRIMARY KEY (tenant_id, id),
  FOREIGN KEY (tenant_id) REFERENCES tenants (tenant_id),
  CONSTRAINT entity_known CHECK (entity IN ('account', 'contact', 'opportunity', 'task', 'note'))
) STRICT;
CREATE INDEX rules_by_update ON rules (tenant_id, archived, updated_at, id);
CREATE INDEX rules_by_entity ON rules (tenant_id, entity, archived, updated_at, id);

-- Integrations: client systems that call the API, each with its scopes. `name_key` is the normalized name, unique among
-- integrations that aren't archived.
CREATE TABLE integrations (
  tenant_id   TEXT    NOT NULL,
  id          TEXT    NOT NULL,
  name        TEXT    NOT NULL,
  name_key    TEXT    NOT NULL,
  scopes      TEXT    NOT NULL,
  created_at  INTEGER NOT NULL,
  updated_at  INTEGER NOT NULL,
  archived_at INTEGER,
  archived    INTEGER NOT NULL GENERATED ALWAYS AS (archived_at IS NOT NULL) VIRTUAL,
  PRIMARY KEY (tenant_id, id),
  FOREIGN KEY (tenant_id) REFERENCES tenants (tenant_id),
  CONSTRAINT scopes_is_list CHECK (json_type(scopes) = 'array')
) STRICT;
CREATE UNIQUE INDEX integrations_name_taken ON integrations (tenant_id, name_key) WHERE archived_at IS NULL;
CREATE INDEX integrations_by_update ON integrations (tenant_id, archived, updated_at, id);

-- API keys of the integrations. Only `hash`, the SHA-256 of a key, is stored. It is the only lookup across tenants.
CREATE TABLE api_keys (
  tenant_id      TEXT    NOT NULL,
  id             TEXT    NOT NULL,
  integration_id TEXT    NOT NULL,
  hash           TEXT    NOT NULL,
  masked_key     TEXT    NOT NULL,
  created_by     TEXT,
  last_used_at   INTEGER,
  expires_at     INTEGER,
  revoked_at     INTEGER,
  created_at     INTEGER NOT NULL,
  updated_at     INTEGER NOT NULL,
  archived_at    INTEGER,
  archived       INTEGER NOT NULL GENERATED ALWAYS AS (archived_at IS NOT NULL) VIRTUAL,
  PRIMARY KEY (tenant_id, id),
  FOREIGN KEY (tenant_id, integration_id) REFERENCES integrations (tenant_id, id),
  FOREIGN KEY (tenant_id, created_by) REFERENCES users (tenant_id, id),
  CONSTRAINT hash_is_sha256 CHECK (length(hash) = 64)
) STRICT;
CREATE UNIQUE INDEX api_keys_by_hash ON api_keys (hash);
CREATE INDEX api_keys_by_update ON api_keys (tenant_id, archived, updated_at, id);
CREATE INDEX api_keys_by_integration ON api_keys (tenant_id, integration_id, archived, updated_at, id);

-- Grants: permissions of external systems to act for a user.
CREATE TABLE grants (
  tenant_id   TEXT    NOT NULL,
  id          TEXT    NOT NULL,
  user_id     TEXT    NOT NULL,
  created_at  INTEGER NOT NULL,
  updated_at  INTEGER NOT NULL,
  archived_at INTEGER,
  archived    INTEGER NOT NULL GENERATED ALWAYS AS (archived_at IS NOT NULL) VIRTUAL,
  PRIMARY KEY (tenant_id, id),
  FOREIGN KEY (tenant_id, user_id) REFERENCES users (tenant_id, id)
) STRICT;
CREATE INDEX grants_by_update ON grants (tenant_id, archived, updated_at, id);

-- URLs that receive events. `integration_id` is NULL for those of the tenant's admins. Tenant files don't contain them.
CREATE TABLE webhooks (
  tenant_id             TEXT    NOT NULL,
  id                    TEXT    NOT NULL,
  integration_id        TEXT,
  url                   TEXT    NOT NULL,
  types                 TEXT,
  skip_own              INTEGER NOT NULL,
  active                INTEGER NOT NULL,
  description           TEXT,
  secret                TEXT    NOT NULL,
  previous_secret       TEXT,
  previous_secret_until INTEGER,
  created_at            INTEGER NOT NULL,
  updated_at            INTEGER NOT NULL,
  archived_at           INTEGER,
  archived              INTEGER NOT NULL GENERATED ALWAYS AS (archived_at IS NOT NULL) VIRTUAL,
  PRIMARY KEY (tenant_id, id),
  FOREIGN KEY (tenant_id, integration_id) REFERENCES integrations (tenant_id, id),
  CONSTRAINT skip_own_is_boolean CHECK (skip_own IN (0, 1)),
  CONSTRAINT active_is_boolean CHECK (active IN (0, 1))
) STRICT;
CREATE INDEX webhooks_by_update ON webhooks (tenant_id, archived, updated_at, id);

-- Companies that the tenant sells to. `name_key` is the normalized name, unique among accounts that aren't archived.
-- `json`, here and in the tables below, is the response JSON. An update of a row must update it as well.
-- `phone_digits` has the digits of the phone number, NULL if there are none.
CREATE TABLE accounts (
  tenant_id     TEXT    NOT NULL,
  id            TEXT    NOT NULL,
  name          TEXT    NOT NULL,
  name_key      TEXT    NOT NULL,
  document      TEXT,
  website       TEXT,
  phone         TEXT,
  email         TEXT,
  description   TEXT,
  address       TEXT,
  owner_id      TEXT,
  external_id   TEXT,
  custom_fields TEXT    NOT NULL,
  created_at    INTEGER NOT NULL,
  updated_at    INTEGER NOT NULL,
  archived_at   INTEGER,
  archived      INTEGER NOT NULL GENERATED ALWAYS AS (archived_at IS NOT NULL) VIRTUAL,
  json          TEXT    NOT NULL,
  phone_digits  TEXT,
  PRIMARY KEY (tenant_id, id),
  FOREIGN KEY (tenant_id) REFERENCES tenants (tenant_id),
  FOREIGN KEY (tenant_id, owner_id) REFERENCES users (tenant_id, id),
  CONSTRAINT custom_fields_is_object CHECK (json_type(custom_fields) = 'object')
) STRICT;
CREATE UNIQUE INDEX accounts_name_taken ON accounts (tenant_id, name_key) WHERE archived_at IS NULL;
CREATE INDEX accounts_by_update ON accounts (tenant_id, archived, updated_at, id);
CREATE INDEX accounts_by_creation ON accounts (tenant_id, archived, created_at, id);
CREATE INDEX accounts_archived_by_name ON accounts (tenant_id, name_key, updated_at, id) WHERE archived_at IS NOT NULL;
CREATE INDEX accounts_by_owner ON accounts (tenant_id, owner_id, archived, updated_at, id);
CREATE INDEX accounts_by_external_id ON accounts (tenant_id, external_id, archived, updated_at, id);
CREATE INDEX accounts_by_phone ON accounts (tenant_id, substr(phone_digits, -7), archived, updated_at, id)
  WHERE phone_digits IS NOT NULL;

-- People at those companies. An email address is optional, and unique among contacts that aren't archived.
CREATE TABLE contacts (
  tenant_id     TEXT    NOT NULL,
  id            TEXT    NOT NULL,
  name          TEXT    NOT NULL,
  email         TEXT,
  email_key     TEXT,
  phone         TEXT,
  job_title     TEXT,
  account_id    TEXT,
  owner_id      TEXT,
  external_id   TEXT,
  custom_fields TEXT    NOT NULL,
  created_at    INTEGER NOT NULL,
  updated_at    INTEGER NOT NULL,
  archived_at   INTEGER,
  archived      INTEGER NOT NULL GENERATED ALWAYS AS (archived_at IS NOT NULL) VIRTUAL,
  json          TEXT    NOT NULL,
  phone_digits  TEXT,
  PRIMARY KEY (tenant_id, id),
  FOREIGN KEY (tenant_id) REFERENCES tenants (tenant_id),
  FOREIGN KEY (tenant_id, account_id) REFERENCES accounts (tenant_id, id),
  FOREIGN KEY (tenant_id, owner_id) REFERENCES users (tenant_id, id),
  CONSTRAINT email_key_with_email CHECK ((email IS NULL) = (email_key IS NULL)),
  CONSTRAINT custom_fields_is_object CHECK (json_type(custom_fields) = 'object')
) STRICT;
CREATE UNIQUE INDEX contacts_email_taken ON contacts (tenant_id, email_key) WHERE archived_at IS NULL;
CREATE INDEX contacts_by_update ON contacts (tenant_id, archived, updated_at, id);
CREATE INDEX contacts_by_creation ON contacts (tenant_id, archived, created_at, id);
CREATE INDEX contacts_archived_by_email ON contacts (tenant_id, email_key, updated_at, id) WHERE archived_at IS NOT NULL;
CREATE INDEX contacts_by_account ON contacts (tenant_id, account_id, archived, updated_at, id);
CREATE INDEX contacts_by_owner ON contacts (tenant_id, owner_id, archived, updated_at, id);
CREATE INDEX contacts_by_external_id ON contacts (tenant_id, external_id, archived, updated_at, id);
CREATE INDEX contacts_by_phone ON contacts (tenant_id, substr(phone_digits, -7), archived, updated_at, id)
  WHERE phone_digits IS NOT NULL;

-- Opportunities. A stage belongs to the pipeline of the opportunity. Only closed ones have `closed_at`.
CREATE TABLE opportunities (
  tenant_id           TEXT    NOT NULL,
  id                  TEXT    NOT NULL,
  name                TEXT    NOT NULL,
  account_id          TEXT,
  pipeline_id         TEXT    NOT NULL,
  stage_id            TEXT    NOT NULL,
  status              TEXT    NOT NULL,
  amount              REAL,
  currency            TEXT,
  expected_close_date TEXT,
  owner_id            TEXT,
  lost_reason         TEXT,
  closed_at           INTEGER,
  stage_changed_at    INTEGER,
  external_id         TEXT,
  custom_fields       TEXT    NOT NULL,
  created_at          INTEGER NOT NULL,
  updated_at          INTEGER NOT NULL,
  archived_at         INTEGER,
  archived            INTEGER NOT NULL GENERATED ALWAYS AS (archived_at IS NOT NULL) VIRTUAL,
  json                TEXT    NOT NULL,
  PRIMARY KEY (tenant_id, id),
  FOREIGN KEY (tenant_id) REFERENCES tenants (tenant_id),
  FOREIGN KEY (tenant_id, account_id) REFERENCES accounts (tenant_id, id),
  FOREIGN KEY (tenant_id, pipeline_id, stage_id) REFERENCES stages (tenant_id, pipeline_id, id),
  FOREIGN KEY (tenant_id, owner_id) REFERENCES users (tenant_id, id),
  CONSTRAINT status_known CHECK (status IN ('open', 'won', 'lost')),
  CONSTRAINT open_or_closed_at CHECK ((status = 'open') = (closed_at IS NULL)),
  CONSTRAINT lost_reason_when_lost CHECK (lost_reason IS NULL OR status = 'lost'),
  CONSTRAINT custom_fields_is_object CHECK (json_type(custom_fields) = 'object')
) STRICT;
CREATE INDEX opportunities_by_update ON opportunities (tenant_id, archived, updated_at, id);
CREATE INDEX opportunities_by_creation ON opportunities (tenant_id, archived, created_at, id);
CREATE INDEX opportunities_by_status ON opportunities (tenant_id, status, archived, updated_at, id);
CREATE INDEX opportunities_by_pipeline ON opportunities (tenant_id, pipeline_id, archived, updated_at, id);
CREATE INDEX opportunities_by_stage ON opportunities (tenant_id, stage_id, archived, updated_at, id);
CREATE INDEX opportunities_by_account ON opportunities (tenant_id, account_id, archived, updated_at, id);
CREATE INDEX opportunities_by_owner ON opportunities (tenant_id, owner_id, archived, updated_at, id);
CREATE INDEX opportunities_by_external_id ON opportunities (tenant_id, external_id, archived, updated_at, id);

-- The contacts of an opportunity, sorted by `position`. `archived` and `updated_at` repeat those of the opportunity, so
-- that an index has the opportunities of a contact in list order.
CREATE TABLE opportunity_contacts (
  tenant_id      TEXT    NOT NULL,
  opportunity_id TEXT    NOT NULL,
  contact_id     TEXT    NOT NULL,
  position       INTEGER NOT NULL,
  archived       INTEGER NOT NULL,
  updated_at     INTEGER NOT NULL,
  PRIMARY KEY (tenant_id, opportunity_id, contact_id),
  FOREIGN KEY (tenant_id, opportunity_id) REFERENCES opportunities (tenant_id, id),
  FOREIGN KEY (tenant_id, contact_id) REFERENCES contacts (tenant_id, id)
) STRICT, WITHOUT ROWID;
CREATE INDEX opportunity_contacts_by_contact
  ON opportunity_contacts (tenant_id, contact_id, archived, updated_at, opportunity_id);

-- Tasks. A task may relate to one record, whose kind is `related_to_type`. The three generated columns hold the reference
-- for the foreign keys.
CREATE TABLE tasks (
  tenant_id              TEXT    NOT NULL,
  id                     TEXT    NOT NULL,
  title                  TEXT    NOT NULL,
  description            TEXT,
  priority               TEXT    NOT NULL,
  status                 TEXT    NOT NULL,
  due_date               INTEGER,
  related_to_type        TEXT,
  related_to_id          TEXT,
  assigned_to            TEXT,
  closed_at              INTEGER,
  created_at             INTEGER NOT NULL,
  updated_at             INTEGER NOT NULL,
  archived_at            INTEGER,
  archived               INTEGER NOT NULL GENERATED ALWAYS AS (archived_at IS NOT NULL) VIRTUAL,
  related_account_id     TEXT GENERATED ALWAYS AS (CASE related_to_type WHEN 'account' THEN related_to_id END) VIRTUAL,
  related_contact_id     TEXT GENERATED ALWAYS AS (CASE related_to_type WHEN 'contact' THEN related_to_id END) VIRTUAL,
  related_opportunity_id TEXT GENERATED ALWAYS AS (CASE related_to_type WHEN 'opportunity' THEN related_to_id END) VIRTUAL,
  json                   TEXT    NOT NULL,
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
) STRICT;
CREATE INDEX tasks_by_update ON tasks (tenant_id, archived, updated_at, id);
CREATE INDEX tasks_by_creation ON tasks (tenant_id, archived, created_at, id);
CREATE INDEX tasks_by_status ON tasks (tenant_id, status, archived, updated_at, id);
CREATE INDEX tasks_by_assignee ON tasks (tenant_id, assigned_to, archived, updated_at, id);
CREATE INDEX tasks_by_assignee_and_status ON tasks (tenant_id, assigned_to, status, archived, updated_at, id);
-- The last column lets a filter by status skip rows without reading them.
CREATE INDEX tasks_by_relation ON tasks (tenant_id, related_to_id, archived, updated_at, id, status);
CREATE INDEX tasks_by_relation_and_assignee ON tasks (tenant_id, related_to_id, assigned_to, archived, updated_at, id, status);

-- Notes: texts about one record, whose kind is `related_to_type`. Foreign keys as for tasks.
CREATE TABLE notes (
  tenant_id              TEXT    NOT NULL,
  id                     TEXT    NOT NULL,
  body                   TEXT    NOT NULL,
  related_to_type        TEXT    NOT NULL,
  related_to_id          TEXT    NOT NULL,
  author_id              TEXT,
  occurred_at            INTEGER NOT NULL,
  external_id            TEXT,
  created_at             INTEGER NOT NULL,
  updated_at             INTEGER NOT NULL,
  archived_at            INTEGER,
  archived               INTEGER NOT NULL GENERATED ALWAYS AS (archived_at IS NOT NULL) VIRTUAL,
  related_account_id     TEXT GENERATED ALWAYS AS (CASE related_to_type WHEN 'account' THEN related_to_id END) VIRTUAL,
  related_contact_id     TEXT GENERATED ALWAYS AS (CASE related_to_type WHEN 'contact' THEN related_to_id END) VIRTUAL,
  related_opportunity_id TEXT GENERATED ALWAYS AS (CASE related_to_type WHEN 'opportunity' THEN related_to_id END) VIRTUAL,
  json                   TEXT    NOT NULL,
  PRIMARY KEY (tenant_id, id),
  FOREIGN KEY (tenant_id) REFERENCES tenants (tenant_id),
  FOREIGN KEY (tenant_id, author_id) REFERENCES users (tenant_id, id),
  FOREIGN KEY (tenant_id, related_account_id) REFERENCES accounts (tenant_id, id),
  FOREIGN KEY (tenant_id, related_contact_id) REFERENCES contacts (tenant_id, id),
  FOREIGN KEY (tenant_id, related_opportunity_id) REFERENCES opportunities (tenant_id, id),
  CONSTRAINT related_to_type_known CHECK (related_to_type IN ('account', 'contact', 'opportunity'))
) STRICT;
CREATE INDEX notes_by_update ON notes (tenant_id, archived, updated_at, id);
CREATE INDEX notes_by_creation ON notes (tenant_id, archived, created_at, id);
CREATE INDEX notes_by_relation ON notes (tenant_id, related_to_id, archived, updated_at, id);
CREATE INDEX notes_by_author ON notes (tenant_id, author_id, archived, updated_at, id);
CREATE INDEX notes_by_external_id ON notes (tenant_id, external_id, archived, updated_at, id);

-- Stored responses of POSTs with an Idempotency-Key, written in the commit of the POST and pruned after 24 hours. The ID
-- consists of the caller (an integration or an admin) and the key.
CREATE TABLE idempotency_records (
  tenant_id      TEXT    NOT NULL,
  id             TEXT    NOT NULL,
  integration_id TEXT,
  fingerprint    TEXT    NOT NULL,
  path           TEXT    NOT NULL,
  status         INTEGER NOT NULL,
  body           TEXT,
  location       TEXT,
  created_at     INTEGER NOT NULL,
  updated_at     INTEGER NOT NULL,
  archived_at    INTEGER,
  archived       INTEGER NOT NULL GENERATED ALWAYS AS (archived_at IS NOT NULL) VIRTUAL,
  PRIMARY KEY (tenant_id, id),
  FOREIGN KEY (tenant_id, integration_id) REFERENCES integrations (tenant_id, id),
  CONSTRAINT only_success_is_stored CHECK (status BETWEEN 200 AND 299)
) STRICT;
CREATE INDEX idempotency_records_by_age ON idempotency_records (created_at);

-- What each commit did to each record, written in that commit. `id` starts with the commit time, so the primary key has the
-- order of the commits and is the only index. `before` has the former values of the fields in `changed`.
CREATE TABLE events (
  tenant_id      TEXT    NOT NULL,
  id             TEXT    NOT NULL,
  type           TEXT    NOT NULL,
  record_id      TEXT    NOT NULL,
  changed        TEXT,
  before         TEXT,
  previous_at    INTEGER,
  integration_id TEXT,
  key_id         TEXT,
  user_id        TEXT,
  request_id     TEXT,
  created_at     INTEGER NOT NULL,
  updated_at     INTEGER NOT NULL,
  archived_at    INTEGER,
  PRIMARY KEY (tenant_id, id)
) STRICT, WITHOUT ROWID;

-- What was delivered of each webhook: the events up to `position_id`, or those before `position_at`. Rows are updated at
-- most once a second.
CREATE TABLE webhook_states (
  tenant_id       TEXT    NOT NULL,
  id              TEXT    NOT NULL,
  position_at     INTEGER NOT NULL,
  position_id     TEXT,
  failing_since   INTEGER,
  failures        INTEGER NOT NULL,
  rejections      INTEGER NOT NULL,
  next_attempt_at INTEGER,
  last_attempt    TEXT,
  last_success_at INTEGER,
  paused_reason   TEXT,
  skipped         TEXT    NOT NULL,
  lease_owner     TEXT,
  lease_until     INTEGER,
  created_at      INTEGER NOT NULL,
  updated_at      INTEGER NOT NULL,
  archived_at     INTEGER,
  archived        INTEGER NOT NULL GENERATED ALWAYS AS (archived_at IS NOT NULL) VIRTUAL,
  PRIMARY KEY (tenant_id, id),
  FOREIGN KEY (tenant_id, id) REFERENCES webhooks (tenant_id, id),
  CONSTRAINT paused_reason_known CHECK (paused_reason IN ('failing', 'gone', 'expired'))
) STRICT;
CREATE INDEX webhook_states_by_update ON webhook_states (tenant_id, archived, updated_at, id);

-- How each user signs in to the console: the hashes of the tokens of sessions and of the invitation, and passkeys. Rows
-- are updated at most once a minute per session.
CREATE TABLE console_access (
  tenant_id   TEXT    NOT NULL,
  id          TEXT    NOT NULL,
  sessions    TEXT    NOT NULL,
  invitation  TEXT,
  passkeys    TEXT    NOT NULL,
  created_at  INTEGER NOT NULL,
  updated_at  INTEGER NOT NULL,
  archived_at INTEGER,
  archived    INTEGER NOT NULL GENERATED ALWAYS AS (archived_at IS NOT NULL) VIRTUAL,
  PRIMARY KEY (tenant_id, id),
  FOREIGN KEY (tenant_id, id) REFERENCES users (tenant_id, id)
) STRICT;
CREATE INDEX console_access_by_update ON console_access (tenant_id, archived, updated_at, id);

-- The full-text index of the records that a search or `q` finds: those that aren't archived. `terms` has the words of a
-- record, each after its tenant and kind, separated by spaces, and its tenant and ID as the last one.
CREATE VIRTUAL TABLE search_index USING fts5 (terms, kind UNINDEXED, id UNINDEXED, content = '',
  contentless_delete = 1, contentless_unindexed = 1, detail = none, tokenize = 'ascii');
-- Merging 16 segments at a time costs a commit less than the default of 4.
INSERT INTO search_index (search_index, rank) VALUES ('automerge', 16);
