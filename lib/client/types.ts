// Generated from docs/openapi.json by `npm run client-types`.

export type EntityType = "account" | "contact" | "opportunity" | "task" | "note";

export type Scope =
  | "accounts:read" | "accounts:write" | "contacts:read" | "contacts:write" | "opportunities:read"
  | "opportunities:write" | "tasks:read" | "tasks:write" | "notes:read" | "notes:write"
  | "pipelines:read" | "users:read" | "webhooks:read" | "webhooks:write";

export type OpportunityStatus = "open" | "won" | "lost";

export type ErrorCode =
  | "bad_request" | "validation_error" | "invalid_cursor" | "unauthorized" | "insufficient_scope"
  | "not_found" | "duplicate" | "conflict" | "tenant_without_admin" | "invalid_reference"
  | "unknown_custom_field" | "invalid_custom_field" | "idempotency_key_reused" | "rate_limited"
  | "internal_error";

export type FieldErrorCode =
  | "required" | "required_at_stage" | "required_at_status" | "invalid_type" | "invalid_format"
  | "not_an_option" | "too_long" | "out_of_range" | "unknown_key" | "not_found" | "inactive"
  | "not_in_pipeline" | "read_only";

export type TaskPriority = "low" | "medium" | "high";

export type TaskStatus = "pending" | "completed" | "canceled";

/** Fields of every record. */
export type BaseRecord = {
  /** Unique ID, assigned on creation. */
  readonly id: string;
  /** Time of creation. */
  readonly createdAt: string;
  /** Time of the last change. */
  readonly updatedAt: string;
};

/** A company that the tenant does business with. */
export type Account = BaseRecord & {
  /** Unique among accounts that aren't archived. */
  readonly name: string;
  /** Registration number, such as a VAT number. */
  readonly document: string | null;
  /** HTTP or HTTPS URL, or a domain such as `example.com`. */
  readonly website: string | null;
  /** Phone number in any format. */
  readonly phone: string | null;
  /** Email address. */
  readonly email: string | null;
  /** Free text. */
  readonly description: string | null;
  /** Postal address. */
  readonly address: Address | null;
  /** ID of the user who owns the record. */
  readonly ownerId: string | null;
  /** ID of the record in your system. */
  readonly externalId: string | null;
  readonly customFields: CustomFieldValues;
  /** Time the record was archived. */
  readonly archivedAt?: string;
};

/** The operations of a batch. */
export type AccountBatch = {
  /** The operations, in order. */
  readonly operations: readonly AccountOperation[];
  /** Whether a failure prevents all writes. */
  readonly atomic?: boolean;
  /** ID of the caller's tenant. */
  readonly tenantId?: string;
};

/** The result of one operation. */
export type AccountBatchItem = {
  /** Position of the operation in the request, from 0. */
  readonly index: number;
  /** Status of the single request. */
  readonly status: number;
  /** Present if the operation succeeded. */
  readonly result?: "created" | "updated" | "unchanged" | "archived";
  readonly data?: Account;
  readonly error?: BatchError;
};

/** Fields of a new account. */
export type AccountCreate =
  Pick<Account, "name"> &
  Partial<Pick<Account,
  | "document" | "website" | "phone" | "email" | "description" | "ownerId" | "externalId"
  | "customFields">> & {
  /** Postal address. */
  readonly address?: AddressInput | null;
  /** ID of the caller's tenant. */
  readonly tenantId?: string;
};

/** One operation of a batch. */
export type AccountOperation = {
  /** The kind of operation. */
  readonly op: "create" | "update" | "upsert" | "archive";
  /** ID of the record to update or archive. */
  readonly id?: string;
  /** The field by which an upsert finds the record. */
  readonly matchBy?: "externalId" | "name";
  /** `exists` returns 404 instead of creating a record. */
  readonly onlyIf?: "exists" | "absent";
  readonly data?: AccountUpsertInput;
};

/** A JSON Schema (draft 2020-12). */
export type AccountSchema = Readonly<Record<string, unknown>>;

/** Fields to change. */
export type AccountUpdate = Partial<BaseRecord> & {
  /** Unique among accounts that aren't archived. */
  readonly name?: string;
  /** Registration number, such as a VAT number. */
  readonly document?: string | null;
  /** HTTP or HTTPS URL, or a domain such as `example.com`. */
  readonly website?: string | null;
  /** Phone number in any format. */
  readonly phone?: string | null;
  /** Email address. */
  readonly email?: string | null;
  /** Free text. */
  readonly description?: string | null;
  /** Postal address. */
  readonly address?: AddressUpdate | null;
  /** ID of the user who owns the record. */
  readonly ownerId?: string | null;
  /** ID of the record in your system. */
  readonly externalId?: string | null;
  readonly customFields?: CustomFieldValues;
  /** Time the record was archived. */
  readonly archivedAt?: string | null;
  /** ID of the caller's tenant. */
  readonly tenantId?: string;
};

/** Fields of an account. */
export type AccountUpsert = AccountUpsertInput & {
  /** ID of the caller's tenant. */
  readonly tenantId?: string;
};

/** Fields of an account. */
export type AccountUpsertInput = {
  /** Unique among accounts that aren't archived. */
  readonly name?: string;
  /** Registration number, such as a VAT number. */
  readonly document?: string | null;
  /** HTTP or HTTPS URL, or a domain such as `example.com`. */
  readonly website?: string | null;
  /** Phone number in any format. */
  readonly phone?: string | null;
  /** Email address. */
  readonly email?: string | null;
  /** Free text. */
  readonly description?: string | null;
  /** Postal address. */
  readonly address?: AddressInput | null;
  /** ID of the user who owns the record. */
  readonly ownerId?: string | null;
  /** ID of the record in your system. */
  readonly externalId?: string | null;
  readonly customFields?: CustomFieldValues;
};

/** An address of the request, with the contact and its open opportunities. */
export type ActiveContact = {
  /** The address as in the request. */
  readonly email: string;
  /** ID of the matching contact. */
  readonly contactId: string | null;
  /** Open opportunities of the contact, newest first. */
  readonly opportunities: readonly ActiveOpportunity[];
  /** Whether the contact has more open opportunities than those in `opportunities`. */
  readonly hasMore: boolean;
};

/** An open opportunity that isn't archived. */
export type ActiveOpportunity =
  Pick<Opportunity,
  | "id" | "name" | "accountId" | "pipelineId" | "stageId" | "amount" | "currency" | "ownerId"
  | "expectedCloseDate" | "updatedAt"> & {
  /** Name of the account. */
  readonly accountName: string | null;
  /** Name of the pipeline. */
  readonly pipelineName: string;
  /** Name of the stage. */
  readonly stageName: string;
  /** Only open opportunities are active. */
  readonly status: "open";
};

/** Postal address. */
export type Address = {
  /** Street and number. */
  readonly street: string | null;
  /** City. */
  readonly city: string | null;
  /** State, province or region. */
  readonly state: string | null;
  /** Postal code. */
  readonly postalCode: string | null;
  /** Country in any format. */
  readonly country: string | null;
};

/** Postal address. */
export type AddressInput = Partial<Address>;

/** Members to change. */
export type AddressUpdate = Partial<Address>;

/** A field that the tenant defines. */
export type AdminCustomField = BaseRecord & {
  /** Kind of the records that have the field. */
  readonly entity: EntityType;
  /** Name of the field in `customFields`. */
  readonly key: string;
  /** Display name. */
  readonly label: string;
  /** Type of the values; see CustomFieldValues. */
  readonly type: "text" | "number" | "currency" | "date" | "list" | "multi_list";
  /** Whether every new record needs a value. */
  readonly required: boolean;
  /** Description. */
  readonly description: string | null;
  /** For `text` only: maximum length in characters (Unicode code points). */
  readonly maxLength: number | null;
  /** For `list` and `multi_list` only: the allowed values. */
  readonly options: readonly string[] | null;
  /** For `list` and `multi_list` only: display names by option. */
  readonly optionLabels: Readonly<Record<string, string>> | null;
  /** Position in the catalog, in ascending order. */
  readonly position: number;
  /** Time the record was archived. */
  readonly archivedAt?: string;
};

/** Lets an external system act for a user of the tenant. */
export type AdminGrant = BaseRecord & {
  /** ID of the user. */
  readonly userId: string;
  /** Time the record was archived. */
  readonly archivedAt?: string;
};

/** A client system that calls the API. */
export type AdminIntegration = BaseRecord & {
  /** Display name. */
  readonly name: string;
  /** Permissions of its API keys. */
  readonly scopes: readonly Scope[];
  /** Time the record was archived. */
  readonly archivedAt?: string;
};

/** A sales pipeline and its stages. */
export type AdminPipeline = BaseRecord & {
  /** Display name. */
  readonly name: string;
  /** Whether new opportunities use this pipeline by default. */
  readonly isDefault: boolean;
  /** Allowed values of `lostReason`. */
  readonly lostReasons: readonly string[];
  /** Whether a lost opportunity needs a `lostReason`. */
  readonly requireLostReason: boolean;
  /** Time the record was archived. */
  readonly archivedAt?: string;
};

/** A field that the tenant requires. */
export type AdminRule = BaseRecord & {
  /** Kind of the records that need the field. */
  readonly entity: EntityType;
  /** Name of the field, or `customFields.` and the key of a custom field. */
  readonly field: string;
  /** For opportunities only: the stages and statuses where the field is required. */
  readonly when: {
    /** IDs of the stages. */
    readonly stageIds?: readonly string[];
    /** The statuses. */
    readonly statuses?: readonly OpportunityStatus[];
  } | null;
  /** Time the record was archived. */
  readonly archivedAt?: string;
};

/** A stage of a pipeline. */
export type AdminStage = BaseRecord & {
  /** ID of the pipeline. */
  readonly pipelineId: string;
  /** Display name. */
  readonly name: string;
  /** Position in the pipeline, in ascending order. */
  readonly order: number;
  /** Probability of winning in this stage, in percent, 0 to 100. */
  readonly probability: number | null;
  /** Time the record was archived. */
  readonly archivedAt?: string;
};

/** A person who works in the tenant's CRM. */
export type AdminUser = User & {
  /** Time the record was archived. */
  readonly archivedAt?: string;
};

/** A URL to which the server sends events. */
export type AdminWebhook = BaseRecord & {
  /** ID of the integration that the webhook belongs to. */
  readonly integrationId: string | null;
  /** The https URL that receives the events, without user name, password and fragment. */
  readonly url: string;
  /** The types of the events to send, such as `opportunity.won` or `task.*`. */
  readonly types: readonly (| "tenant.created" | "tenant.updated" | "tenant.archived" | "tenant.restored" | "user.created"
    | "user.updated" | "user.archived" | "user.restored" | "pipeline.created" | "pipeline.updated"
    | "pipeline.archived" | "pipeline.restored" | "stage.created" | "stage.updated" | "stage.archived"
    | "stage.restored" | "customField.created" | "customField.updated" | "customField.archived"
    | "customField.restored" | "rule.created" | "rule.updated" | "rule.archived" | "rule.restored"
    | "integration.created" | "integration.updated" | "integration.archived" | "integration.restored"
    | "apiKey.created" | "apiKey.updated" | "apiKey.archived" | "apiKey.restored" | "apiKey.revoked"
    | "grant.created" | "grant.updated" | "grant.archived" | "grant.restored" | "webhook.created"
    | "webhook.updated" | "webhook.archived" | "webhook.restored" | "webhook.secret_rotated"
    | "account.created" | "account.updated" | "account.archived" | "account.restored"
    | "contact.created" | "contact.updated" | "contact.archived" | "contact.restored"
    | "opportunity.created" | "opportunity.updated" | "opportunity.archived" | "opportunity.restored"
    | "opportunity.won" | "opportunity.lost" | "opportunity.reopened" | "opportunity.stage_changed"
    | "task.created" | "task.updated" | "task.archived" | "task.restored" | "task.completed"
    | "task.canceled" | "task.reopened" | "note.created" | "note.updated" | "note.archived"
    | "note.restored" | "tenant.*" | "user.*" | "pipeline.*" | "stage.*" | "customField.*" | "rule.*"
    | "integration.*" | "apiKey.*" | "grant.*" | "webhook.*" | "account.*" | "contact.*"
    | "opportunity.*" | "task.*" | "note.*")[] | null;
  /** Whether to leave out the events of the integration's own writes. */
  readonly skipOwn: boolean;
  /** Whether to send events. */
  readonly active: boolean;
  /** A note for people. */
  readonly description: string | null;
  /** Time the record was archived. */
  readonly archivedAt?: string;
  /** The position in the event log. */
  readonly position: {
    /** All events before this time are settled. */
    readonly time: string;
    /** Of the events at this time, those up to this one are settled as well. */
    readonly eventId: string | null;
  };
  /** Time of the first failure after the last success. */
  readonly failingSince: string | null;
  /** Number of failed attempts in a row. */
  readonly failures: number;
  /** Time of the next attempt after a failure. */
  readonly nextAttemptAt: string | null;
  /** The last attempt. */
  readonly lastAttempt: {
    /** Time of the attempt. */
    readonly at: string;
    /** ID of the event. */
    readonly eventId: string | null;
    /** Status of the response. */
    readonly status: number | null;
    /** Why there was no response. */
    readonly error: string | null;
    /** Duration in milliseconds. */
    readonly durationMs: number;
  } | null;
  /** Time of the last attempt that succeeded. */
  readonly lastSuccessAt: string | null;
  /** Why the server has paused the webhook: `failing` after 72 hours without a success, `gone` after a response with status 410, or `expired` because events after the position were deleted. */
  readonly pausedReason: "failing" | "gone" | "expired" | null;
  /** The last 100 events that the receiver rejected in every attempt. */
  readonly skipped: readonly {
    /** ID of the event. */
    readonly eventId: string;
    /** Type of the event. */
    readonly type: string;
    /** ID of its record. */
    readonly recordId: string;
    /** Time of the last attempt. */
    readonly at: string;
    /** Status of the last response. */
    readonly status: number;
  }[];
};

export type AdminWebhookCreate =
  Pick<AdminWebhook, "url"> &
  Partial<Pick<AdminWebhook, "integrationId" | "types" | "skipOwn" | "active" | "description">> & {
  /** ID of the caller's tenant. */
  readonly tenantId?: string;
};

export type AdminWebhookUpdate = Partial<AdminWebhookCreate> & Partial<BaseRecord> & {
  /** Time the record was archived. */
  readonly archivedAt?: string | null;
  /** A new position: a time, or `latest` to skip all events so far. */
  readonly position?: unknown | {
    /** The events from this time on are delivered, again or for the first time. */
    readonly since: string;
  };
};

/** A URL to which the server sends events. */
export type AdminWebhookWithSecret = AdminWebhook & {
  /** The secret that signs the messages: `whsec_` and 32 bytes in base64. */
  readonly secret: string | null;
};

/** The sum of amounts in a currency. */
export type AmountTotal = {
  /** ISO 4217 code. */
  readonly currency: string;
  /** Sum of the amounts in this currency, rounded to 15 significant digits. */
  readonly sum: number;
};

/** An API key of an integration. */
export type ApiKey = {
  /** ID of the API key. */
  readonly id: string;
  /** ID of the integration. */
  readonly integrationId: string;
  /** Name of the integration. */
  readonly integrationName: string;
  /** First characters of the API key. */
  readonly maskedKey: string;
  /** Scopes of the integration. */
  readonly scopes: readonly Scope[];
  /** Only active API keys are accepted. */
  readonly status: "active" | "revoked" | "expired";
  /** Time of creation. */
  readonly createdAt: string;
  /** ID of the admin who created it. */
  readonly createdBy: string | null;
  /** Time of the last use, accurate to one minute. */
  readonly lastUsedAt: string | null;
  /** Expiry time. */
  readonly expiresAt: string | null;
  /** Time of the revocation. */
  readonly revokedAt: string | null;
};

/** The backups of the database. */
export type Backups = {
  /** Whether a backup is running. */
  readonly isRunning: boolean;
  /** Time of the last backup. */
  readonly lastAt: string | null;
  /** Size of the last backup in bytes. */
  readonly lastBytes: number | null;
  /** Why the last backup failed. */
  readonly error: string | null;
  /** The kind of error. */
  readonly errorCode: "folder_not_writable" | "disk_full" | "failed" | null;
};

/** Present if it failed. */
export type BatchError = {
  /** The error code. */
  readonly code: string;
  /** The problem. */
  readonly message: string;
  /** More about the problem, such as `errors`. */
  readonly details?: Readonly<Record<string, unknown>>;
};

/** An operation of an atomic batch that failed. */
export type BatchFailure = {
  /** Position of the operation in the request, from 0. */
  readonly index: number;
  /** Status of the single request. */
  readonly status: number;
  readonly error: BatchError;
};

/** A person that the tenant does business with. */
export type Contact = BaseRecord & {
  /** Full name. */
  readonly name: string;
  /** Unique among contacts that aren't archived. */
  readonly email: string | null;
  /** Phone number in any format. */
  readonly phone: string | null;
  /** Job title. */
  readonly jobTitle: string | null;
  /** ID of the account that the contact belongs to. */
  readonly accountId: string | null;
  /** ID of the user who owns the record. */
  readonly ownerId: string | null;
  /** ID of the record in your system. */
  readonly externalId: string | null;
  readonly customFields: CustomFieldValues;
  /** Time the record was archived. */
  readonly archivedAt?: string;
};

/** The operations of a batch. */
export type ContactBatch = {
  /** The operations, in order. */
  readonly operations: readonly ContactOperation[];
  /** Whether a failure prevents all writes. */
  readonly atomic?: boolean;
  /** ID of the caller's tenant. */
  readonly tenantId?: string;
};

/** The result of one operation. */
export type ContactBatchItem = {
  /** Position of the operation in the request, from 0. */
  readonly index: number;
  /** Status of the single request. */
  readonly status: number;
  /** Present if the operation succeeded. */
  readonly result?: "created" | "updated" | "unchanged" | "archived";
  readonly data?: Contact;
  readonly error?: BatchError;
};

/** Fields of a new contact. */
export type ContactCreate =
  Pick<Contact, "name"> &
  Partial<Pick<Contact, "email" | "phone" | "jobTitle" | "accountId" | "ownerId" | "externalId" | "customFields">> & {
  /** ID of the caller's tenant. */
  readonly tenantId?: string;
};

/** One operation of a batch. */
export type ContactOperation = {
  /** The kind of operation. */
  readonly op: "create" | "update" | "upsert" | "archive";
  /** ID of the record to update or archive. */
  readonly id?: string;
  /** The field by which an upsert finds the record. */
  readonly matchBy?: "externalId" | "email";
  /** `exists` returns 404 instead of creating a record. */
  readonly onlyIf?: "exists" | "absent";
  readonly data?: ContactUpsertInput;
};

/** A JSON Schema (draft 2020-12). */
export type ContactSchema = Readonly<Record<string, unknown>>;

/** Fields to change. */
export type ContactUpdate = Partial<ContactCreate> & Partial<BaseRecord> & {
  /** Time the record was archived. */
  readonly archivedAt?: string | null;
};

/** Fields of a contact. */
export type ContactUpsert = ContactUpsertInput & {
  /** ID of the caller's tenant. */
  readonly tenantId?: string;
};

/** Fields of a contact. */
export type ContactUpsertInput = {
  /** Full name. */
  readonly name?: string;
  /** Unique among contacts that aren't archived. */
  readonly email?: string | null;
  /** Phone number in any format. */
  readonly phone?: string | null;
  /** Job title. */
  readonly jobTitle?: string | null;
  /** ID of the account that the contact belongs to. */
  readonly accountId?: string | null;
  /** ID of the user who owns the record. */
  readonly ownerId?: string | null;
  /** ID of the record in your system. */
  readonly externalId?: string | null;
  readonly customFields?: CustomFieldValues;
};

/** Numbers of records. */
export type Counts = {
  readonly accounts?: RecordCount;
  readonly contacts?: RecordCount;
  readonly opportunities?: RecordCount;
  readonly tasks?: RecordCount;
  readonly notes?: RecordCount;
  /** The open opportunities of each stage that has any, sorted by stage ID. */
  readonly openOpportunities?: readonly StageCount[];
};

/** A new API key with its value. */
export type CreatedApiKey = ApiKey & {
  /** The API key. */
  readonly key: string | null;
};

/** Members that don't apply to the field type are omitted. */
export type CustomField = {
  /** Name of the field in `customFields`. */
  readonly key: string;
  /** Display name. */
  readonly label: string;
  /** Type of the values; see CustomFieldValues. */
  readonly type: "text" | "number" | "currency" | "date" | "list" | "multi_list";
  /** Whether every new record needs a value. */
  readonly required: boolean;
  /** Description. */
  readonly description?: string;
  /** For `text` only: maximum length in characters (Unicode code points). */
  readonly maxLength?: number;
  /** For `list` and `multi_list` only: the allowed values. */
  readonly options?: readonly string[];
  /** For `list` and `multi_list` only: display names by option. */
  readonly optionLabels?: Readonly<Record<string, string>>;
};

/** Fields of a new customField. */
export type CustomFieldCreate =
  Pick<CustomField, "key" | "label" | "type"> &
  Partial<Pick<CustomField, "required">> & {
  /** Kind of the records that have the field. */
  readonly entity: EntityType;
  /** Description. */
  readonly description?: string | null;
  /** For `text` only: maximum length in characters (Unicode code points). */
  readonly maxLength?: number | null;
  /** For `list` and `multi_list` only: the allowed values. */
  readonly options?: readonly string[] | null;
  /** For `list` and `multi_list` only: display names by option. */
  readonly optionLabels?: Readonly<Record<string, string>> | null;
  /** Position in the catalog, in ascending order. */
  readonly position?: number;
  /** ID of the caller's tenant. */
  readonly tenantId?: string;
};

/** Fields to change. */
export type CustomFieldUpdate = Partial<CustomFieldCreate> & Partial<BaseRecord> & {
  /** Time the record was archived. */
  readonly archivedAt?: string | null;
};

/** Custom field values by key (see `GET /custom-fields`). */
export type CustomFieldValues = Readonly<Record<string, unknown>>;

/** Body of every error response. */
export type ErrorBody = {
  /** The error. */
  readonly error: {
    /** Type of the error. */
    readonly code: ErrorCode;
    /** Explanation for people, with a suggested fix. */
    readonly message: string;
    readonly details?: ErrorDetails;
  };
};

/** Machine-readable details. */
export type ErrorDetails = {
  /** All errors found (validation_error, invalid_reference and the codes of custom fields). */
  readonly errors?: readonly FieldError[];
  /** Total number of errors. */
  readonly errorCount?: number;
  /** ID of the record that has the value (duplicate). */
  readonly existingId?: string;
  /** Field whose value is already in use (duplicate). */
  readonly field?: string;
  /** Cause of the conflict, such as stale (conflict), or expired (invalid_cursor). */
  readonly reason?: string;
  /** Number of open opportunities in a pipeline or stage, at most 100 (conflict with the reason in_use). */
  readonly count?: number;
  /** IDs of the records that match (conflict with the reason ambiguous), or of the rules that require a custom field (in_use). */
  readonly ids?: readonly string[];
  /** The operations that failed (validation_error of an atomic batch). */
  readonly items?: readonly BatchFailure[];
  /** States that are possible now (conflict). */
  readonly allowed?: readonly string[];
  /** Current updatedAt of the record (conflict with the reason stale). */
  readonly updatedAt?: string;
  /** Missing scope, or admin (insufficient_scope). */
  readonly required?: string;
  /** Scopes of the integration (insufficient_scope). */
  readonly granted?: readonly string[];
  /** Filter that is missing or doesn't match the cursor (invalid_cursor). */
  readonly parameter?: string;
  /** Method of the first use of the key (idempotency_key_reused). */
  readonly method?: string;
  /** Path of the first use of the key, relative to the base URL (idempotency_key_reused). */
  readonly path?: string;
  /** Time of the first use of the key (idempotency_key_reused). */
  readonly usedAt?: string;
  /** Time from which all events exist (invalid_cursor with the reason expired). */
  readonly eventsFrom?: string;
  /** How to continue (invalid_cursor with the reason expired). */
  readonly remedy?: string;
  /** ID to report, equal to the X-Request-Id of the response (internal_error). */
  readonly requestId?: string;
};

/** A change of one record by one request. */
export type Event = BaseRecord & {
  /** The kind of the record, a dot, and a verb, such as `task.completed`. */
  readonly type: string;
  /** ID of the record. */
  readonly recordId: string;
  /** Names of the fields that changed, without `updatedAt`; a custom field is `customFields.<key>`. */
  readonly changed: readonly string[] | null;
  /** Former values of the changed fields by name. */
  readonly before: Readonly<Record<string, unknown>> | null;
  /** ID of the integration that sent the request. */
  readonly integrationId: string | null;
  /** ID of the API key of the request. */
  readonly keyId: string | null;
  /** ID of the admin who sent the request. */
  readonly userId: string | null;
  /** The `X-Request-Id` of the request. */
  readonly requestId: string | null;
};

/** An error in one field, parameter or header of a request. */
export type FieldError = {
  /** Location of the error: a JSON Pointer into the body (`/customFields/segment`), `?name` for a query parameter, or the name of a header. */
  readonly path: string;
  /** Type of the error. */
  readonly code: FieldErrorCode;
  /** Explanation for people. */
  readonly message: string;
  /** Accepted values, or the known names of an unknown_key. */
  readonly allowed?: readonly string[];
  /** The known value or name that is closest to a misspelled one. */
  readonly suggestion?: string;
  readonly limits?: Limits;
};

/** A grant with its tenant and user. */
export type Grant = {
  /** ID of the grant. */
  readonly grantId: string;
  /** ID of the tenant. */
  readonly tenantId: string;
  /** ID of the user that the grant acts for. */
  readonly userId: string;
  /** The tenant. */
  readonly tenant: {
    /** ID of the tenant, the same as `tenantId`. */
    readonly id: string;
    /** Name of the tenant. */
    readonly name: string;
  };
  /** The user, active or inactive. */
  readonly user: {
    /** Unique ID, assigned on creation. */
    readonly id: string;
    /** Inactive users can't be assigned to records. */
    readonly active: boolean;
    /** Full name. */
    readonly name?: string;
    /** Unique within the tenant. */
    readonly email?: string;
  };
};

/** Fields of a new grant. */
export type GrantCreate = {
  /** ID of the user. */
  readonly userId: string;
  /** ID of the caller's tenant. */
  readonly tenantId?: string;
};

/** Fields to change. */
export type GrantUpdate = Partial<BaseRecord> & {
  /** ID of the user. */
  readonly userId?: string;
  /** Time the record was archived. */
  readonly archivedAt?: string | null;
  /** ID of the caller's tenant. */
  readonly tenantId?: string;
};

/** The records that a rule would concern. */
export type Impact = {
  /** Number of the records that lack the field, among those that were read. */
  readonly missing: number;
  /** Number of the records to which the rule would apply, among those that were read. */
  readonly checked: number;
  /** Whether all records were read. */
  readonly complete: boolean;
  /** The first records that lack the field. */
  readonly sample: readonly ImpactRecord[];
};

/** A record that lacks the field. */
export type ImpactRecord = {
  /** ID of the record. */
  readonly id: string;
  /** Name of the record, or the title of a task. */
  readonly name: string;
};

/** Fields of a new integration. */
export type IntegrationCreate = {
  /** Display name. */
  readonly name: string;
  /** Permissions of its API keys. */
  readonly scopes?: readonly Scope[];
  /** ID of the caller's tenant. */
  readonly tenantId?: string;
};

/** Fields to change. */
export type IntegrationUpdate = Partial<BaseRecord> & Partial<IntegrationCreate> & {
  /** Time the record was archived. */
  readonly archivedAt?: string | null;
};

/** The limits that the value exceeds (too_long, out_of_range). */
export type Limits = {
  /** Smallest number. */
  readonly minimum?: number;
  /** Largest number. */
  readonly maximum?: number;
  /** Maximum number of characters. */
  readonly maxLength?: number;
  /** Minimum number of entries. */
  readonly minItems?: number;
  /** Maximum number of entries, or of records that a list sorts. */
  readonly maxItems?: number;
  /** Maximum number of significant digits. */
  readonly totalDigits?: number;
  /** Earliest time. */
  readonly notBefore?: string;
  /** Latest time. */
  readonly notAfter?: string;
};

/** The authenticated caller. */
export type Me = {
  /** ID of the tenant. */
  readonly tenantId: string;
  /** ID of the integration. */
  readonly integrationId: string | null;
  /** ID of the API key. */
  readonly keyId: string | null;
  /** Scopes of the integration. */
  readonly scopes: readonly Scope[];
  /** Rate limit state of the API key. */
  readonly rateLimit: {
    /** Maximum number of requests in 60 seconds. */
    readonly limit: number;
    /** Number of requests left, after this one. */
    readonly remaining: number;
    /** Time at which `remaining` is back at `limit`. */
    readonly resetAt: string;
  };
  /** Time on the server. */
  readonly serverTime: string;
};

/** A field error that the change would return. */
export type MissingField = {
  /** JSON Pointer into the body of the PATCH, such as `/customFields/segment`. */
  readonly path: string;
  /** Type of the error. */
  readonly code: FieldErrorCode;
  /** Explanation for people. */
  readonly message: string;
  /** Accepted values. */
  readonly allowed?: readonly string[];
  /** Name of the field, such as `amount`, or the key of a custom field. */
  readonly field: string;
};

/** A text about an account, a contact or an opportunity. */
export type Note = BaseRecord & {
  /** Plain text, 1 to 20,000 characters. */
  readonly body: string;
  /** The account, contact or opportunity that the note belongs to. */
  readonly relatedTo: RelatedTo;
  /** ID of the user who wrote the note. */
  readonly authorId: string | null;
  /** Time of what the note is about, in the past or the future. */
  readonly occurredAt: string;
  /** ID of the record in your system. */
  readonly externalId: string | null;
  /** Time the record was archived. */
  readonly archivedAt?: string;
};

/** The operations of a batch. */
export type NoteBatch = {
  /** The operations, in order. */
  readonly operations: readonly NoteOperation[];
  /** Whether a failure prevents all writes. */
  readonly atomic?: boolean;
  /** ID of the caller's tenant. */
  readonly tenantId?: string;
};

/** The result of one operation. */
export type NoteBatchItem = {
  /** Position of the operation in the request, from 0. */
  readonly index: number;
  /** Status of the single request. */
  readonly status: number;
  /** Present if the operation succeeded. */
  readonly result?: "created" | "updated" | "unchanged" | "archived";
  readonly data?: Note;
  readonly error?: BatchError;
};

/** Fields of a new note. */
export type NoteCreate =
  Pick<Note, "body" | "relatedTo"> &
  Partial<Pick<Note, "authorId" | "occurredAt" | "externalId">> & {
  /** ID of the caller's tenant. */
  readonly tenantId?: string;
};

/** One operation of a batch. */
export type NoteOperation = {
  /** The kind of operation. */
  readonly op: "create" | "update" | "upsert" | "archive";
  /** ID of the record to update or archive. */
  readonly id?: string;
  /** The field by which an upsert finds the record. */
  readonly matchBy?: "externalId";
  /** `exists` returns 404 instead of creating a record. */
  readonly onlyIf?: "exists" | "absent";
  readonly data?: NoteUpsertInput;
};

/** A JSON Schema (draft 2020-12). */
export type NoteSchema = Readonly<Record<string, unknown>>;

/** Fields to change. */
export type NoteUpdate = Partial<NoteCreate> & Partial<BaseRecord> & {
  /** Time the record was archived. */
  readonly archivedAt?: string | null;
};

/** Fields of a note. */
export type NoteUpsert = NoteUpsertInput & {
  /** ID of the caller's tenant. */
  readonly tenantId?: string;
};

/** Fields of a note. */
export type NoteUpsertInput = {
  /** Plain text, 1 to 20,000 characters. */
  readonly body?: string;
  /** The account, contact or opportunity that the note belongs to. */
  readonly relatedTo?: RelatedTo;
  /** ID of the user who wrote the note. */
  readonly authorId?: string | null;
  /** Time of what the note is about, in the past or the future. */
  readonly occurredAt?: string;
  /** ID of the record in your system. */
  readonly externalId?: string | null;
};

/** A potential deal. */
export type Opportunity = BaseRecord & {
  /** Title. */
  readonly name: string;
  /** ID of the account. */
  readonly accountId: string | null;
  /** IDs of the contacts involved, at most 100. */
  readonly contactIds: readonly string[];
  /** Defaults to the pipeline of `stageId`, or else to the tenant's default pipeline. */
  readonly pipelineId: string;
  /** Defaults to the first stage of the pipeline. */
  readonly stageId: string;
  /** Any status can change to any other. */
  readonly status: OpportunityStatus;
  /** Amount in major currency units (euros, not cents). */
  readonly amount: number | null;
  /** ISO 4217 code. */
  readonly currency: string | null;
  /** Date on which the opportunity is expected to close. */
  readonly expectedCloseDate: string | null;
  /** ID of the user who owns the record. */
  readonly ownerId: string | null;
  /** Allowed only if `status` is `lost`. */
  readonly lostReason: string | null;
  /** Time of the last change to `won` or `lost`. */
  readonly closedAt: string | null;
  /** Time the opportunity entered its stage. */
  readonly stageChangedAt: string | null;
  /** ID of the record in your system. */
  readonly externalId: string | null;
  readonly customFields: CustomFieldValues;
  /** Time the record was archived. */
  readonly archivedAt?: string;
};

/** The operations of a batch. */
export type OpportunityBatch = {
  /** The operations, in order. */
  readonly operations: readonly OpportunityOperation[];
  /** Whether a failure prevents all writes. */
  readonly atomic?: boolean;
  /** ID of the caller's tenant. */
  readonly tenantId?: string;
};

/** The result of one operation. */
export type OpportunityBatchItem = {
  /** Position of the operation in the request, from 0. */
  readonly index: number;
  /** Status of the single request. */
  readonly status: number;
  /** Present if the operation succeeded. */
  readonly result?: "created" | "updated" | "unchanged" | "archived";
  readonly data?: Opportunity;
  readonly error?: BatchError;
};

/** Fields of a new opportunity. */
export type OpportunityCreate =
  Pick<Opportunity, "name"> &
  Partial<Pick<Opportunity,
  | "accountId" | "contactIds" | "pipelineId" | "stageId" | "status" | "amount" | "currency"
  | "expectedCloseDate" | "ownerId" | "lostReason" | "closedAt" | "externalId" | "customFields">> & {
  /** ID of the caller's tenant. */
  readonly tenantId?: string;
};

/** One operation of a batch. */
export type OpportunityOperation = {
  /** The kind of operation. */
  readonly op: "create" | "update" | "upsert" | "archive";
  /** ID of the record to update or archive. */
  readonly id?: string;
  /** The field by which an upsert finds the record. */
  readonly matchBy?: "externalId";
  /** `exists` returns 404 instead of creating a record. */
  readonly onlyIf?: "exists" | "absent";
  readonly data?: OpportunityUpsertInput;
};

/** A JSON Schema (draft 2020-12). */
export type OpportunitySchema = Readonly<Record<string, unknown>>;

/** A status that a record can get. */
export type OpportunityStatusTarget = {
  /** The status. */
  readonly status: OpportunityStatus;
};

/** A change of the stage or the status, and the errors that it would return. */
export type OpportunityTransition = {
  /** The stage or the status. */
  readonly to: StageTarget | OpportunityStatusTarget;
  /** Whether a PATCH with only this stage or status succeeds. */
  readonly allowed: boolean;
  readonly conflict?: TransitionConflict;
  /** The field errors that this PATCH returns in `details.errors`. */
  readonly missing: readonly MissingField[];
};

/** Fields to change. */
export type OpportunityUpdate = Partial<OpportunityCreate> & Partial<BaseRecord> & {
  /** Time the opportunity entered its stage. */
  readonly stageChangedAt?: string | null;
  /** Time the record was archived. */
  readonly archivedAt?: string | null;
};

/** Fields of an opportunity. */
export type OpportunityUpsert = OpportunityUpsertInput & {
  /** ID of the caller's tenant. */
  readonly tenantId?: string;
};

/** Fields of an opportunity. */
export type OpportunityUpsertInput = {
  /** Title. */
  readonly name?: string;
  /** ID of the account. */
  readonly accountId?: string | null;
  /** IDs of the contacts involved, at most 100. */
  readonly contactIds?: readonly string[];
  /** Defaults to the pipeline of `stageId`, or else to the tenant's default pipeline. */
  readonly pipelineId?: string;
  /** Defaults to the first stage of the pipeline. */
  readonly stageId?: string;
  /** Any status can change to any other. */
  readonly status?: OpportunityStatus;
  /** Amount in major currency units (euros, not cents). */
  readonly amount?: number | null;
  /** ISO 4217 code. */
  readonly currency?: string | null;
  /** Date on which the opportunity is expected to close. */
  readonly expectedCloseDate?: string | null;
  /** ID of the user who owns the record. */
  readonly ownerId?: string | null;
  /** Allowed only if `status` is `lost`. */
  readonly lostReason?: string | null;
  /** Time of the last change to `won` or `lost`. */
  readonly closedAt?: string | null;
  /** ID of the record in your system. */
  readonly externalId?: string | null;
  readonly customFields?: CustomFieldValues;
};

/** A sales pipeline and its stages. */
export type Pipeline = BaseRecord & {
  /** Display name. */
  readonly name: string;
  /** Whether new opportunities use this pipeline by default. */
  readonly isDefault: boolean;
  /** Allowed values of `lostReason`. */
  readonly lostReasons: readonly string[];
  /** Whether a lost opportunity needs a `lostReason`. */
  readonly requireLostReason: boolean;
  /** Stages in their order. */
  readonly stages: readonly Stage[];
};

/** Fields of a new pipeline, and its stages in order. */
export type PipelineCreate =
  Pick<Pipeline, "name"> &
  Partial<Pick<Pipeline, "isDefault" | "lostReasons" | "requireLostReason">> & {
  /** The stages. */
  readonly stages: readonly ({
    /** Display name. */
    readonly name: string;
    /** Position. */
    readonly order?: number;
    /** Probability of winning, in percent. */
    readonly probability?: number | null;
  })[];
  /** ID of the caller's tenant. */
  readonly tenantId?: string;
};

/** Fields to change. */
export type PipelineUpdate = Partial<BaseRecord> & {
  /** Display name. */
  readonly name?: string;
  /** Whether new opportunities use this pipeline by default. */
  readonly isDefault?: boolean;
  /** Allowed values of `lostReason`. */
  readonly lostReasons?: readonly string[];
  /** Whether a lost opportunity needs a `lostReason`. */
  readonly requireLostReason?: boolean;
  /** Time the record was archived. */
  readonly archivedAt?: string | null;
  /** ID of the caller's tenant. */
  readonly tenantId?: string;
};

/** The number of records of a kind or of a list, at most 10,000. */
export type RecordCount = {
  /** Number of records, without archived ones unless the list includes them. */
  readonly count: number;
  /** Whether there can be more than `count` records. */
  readonly isMinimum: boolean;
};

/** A reference to an account, a contact or an opportunity. */
export type RelatedTo = {
  /** Kind of the related record. */
  readonly type: EntityType;
  /** ID of the related record. */
  readonly id: string;
};

/** The requests of the tenant in one minute. */
export type RequestCounts = {
  /** Start of the minute. */
  readonly at: string;
  /** Number of requests. */
  readonly count: number;
  /** Number of responses with a status from 400 to 499. */
  readonly clientErrors: number;
  /** Number of responses with a status from 500. */
  readonly serverErrors: number;
  /** Average time from receiving a request to creating its response, in milliseconds. */
  readonly averageMs: number;
};

/** A request that failed, that wrote something, or of an admin. */
export type RequestEntry = {
  /** `X-Request-Id` of the response. */
  readonly requestId: string;
  /** Time at which the server received the request. */
  readonly at: string;
  /** HTTP method. */
  readonly method: string;
  /** Path with IDs, and the names of the query parameters. */
  readonly path: string;
  /** Name of the operation. */
  readonly operation: string;
  /** HTTP status of the response. */
  readonly status: number;
  /** Error code. */
  readonly code: | "validation_error" | "invalid_cursor" | "bad_request" | "unauthorized" | "insufficient_scope"
    | "not_found" | "duplicate" | "conflict" | "tenant_without_admin" | "invalid_reference"
    | "idempotency_key_reused" | "unknown_custom_field" | "invalid_custom_field" | "rate_limited"
    | "internal_error" | null;
  /** Time from receiving the request to creating its response, in milliseconds. */
  readonly durationMs: number;
  /** ID of the integration. */
  readonly integrationId: string | null;
  /** ID of the API key. */
  readonly keyId: string | null;
  /** ID of the user. */
  readonly userId: string | null;
  /** Whether the response is a replay for an Idempotency-Key. */
  readonly replayed: boolean;
  /** Whether the request ran without writing. */
  readonly dryRun: boolean;
  /** `http` for the API, `console` for the console, `mcp` for an MCP tool. */
  readonly source: "http" | "console" | "mcp";
  /** Trace ID in the header `traceparent`. */
  readonly traceId: string | null;
  /** The records that the request wrote. */
  readonly changes: {
    /** Number of written records. */
    readonly count: number;
    /** IDs of written records. */
    readonly ids: readonly string[];
  };
  /** Why the request failed. */
  readonly problem: RequestProblem | null;
};

/** Why a request failed. */
export type RequestProblem = {
  /** The check that rejected the request. */
  readonly step: | "route" | "size" | "authentication" | "rate_limit" | "scope" | "json" | "tenant" | "shape"
    | "idempotency" | "existence" | "references" | "rules" | "commit" | "server";
  /** The entries of `details.errors`, without their messages. */
  readonly errors: readonly {
    /** JSON Pointer into the body, `?name` of a parameter, or the name of a header. */
    readonly path: string;
    /** The kind of error. */
    readonly code: FieldErrorCode;
    /** Values that are allowed. */
    readonly allowed?: readonly string[];
    readonly limits?: Limits;
  }[];
  /** The members of the body with types in place of values, such as `string(12)` or `array(3)`. */
  readonly body?: Readonly<Record<string, unknown>>;
  /** `details.reason` of a conflict. */
  readonly reason?: string;
  /** The missing scope. */
  readonly required?: string;
  /** ID of the record that has the unique value. */
  readonly existingId?: string;
  /** The earlier request with the same Idempotency-Key. */
  readonly firstUse?: {
    /** Path of the earlier request. */
    readonly path: string;
    /** Time of the earlier request. */
    readonly usedAt: string;
  };
};

/** The number of requests with the same key. */
export type RequestTotal = {
  /** The operation, the ID of the integration, the error code, or the start of the hour. */
  readonly key: string | null;
  /** Number of requests. */
  readonly count: number;
  /** Number of responses with a status from 400 to 499. */
  readonly clientErrors: number;
  /** Number of responses with a status from 500. */
  readonly serverErrors: number;
  /** Average duration in milliseconds. */
  readonly averageMs: number;
  /** Longest duration in milliseconds. */
  readonly maxMs: number;
};

/** Fields of a new rule. */
export type RuleCreate = {
  /** Kind of the records that need the field. */
  readonly entity: EntityType;
  /** Name of the field, or `customFields.` and the key of a custom field. */
  readonly field: string;
  /** For opportunities only: the stages and statuses where the field is required. */
  readonly when?: {
    /** IDs of the stages. */
    readonly stageIds?: readonly string[];
    /** The statuses. */
    readonly statuses?: readonly OpportunityStatus[];
  } | null;
  /** ID of the caller's tenant. */
  readonly tenantId?: string;
};

/** Fields to change. */
export type RuleUpdate = Partial<RuleCreate> & Partial<BaseRecord> & {
  /** Time the record was archived. */
  readonly archivedAt?: string | null;
};

/** A record that a search found. */
export type SearchResult = {
  /** The kind of the record. */
  readonly entity: EntityType;
  /** The record, as in the response to a GET of it. */
  readonly record: Account | Contact | Opportunity;
};

/** The state of the server. */
export type ServerState = {
  /** Version of the server. */
  readonly version: string;
  /** Time at which the server started. */
  readonly startedAt: string;
  /** Why the server can't work normally. */
  readonly problems: readonly string[];
  /** The kinds of problems, in the same order. */
  readonly problemCodes: readonly ("disk_low" | "read_failed" | "write_failed" | "newer_schema" | "stopping")[];
  /** The database file. */
  readonly database: {
    /** Size of the database in bytes. */
    readonly bytes: number;
    /** Free space on its disk in bytes. */
    readonly freeBytes: number | null;
  } | null;
  /** The backups. */
  readonly backups: Backups | null;
  /** The requests of the tenant since the start of this server, by minute. */
  readonly requests: readonly RequestCounts[];
};

/** A stage of a pipeline. */
export type Stage = {
  /** Unique ID, assigned on creation. */
  readonly id: string;
  /** Display name. */
  readonly name: string;
  /** Position in the pipeline, in ascending order. */
  readonly order: number;
  /** Probability of winning in this stage, in percent, 0 to 100. */
  readonly probability: number | null;
  /** Fields that an opportunity needs in this stage, such as `amount` or `customFields.budget`. */
  readonly requiredFields: readonly string[];
};

/** The open opportunities of a stage. */
export type StageCount = {
  /** ID of the pipeline. */
  readonly pipelineId: string;
  /** ID of the stage. */
  readonly stageId: string;
  /** Number of open opportunities in the stage. */
  readonly count: number;
  /** Whether the tenant has more than 10,000 open opportunities. */
  readonly isMinimum: boolean;
  /** Sums of their amounts by currency. */
  readonly amounts: readonly AmountTotal[];
};

/** Fields of a new stage. */
export type StageCreate =
  Pick<Stage, "name" | "order"> &
  Partial<Pick<Stage, "probability">> & {
  /** ID of the pipeline. */
  readonly pipelineId: string;
  /** ID of the caller's tenant. */
  readonly tenantId?: string;
};

/** A stage that an opportunity can move to. */
export type StageTarget = {
  /** ID of the stage. */
  readonly stageId: string;
  /** Name of the stage. */
  readonly stageName: string;
  /** ID of the pipeline of the stage. */
  readonly pipelineId: string;
};

/** Fields to change. */
export type StageUpdate = Partial<StageCreate> & Partial<BaseRecord> & {
  /** Time the record was archived. */
  readonly archivedAt?: string | null;
};

/** A to-do item. */
export type Task = BaseRecord & {
  /** Title. */
  readonly title: string;
  /** Free text. */
  readonly description: string | null;
  /** Priority. */
  readonly priority: TaskPriority;
  /** Any status can change to any other. */
  readonly status: TaskStatus;
  /** Due date and time. */
  readonly dueDate: string | null;
  /** The related account, contact or opportunity. */
  readonly relatedTo: RelatedTo | null;
  /** ID of the assigned user. */
  readonly assignedTo: string | null;
  /** Time of the last change to `completed` or `canceled`. */
  readonly closedAt: string | null;
  /** Time the record was archived. */
  readonly archivedAt?: string;
};

/** The operations of a batch. */
export type TaskBatch = {
  /** The operations, in order. */
  readonly operations: readonly TaskOperation[];
  /** Whether a failure prevents all writes. */
  readonly atomic?: boolean;
  /** ID of the caller's tenant. */
  readonly tenantId?: string;
};

/** The result of one operation. */
export type TaskBatchItem = {
  /** Position of the operation in the request, from 0. */
  readonly index: number;
  /** Status of the single request. */
  readonly status: number;
  /** Present if the operation succeeded. */
  readonly result?: "created" | "updated" | "unchanged" | "archived";
  readonly data?: Task;
  readonly error?: BatchError;
};

/** Fields of a new task. */
export type TaskCreate =
  Pick<Task, "title"> &
  Partial<Pick<Task, "description" | "priority" | "status" | "dueDate" | "relatedTo" | "assignedTo">> & {
  /** ID of the caller's tenant. */
  readonly tenantId?: string;
};

/** One operation of a batch. */
export type TaskOperation = {
  /** The kind of operation. */
  readonly op: "create" | "update" | "archive";
  /** ID of the record to update or archive. */
  readonly id?: string;
  readonly data?: TaskUpsert;
};

/** A JSON Schema (draft 2020-12). */
export type TaskSchema = Readonly<Record<string, unknown>>;

/** A status that a record can get. */
export type TaskStatusTarget = {
  /** The status. */
  readonly status: TaskStatus;
};

/** A change of the stage or the status, and the errors that it would return. */
export type TaskTransition = {
  readonly to: TaskStatusTarget;
  /** Whether a PATCH with only this stage or status succeeds. */
  readonly allowed: boolean;
  readonly conflict?: TransitionConflict;
  /** The field errors that this PATCH returns in `details.errors`. */
  readonly missing: readonly MissingField[];
};

/** Fields to change. */
export type TaskUpdate = Partial<TaskCreate> & Partial<BaseRecord> & {
  /** Time of the last change to `completed` or `canceled`. */
  readonly closedAt?: string | null;
  /** Time the record was archived. */
  readonly archivedAt?: string | null;
};

/** Fields of a task. */
export type TaskUpsert = {
  /** Title. */
  readonly title?: string;
  /** Free text. */
  readonly description?: string | null;
  /** Priority. */
  readonly priority?: TaskPriority;
  /** Any status can change to any other. */
  readonly status?: TaskStatus;
  /** Due date and time. */
  readonly dueDate?: string | null;
  /** The related account, contact or opportunity. */
  readonly relatedTo?: RelatedTo | null;
  /** ID of the assigned user. */
  readonly assignedTo?: string | null;
};

/** The company that uses the CRM. */
export type Tenant = {
  /** ID of the tenant. */
  readonly id: string;
  /** Name of the company. */
  readonly name: string;
  /** Time of creation. */
  readonly createdAt: string;
  /** Time of the last change. */
  readonly updatedAt: string;
};

/** The new name. */
export type TenantUpdate = {
  /** Name of the company. */
  readonly name: string;
  /** ID of the caller's tenant. */
  readonly tenantId?: string;
};

/** An error that isn't about a field, such as a `409 conflict`. */
export type TransitionConflict = {
  /** Code of the error, usually `conflict`. */
  readonly code: string;
  /** Explanation for people. */
  readonly message: string;
  /** Cause of the conflict, such as `closed`. */
  readonly reason?: string;
};

/** A person who works in the tenant's CRM. */
export type User = BaseRecord & {
  /** Full name. */
  readonly name: string;
  /** Unique within the tenant. */
  readonly email: string;
  /** Users with the role `admin` can manage API keys. */
  readonly role: "admin" | "member";
  /** Inactive users can't be assigned to records. */
  readonly active: boolean;
  /** ID of the user in your system. */
  readonly externalId: string | null;
};

/** Fields of a new user. */
export type UserCreate =
  Pick<User, "name" | "email"> &
  Partial<Pick<User, "role" | "active" | "externalId">> & {
  /** ID of the caller's tenant. */
  readonly tenantId?: string;
};

/** Fields to change. */
export type UserUpdate = Partial<User> & {
  /** Time the record was archived. */
  readonly archivedAt?: string | null;
  /** ID of the caller's tenant. */
  readonly tenantId?: string;
};

/** A URL to which the server sends events. */
export type Webhook = BaseRecord & {
  /** ID of the integration that the webhook belongs to. */
  readonly integrationId: string | null;
  /** The https URL that receives the events, without user name, password and fragment. */
  readonly url: string;
  /** The types of the events to send, such as `opportunity.won` or `task.*`. */
  readonly types: readonly (| "account.created" | "account.updated" | "account.archived" | "account.restored"
    | "contact.created" | "contact.updated" | "contact.archived" | "contact.restored"
    | "opportunity.created" | "opportunity.updated" | "opportunity.archived" | "opportunity.restored"
    | "opportunity.won" | "opportunity.lost" | "opportunity.reopened" | "opportunity.stage_changed"
    | "task.created" | "task.updated" | "task.archived" | "task.restored" | "task.completed"
    | "task.canceled" | "task.reopened" | "note.created" | "note.updated" | "note.archived"
    | "note.restored" | "account.*" | "contact.*" | "opportunity.*" | "task.*" | "note.*")[] | null;
  /** Whether to leave out the events of the integration's own writes. */
  readonly skipOwn: boolean;
  /** Whether to send events. */
  readonly active: boolean;
  /** A note for people. */
  readonly description: string | null;
  /** Time the record was archived. */
  readonly archivedAt?: string;
  /** The position in the event log. */
  readonly position: {
    /** All events before this time are settled. */
    readonly time: string;
    /** Of the events at this time, those up to this one are settled as well. */
    readonly eventId: string | null;
  };
  /** Time of the first failure after the last success. */
  readonly failingSince: string | null;
  /** Number of failed attempts in a row. */
  readonly failures: number;
  /** Time of the next attempt after a failure. */
  readonly nextAttemptAt: string | null;
  /** The last attempt. */
  readonly lastAttempt: {
    /** Time of the attempt. */
    readonly at: string;
    /** ID of the event. */
    readonly eventId: string | null;
    /** Status of the response. */
    readonly status: number | null;
    /** Why there was no response. */
    readonly error: string | null;
    /** Duration in milliseconds. */
    readonly durationMs: number;
  } | null;
  /** Time of the last attempt that succeeded. */
  readonly lastSuccessAt: string | null;
  /** Why the server has paused the webhook: `failing` after 72 hours without a success, `gone` after a response with status 410, or `expired` because events after the position were deleted. */
  readonly pausedReason: "failing" | "gone" | "expired" | null;
  /** The last 100 events that the receiver rejected in every attempt. */
  readonly skipped: readonly {
    /** ID of the event. */
    readonly eventId: string;
    /** Type of the event. */
    readonly type: string;
    /** ID of its record. */
    readonly recordId: string;
    /** Time of the last attempt. */
    readonly at: string;
    /** Status of the last response. */
    readonly status: number;
  }[];
};

export type WebhookCreate =
  Pick<Webhook, "url"> &
  Partial<Pick<Webhook, "types" | "skipOwn" | "active" | "description">> & {
  /** ID of the caller's tenant. */
  readonly tenantId?: string;
};

/** The result of one attempt. */
export type WebhookOutcome = {
  /** Status of the response. */
  readonly status: number | null;
  /** Why there was no response. */
  readonly error: string | null;
  /** Duration in milliseconds. */
  readonly durationMs: number;
};

export type WebhookUpdate = Partial<WebhookCreate> & Partial<BaseRecord> & {
  /** ID of the integration that the webhook belongs to. */
  readonly integrationId?: string | null;
  /** Time the record was archived. */
  readonly archivedAt?: string | null;
  /** A new position: a time, or `latest` to skip all events so far. */
  readonly position?: unknown | {
    /** The events from this time on are delivered, again or for the first time. */
    readonly since: string;
  };
};

/** A URL to which the server sends events. */
export type WebhookWithSecret = Webhook & {
  /** The secret that signs the messages: `whsec_` and 32 bytes in base64. */
  readonly secret: string | null;
};

/** Query parameters of each list. */
export type ListQuery = {
  readonly limit?: number;
  readonly updatedSince?: string;
  readonly includeArchived?: boolean;
};

/** Query parameters of GET /accounts. */
export type AccountQuery = AdminPipelineQuery & {
  readonly ids?: readonly string[];
  readonly q?: string;
  readonly name?: string;
  readonly names?: readonly string[];
  readonly ownerId?: string;
  readonly phone?: string;
  readonly externalId?: string;
  readonly externalIds?: readonly string[];
  readonly count?: boolean;
};

/** Query parameters of each record. */
export type RecordQuery = { readonly includeArchived?: boolean };

/** Query parameters of GET /accounts/{id}/history. */
export type HistoryQuery = { readonly limit?: number };

/** Query parameters of GET /contacts. */
export type ContactQuery = AdminPipelineQuery & {
  readonly ids?: readonly string[];
  readonly q?: string;
  readonly email?: string;
  readonly emails?: readonly string[];
  readonly accountId?: string;
  readonly ownerId?: string;
  readonly phone?: string;
  readonly externalId?: string;
  readonly externalIds?: readonly string[];
  readonly count?: boolean;
};

/** Query parameters of GET /opportunities. */
export type OpportunityQuery = AdminStageQuery & {
  readonly ids?: readonly string[];
  readonly q?: string;
  readonly status?: OpportunityStatus;
  readonly stageId?: string;
  readonly accountId?: string;
  readonly contactId?: string;
  readonly ownerId?: string;
  readonly externalId?: string;
  readonly externalIds?: readonly string[];
  readonly count?: boolean;
};

/** Query parameters of GET /tasks. */
export type TaskQuery = ListQuery & {
  readonly ids?: readonly string[];
  readonly q?: string;
  readonly status?: TaskStatus;
  readonly assignedTo?: string;
  readonly relatedToId?: string;
  readonly order?: "updatedAt" | "-updatedAt" | "createdAt" | "-createdAt" | "dueDate" | "-dueDate";
  readonly count?: boolean;
};

/** Query parameters of GET /notes. */
export type NoteQuery = ListQuery & {
  readonly ids?: readonly string[];
  readonly relatedToId?: string;
  readonly authorId?: string;
  readonly externalId?: string;
  readonly externalIds?: readonly string[];
  readonly order?: "updatedAt" | "-updatedAt" | "createdAt" | "-createdAt" | "occurredAt" | "-occurredAt";
  readonly count?: boolean;
};

/** Query parameters of GET /events. */
export type EventQuery = {
  readonly limit?: number;
  readonly updatedSince?: string;
  readonly types?: readonly (| "account.created" | "account.updated" | "account.archived" | "account.restored"
    | "contact.created" | "contact.updated" | "contact.archived" | "contact.restored"
    | "opportunity.created" | "opportunity.updated" | "opportunity.archived" | "opportunity.restored"
    | "opportunity.won" | "opportunity.lost" | "opportunity.reopened" | "opportunity.stage_changed"
    | "task.created" | "task.updated" | "task.archived" | "task.restored" | "task.completed"
    | "task.canceled" | "task.reopened" | "note.created" | "note.updated" | "note.archived"
    | "note.restored" | "account.*" | "contact.*" | "opportunity.*" | "task.*" | "note.*")[];
  readonly excludeOwn?: boolean;
};

/** Query parameters of GET /admin/events. */
export type AdminEventQuery = {
  readonly limit?: number;
  readonly updatedSince?: string;
  readonly types?: readonly (| "tenant.created" | "tenant.updated" | "tenant.archived" | "tenant.restored" | "user.created"
    | "user.updated" | "user.archived" | "user.restored" | "pipeline.created" | "pipeline.updated"
    | "pipeline.archived" | "pipeline.restored" | "stage.created" | "stage.updated" | "stage.archived"
    | "stage.restored" | "customField.created" | "customField.updated" | "customField.archived"
    | "customField.restored" | "rule.created" | "rule.updated" | "rule.archived" | "rule.restored"
    | "integration.created" | "integration.updated" | "integration.archived" | "integration.restored"
    | "apiKey.created" | "apiKey.updated" | "apiKey.archived" | "apiKey.restored" | "apiKey.revoked"
    | "grant.created" | "grant.updated" | "grant.archived" | "grant.restored" | "webhook.created"
    | "webhook.updated" | "webhook.archived" | "webhook.restored" | "webhook.secret_rotated"
    | "account.created" | "account.updated" | "account.archived" | "account.restored"
    | "contact.created" | "contact.updated" | "contact.archived" | "contact.restored"
    | "opportunity.created" | "opportunity.updated" | "opportunity.archived" | "opportunity.restored"
    | "opportunity.won" | "opportunity.lost" | "opportunity.reopened" | "opportunity.stage_changed"
    | "task.created" | "task.updated" | "task.archived" | "task.restored" | "task.completed"
    | "task.canceled" | "task.reopened" | "note.created" | "note.updated" | "note.archived"
    | "note.restored" | "tenant.*" | "user.*" | "pipeline.*" | "stage.*" | "customField.*" | "rule.*"
    | "integration.*" | "apiKey.*" | "grant.*" | "webhook.*" | "account.*" | "contact.*"
    | "opportunity.*" | "task.*" | "note.*")[];
  readonly excludeOwn?: boolean;
};

/** Query parameters of GET /opportunities/{id}/transitions. */
export type OpportunityTransitionQuery = { readonly pipelineId?: string };

/** Query parameters of GET /users. */
export type UserQuery = {
  readonly email?: string;
  readonly active?: boolean;
  readonly externalId?: string;
};

/** Query parameters of GET /schema/account. */
export type AccountSchemaQuery = { readonly for?: "create" | "update" };

/** Query parameters of GET /schema/contact. */
export type ContactSchemaQuery = { readonly for?: "create" | "update" };

/** Query parameters of GET /schema/opportunity. */
export type OpportunitySchemaQuery = {
  readonly for?: "create" | "update";
  readonly stageId?: string;
  readonly status?: OpportunityStatus;
};

/** Query parameters of GET /schema/task. */
export type TaskSchemaQuery = { readonly for?: "create" | "update" };

/** Query parameters of GET /schema/note. */
export type NoteSchemaQuery = { readonly for?: "create" | "update" };

/** Query parameters of GET /requests. */
export type RequestEntryQuery = {
  readonly status?: string;
  readonly code?: | "validation_error" | "invalid_cursor" | "bad_request" | "unauthorized" | "insufficient_scope"
    | "not_found" | "duplicate" | "conflict" | "tenant_without_admin" | "invalid_reference"
    | "idempotency_key_reused" | "unknown_custom_field" | "invalid_custom_field" | "rate_limited"
    | "internal_error";
  readonly operation?: string;
  readonly since?: string;
  readonly until?: string;
  readonly limit?: number;
};

/** Query parameters of GET /admin/requests. */
export type AdminRequestEntryQuery = RequestEntryQuery & { readonly integrationId?: string };

/** Query parameters of GET /admin/users. */
export type AdminUserQuery = AdminPipelineQuery & UserQuery & { readonly role?: "admin" | "member" };

/** Query parameters of GET /admin/pipelines. */
export type AdminPipelineQuery = ListQuery & {
  readonly order?: "updatedAt" | "-updatedAt" | "createdAt" | "-createdAt" | "name" | "-name";
};

/** Query parameters of GET /admin/stages. */
export type AdminStageQuery = AdminPipelineQuery & { readonly pipelineId?: string };

/** Query parameters of GET /admin/custom-fields. */
export type AdminCustomFieldQuery = AdminGrantQuery & { readonly entity?: EntityType };

/** Query parameters of GET /admin/rules. */
export type AdminRuleQuery = AdminGrantQuery & { readonly entity?: EntityType };

/** Query parameters of GET /admin/integrations. */
export type AdminIntegrationQuery = ListQuery & {
  readonly order?: "updatedAt" | "-updatedAt" | "createdAt" | "-createdAt" | "name" | "-name";
};

/** Query parameters of GET /admin/grants. */
export type AdminGrantQuery = ListQuery & { readonly order?: "updatedAt" | "-updatedAt" | "createdAt" | "-createdAt" };

/** Response body with one record. */
export type Envelope<T> = { readonly data: T };

/** Response body with a page of records. `nextCursor` is the `cursor` of the next page, null on the last one. */
export type PageBody<T> = { readonly data: readonly T[]; readonly nextCursor: string | null };

/** Value of a custom field. Null clears it. */
export type CustomFieldValue = string | number | readonly string[] | CurrencyValue | null;

/** Value of a currency field. The amount is in major units (euros, not cents). */
export type CurrencyValue = { readonly amount: number; readonly currency: string };

export type IdParams = { readonly id: string };

export type TenantIdBody = { readonly tenantId?: string };

export type WithCursor<Query> = Query & { readonly cursor?: string };

/** Types of the records that can be listed, created and changed, by path. */
export type Collections = {
  accounts: { record: Account; create: AccountCreate; update: AccountUpdate; query: AccountQuery };
  contacts: { record: Contact; create: ContactCreate; update: ContactUpdate; query: ContactQuery };
  opportunities: { record: Opportunity; create: OpportunityCreate; update: OpportunityUpdate; query: OpportunityQuery };
  tasks: { record: Task; create: TaskCreate; update: TaskUpdate; query: TaskQuery };
  notes: { record: Note; create: NoteCreate; update: NoteUpdate; query: NoteQuery };
};

export const collectionNames = ["accounts", "contacts", "opportunities", "tasks", "notes"] as const;

/** Input and response body of each operation. */
export type Operations = {
  readonly listAccounts: { readonly query?: WithCursor<AccountQuery>; readonly result: PageBody<Account> };
  readonly createAccount: { readonly body: AccountCreate; readonly result: Envelope<Account> };
  readonly getAccount: { readonly params: IdParams; readonly query?: RecordQuery; readonly result: Envelope<Account> };
  readonly updateAccount: {
    readonly params: IdParams;
    readonly body: AccountUpdate;
    readonly result: Envelope<Account>;
  };
  readonly archiveAccount: { readonly params: IdParams; readonly result: null };
  readonly restoreAccount: {
    readonly params: IdParams;
    readonly body?: AccountUpdate;
    readonly result: Envelope<Account>;
  };
  readonly listAccountHistory: {
    readonly params: IdParams;
    readonly query?: WithCursor<HistoryQuery>;
    readonly result: PageBody<Event>;
  };
  readonly upsertAccount: {
    readonly query: { readonly matchBy: "externalId" | "name"; readonly onlyIf?: "exists" | "absent" };
    readonly body: AccountUpsert;
    readonly result: Envelope<Account>;
  };
  readonly batchAccounts: { readonly body: AccountBatch; readonly result: Envelope<readonly AccountBatchItem[]> };
  readonly listContacts: { readonly query?: WithCursor<ContactQuery>; readonly result: PageBody<Contact> };
  readonly createContact: { readonly body: ContactCreate; readonly result: Envelope<Contact> };
  readonly getContact: { readonly params: IdParams; readonly query?: RecordQuery; readonly result: Envelope<Contact> };
  readonly updateContact: {
    readonly params: IdParams;
    readonly body: ContactUpdate;
    readonly result: Envelope<Contact>;
  };
  readonly archiveContact: { readonly params: IdParams; readonly result: null };
  readonly restoreContact: {
    readonly params: IdParams;
    readonly body?: ContactUpdate;
    readonly result: Envelope<Contact>;
  };
  readonly listContactHistory: {
    readonly params: IdParams;
    readonly query?: WithCursor<HistoryQuery>;
    readonly result: PageBody<Event>;
  };
  readonly upsertContact: {
    readonly query: { readonly matchBy: "externalId" | "email"; readonly onlyIf?: "exists" | "absent" };
    readonly body: ContactUpsert;
    readonly result: Envelope<Contact>;
  };
  readonly batchContacts: { readonly body: ContactBatch; readonly result: Envelope<readonly ContactBatchItem[]> };
  readonly listOpportunities: { readonly query?: WithCursor<OpportunityQuery>; readonly result: PageBody<Opportunity> };
  readonly createOpportunity: { readonly body: OpportunityCreate; readonly result: Envelope<Opportunity> };
  readonly getOpportunity: {
    readonly params: IdParams;
    readonly query?: RecordQuery;
    readonly result: Envelope<Opportunity>;
  };
  readonly updateOpportunity: {
    readonly params: IdParams;
    readonly body: OpportunityUpdate;
    readonly result: Envelope<Opportunity>;
  };
  readonly archiveOpportunity: { readonly params: IdParams; readonly result: null };
  readonly restoreOpportunity: {
    readonly params: IdParams;
    readonly body?: OpportunityUpdate;
    readonly result: Envelope<Opportunity>;
  };
  readonly listOpportunityHistory: {
    readonly params: IdParams;
    readonly query?: WithCursor<HistoryQuery>;
    readonly result: PageBody<Event>;
  };
  readonly upsertOpportunity: {
    readonly query: { readonly matchBy: "externalId"; readonly onlyIf?: "exists" | "absent" };
    readonly body: OpportunityUpsert;
    readonly result: Envelope<Opportunity>;
  };
  readonly batchOpportunities: {
    readonly body: OpportunityBatch;
    readonly result: Envelope<readonly OpportunityBatchItem[]>;
  };
  readonly listTasks: { readonly query?: WithCursor<TaskQuery>; readonly result: PageBody<Task> };
  readonly createTask: { readonly body: TaskCreate; readonly result: Envelope<Task> };
  readonly getTask: { readonly params: IdParams; readonly query?: RecordQuery; readonly result: Envelope<Task> };
  readonly updateTask: { readonly params: IdParams; readonly body: TaskUpdate; readonly result: Envelope<Task> };
  readonly archiveTask: { readonly params: IdParams; readonly result: null };
  readonly restoreTask: { readonly params: IdParams; readonly body?: TaskUpdate; readonly result: Envelope<Task> };
  readonly listTaskHistory: {
    readonly params: IdParams;
    readonly query?: WithCursor<HistoryQuery>;
    readonly result: PageBody<Event>;
  };
  readonly batchTasks: { readonly body: TaskBatch; readonly result: Envelope<readonly TaskBatchItem[]> };
  readonly listNotes: { readonly query?: WithCursor<NoteQuery>; readonly result: PageBody<Note> };
  readonly createNote: { readonly body: NoteCreate; readonly result: Envelope<Note> };
  readonly getNote: { readonly params: IdParams; readonly query?: RecordQuery; readonly result: Envelope<Note> };
  readonly updateNote: { readonly params: IdParams; readonly body: NoteUpdate; readonly result: Envelope<Note> };
  readonly archiveNote: { readonly params: IdParams; readonly result: null };
  readonly restoreNote: { readonly params: IdParams; readonly body?: NoteUpdate; readonly result: Envelope<Note> };
  readonly listNoteHistory: {
    readonly params: IdParams;
    readonly query?: WithCursor<HistoryQuery>;
    readonly result: PageBody<Event>;
  };
  readonly upsertNote: {
    readonly query: { readonly matchBy: "externalId"; readonly onlyIf?: "exists" | "absent" };
    readonly body: NoteUpsert;
    readonly result: Envelope<Note>;
  };
  readonly batchNotes: { readonly body: NoteBatch; readonly result: Envelope<readonly NoteBatchItem[]> };
  readonly searchRecords: {
    readonly query: { readonly q: string; readonly entity?: EntityType; readonly limit?: number };
    readonly result: Envelope<readonly SearchResult[]>;
  };
  readonly getCounts: { readonly result: Envelope<Counts> };
  readonly listEvents: { readonly query?: WithCursor<EventQuery>; readonly result: PageBody<Event> };
  readonly adminListEvents: { readonly query?: WithCursor<AdminEventQuery>; readonly result: PageBody<Event> };
  readonly listWebhooks: { readonly result: Envelope<readonly Webhook[]> };
  readonly createWebhook: { readonly body: WebhookCreate; readonly result: Envelope<WebhookWithSecret> };
  readonly getWebhook: { readonly params: IdParams; readonly query?: RecordQuery; readonly result: Envelope<Webhook> };
  readonly updateWebhook: {
    readonly params: IdParams;
    readonly body: WebhookUpdate;
    readonly result: Envelope<Webhook>;
  };
  readonly archiveWebhook: { readonly params: IdParams; readonly result: null };
  readonly rotateWebhookSecret: {
    readonly params: IdParams;
    readonly body?: TenantIdBody;
    readonly result: Envelope<WebhookWithSecret>;
  };
  readonly testWebhook: {
    readonly params: IdParams;
    readonly body?: TenantIdBody;
    readonly result: Envelope<WebhookOutcome>;
  };
  readonly redeliverWebhook: {
    readonly params: IdParams;
    readonly body: { readonly eventId: string; readonly tenantId?: string };
    readonly result: Envelope<WebhookOutcome>;
  };
  readonly adminListWebhooks: { readonly result: Envelope<readonly AdminWebhook[]> };
  readonly adminCreateWebhook: { readonly body: AdminWebhookCreate; readonly result: Envelope<AdminWebhookWithSecret> };
  readonly adminGetWebhook: {
    readonly params: IdParams;
    readonly query?: RecordQuery;
    readonly result: Envelope<AdminWebhook>;
  };
  readonly adminUpdateWebhook: {
    readonly params: IdParams;
    readonly body: AdminWebhookUpdate;
    readonly result: Envelope<AdminWebhook>;
  };
  readonly adminArchiveWebhook: { readonly params: IdParams; readonly result: null };
  readonly adminRotateWebhookSecret: {
    readonly params: IdParams;
    readonly body?: TenantIdBody;
    readonly result: Envelope<AdminWebhookWithSecret>;
  };
  readonly adminTestWebhook: {
    readonly params: IdParams;
    readonly body?: TenantIdBody;
    readonly result: Envelope<WebhookOutcome>;
  };
  readonly adminRedeliverWebhook: {
    readonly params: IdParams;
    readonly body: { readonly eventId: string; readonly tenantId?: string };
    readonly result: Envelope<WebhookOutcome>;
  };
  readonly adminRestoreWebhook: {
    readonly params: IdParams;
    readonly body?: TenantIdBody;
    readonly result: Envelope<AdminWebhook>;
  };
  readonly adminListWebhookHistory: {
    readonly params: IdParams;
    readonly query?: WithCursor<HistoryQuery>;
    readonly result: PageBody<Event>;
  };
  readonly listOpportunityTransitions: {
    readonly params: IdParams;
    readonly query?: OpportunityTransitionQuery;
    readonly result: Envelope<readonly OpportunityTransition[]>;
  };
  readonly listTaskTransitions: { readonly params: IdParams; readonly result: Envelope<readonly TaskTransition[]> };
  readonly listPipelines: { readonly result: Envelope<readonly Pipeline[]> };
  readonly getPipeline: { readonly params: IdParams; readonly result: Envelope<Pipeline> };
  readonly listUsers: { readonly query?: UserQuery; readonly result: Envelope<readonly User[]> };
  readonly getUser: { readonly params: IdParams; readonly result: Envelope<User> };
  readonly listCustomFields: {
    readonly query: { readonly entity: EntityType };
    readonly result: Envelope<readonly CustomField[]>;
  };
  readonly getAccountSchema: { readonly query?: AccountSchemaQuery; readonly result: Envelope<AccountSchema> };
  readonly getContactSchema: { readonly query?: ContactSchemaQuery; readonly result: Envelope<ContactSchema> };
  readonly getOpportunitySchema: {
    readonly query?: OpportunitySchemaQuery;
    readonly result: Envelope<OpportunitySchema>;
  };
  readonly getTaskSchema: { readonly query?: TaskSchemaQuery; readonly result: Envelope<TaskSchema> };
  readonly getNoteSchema: { readonly query?: NoteSchemaQuery; readonly result: Envelope<NoteSchema> };
  readonly listActiveOpportunities: {
    readonly body: { readonly tenantId: string; readonly emails: readonly string[] };
    readonly result: Envelope<readonly ActiveContact[]>;
  };
  readonly resolveGrant: { readonly query: { readonly grantId: string }; readonly result: Envelope<Grant> };
  readonly getMe: { readonly result: Envelope<Me> };
  readonly listRequests: { readonly query?: WithCursor<RequestEntryQuery>; readonly result: PageBody<RequestEntry> };
  readonly getRequest: {
    readonly params: { readonly requestId: string };
    readonly result: Envelope<readonly RequestEntry[]>;
  };
  readonly adminListRequests: {
    readonly query?: WithCursor<AdminRequestEntryQuery>;
    readonly result: PageBody<RequestEntry>;
  };
  readonly adminCountRequests: {
    readonly query: { readonly by: "operation" | "integration" | "code" | "hour"; readonly since?: string };
    readonly result: Envelope<readonly RequestTotal[]>;
  };
  readonly adminGetRequest: {
    readonly params: { readonly requestId: string };
    readonly result: Envelope<readonly RequestEntry[]>;
  };
  readonly listApiKeys: { readonly result: Envelope<readonly ApiKey[]> };
  readonly generateApiKey: {
    readonly body?: {
      readonly integrationId?: string;
      readonly name?: string;
      readonly scopes?: readonly Scope[];
      readonly expiresAt?: string;
      readonly rotate?: boolean;
      readonly tenantId?: string;
    };
    readonly result: Envelope<CreatedApiKey>;
  };
  readonly revokeApiKey: { readonly params: IdParams; readonly body?: TenantIdBody; readonly result: Envelope<ApiKey> };
  readonly adminListUsers: { readonly query?: WithCursor<AdminUserQuery>; readonly result: PageBody<AdminUser> };
  readonly adminCreateUser: { readonly body: UserCreate; readonly result: Envelope<AdminUser> };
  readonly adminGetUser: {
    readonly params: IdParams;
    readonly query?: RecordQuery;
    readonly result: Envelope<AdminUser>;
  };
  readonly adminUpdateUser: {
    readonly params: IdParams;
    readonly body: UserUpdate;
    readonly result: Envelope<AdminUser>;
  };
  readonly adminArchiveUser: { readonly params: IdParams; readonly result: null };
  readonly adminRestoreUser: {
    readonly params: IdParams;
    readonly body?: UserUpdate;
    readonly result: Envelope<AdminUser>;
  };
  readonly adminListUserHistory: {
    readonly params: IdParams;
    readonly query?: WithCursor<HistoryQuery>;
    readonly result: PageBody<Event>;
  };
  readonly adminListPipelines: {
    readonly query?: WithCursor<AdminPipelineQuery>;
    readonly result: PageBody<AdminPipeline>;
  };
  readonly adminCreatePipeline: { readonly body: PipelineCreate; readonly result: Envelope<AdminPipeline> };
  readonly adminGetPipeline: {
    readonly params: IdParams;
    readonly query?: RecordQuery;
    readonly result: Envelope<AdminPipeline>;
  };
  readonly adminUpdatePipeline: {
    readonly params: IdParams;
    readonly body: PipelineUpdate;
    readonly result: Envelope<AdminPipeline>;
  };
  readonly adminArchivePipeline: { readonly params: IdParams; readonly result: null };
  readonly adminRestorePipeline: {
    readonly params: IdParams;
    readonly body?: PipelineUpdate;
    readonly result: Envelope<AdminPipeline>;
  };
  readonly adminListPipelineHistory: {
    readonly params: IdParams;
    readonly query?: WithCursor<HistoryQuery>;
    readonly result: PageBody<Event>;
  };
  readonly adminListStages: { readonly query?: WithCursor<AdminStageQuery>; readonly result: PageBody<AdminStage> };
  readonly adminCreateStage: { readonly body: StageCreate; readonly result: Envelope<AdminStage> };
  readonly adminGetStage: {
    readonly params: IdParams;
    readonly query?: RecordQuery;
    readonly result: Envelope<AdminStage>;
  };
  readonly adminUpdateStage: {
    readonly params: IdParams;
    readonly body: StageUpdate;
    readonly result: Envelope<AdminStage>;
  };
  readonly adminArchiveStage: { readonly params: IdParams; readonly result: null };
  readonly adminRestoreStage: {
    readonly params: IdParams;
    readonly body?: StageUpdate;
    readonly result: Envelope<AdminStage>;
  };
  readonly adminListStageHistory: {
    readonly params: IdParams;
    readonly query?: WithCursor<HistoryQuery>;
    readonly result: PageBody<Event>;
  };
  readonly adminReorderStages: {
    readonly params: IdParams;
    readonly body: { readonly stageIds: readonly string[]; readonly tenantId?: string };
    readonly result: Envelope<readonly AdminStage[]>;
  };
  readonly adminListCustomFields: {
    readonly query?: WithCursor<AdminCustomFieldQuery>;
    readonly result: PageBody<AdminCustomField>;
  };
  readonly adminCreateCustomField: { readonly body: CustomFieldCreate; readonly result: Envelope<AdminCustomField> };
  readonly adminGetCustomField: {
    readonly params: IdParams;
    readonly query?: RecordQuery;
    readonly result: Envelope<AdminCustomField>;
  };
  readonly adminUpdateCustomField: {
    readonly params: IdParams;
    readonly body: CustomFieldUpdate;
    readonly result: Envelope<AdminCustomField>;
  };
  readonly adminArchiveCustomField: { readonly params: IdParams; readonly result: null };
  readonly adminRestoreCustomField: {
    readonly params: IdParams;
    readonly body?: CustomFieldUpdate;
    readonly result: Envelope<AdminCustomField>;
  };
  readonly adminListCustomFieldHistory: {
    readonly params: IdParams;
    readonly query?: WithCursor<HistoryQuery>;
    readonly result: PageBody<Event>;
  };
  readonly adminListRules: { readonly query?: WithCursor<AdminRuleQuery>; readonly result: PageBody<AdminRule> };
  readonly adminCreateRule: { readonly body: RuleCreate; readonly result: Envelope<AdminRule> };
  readonly adminGetRule: {
    readonly params: IdParams;
    readonly query?: RecordQuery;
    readonly result: Envelope<AdminRule>;
  };
  readonly adminUpdateRule: {
    readonly params: IdParams;
    readonly body: RuleUpdate;
    readonly result: Envelope<AdminRule>;
  };
  readonly adminArchiveRule: { readonly params: IdParams; readonly result: null };
  readonly adminRestoreRule: {
    readonly params: IdParams;
    readonly body?: RuleUpdate;
    readonly result: Envelope<AdminRule>;
  };
  readonly adminListRuleHistory: {
    readonly params: IdParams;
    readonly query?: WithCursor<HistoryQuery>;
    readonly result: PageBody<Event>;
  };
  readonly adminListIntegrations: {
    readonly query?: WithCursor<AdminIntegrationQuery>;
    readonly result: PageBody<AdminIntegration>;
  };
  readonly adminCreateIntegration: { readonly body: IntegrationCreate; readonly result: Envelope<AdminIntegration> };
  readonly adminGetIntegration: {
    readonly params: IdParams;
    readonly query?: RecordQuery;
    readonly result: Envelope<AdminIntegration>;
  };
  readonly adminUpdateIntegration: {
    readonly params: IdParams;
    readonly body: IntegrationUpdate;
    readonly result: Envelope<AdminIntegration>;
  };
  readonly adminArchiveIntegration: { readonly params: IdParams; readonly result: null };
  readonly adminRestoreIntegration: {
    readonly params: IdParams;
    readonly body?: IntegrationUpdate;
    readonly result: Envelope<AdminIntegration>;
  };
  readonly adminListIntegrationHistory: {
    readonly params: IdParams;
    readonly query?: WithCursor<HistoryQuery>;
    readonly result: PageBody<Event>;
  };
  readonly adminRevokeIntegrationKeys: {
    readonly params: IdParams;
    readonly body?: TenantIdBody;
    readonly result: Envelope<readonly ApiKey[]>;
  };
  readonly adminListGrants: { readonly query?: WithCursor<AdminGrantQuery>; readonly result: PageBody<AdminGrant> };
  readonly adminCreateGrant: { readonly body: GrantCreate; readonly result: Envelope<AdminGrant> };
  readonly adminGetGrant: {
    readonly params: IdParams;
    readonly query?: RecordQuery;
    readonly result: Envelope<AdminGrant>;
  };
  readonly adminUpdateGrant: {
    readonly params: IdParams;
    readonly body: GrantUpdate;
    readonly result: Envelope<AdminGrant>;
  };
  readonly adminArchiveGrant: { readonly params: IdParams; readonly result: null };
  readonly adminRestoreGrant: {
    readonly params: IdParams;
    readonly body?: GrantUpdate;
    readonly result: Envelope<AdminGrant>;
  };
  readonly adminListGrantHistory: {
    readonly params: IdParams;
    readonly query?: WithCursor<HistoryQuery>;
    readonly result: PageBody<Event>;
  };
  readonly adminGetImpact: {
    readonly query: {
      readonly entity: EntityType;
      readonly field: string;
      readonly stageIds?: readonly string[];
      readonly statuses?: readonly OpportunityStatus[];
    };
    readonly result: Envelope<Impact>;
  };
  readonly adminGetTenant: { readonly result: Envelope<Tenant> };
  readonly adminUpdateTenant: { readonly body: TenantUpdate; readonly result: Envelope<Tenant> };
  readonly adminListTenantHistory: { readonly query?: WithCursor<HistoryQuery>; readonly result: PageBody<Event> };
  readonly adminGetSystem: { readonly result: Envelope<ServerState> };
  readonly adminCreateBackup: { readonly result: Envelope<ServerState> };
};
