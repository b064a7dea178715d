// Generated from docs/openapi.json by `npm run client-types`.

/** A company that the tenant does business with. */
export type Account = {
  /** Unique ID, assigned on creation. */
  readonly id: string;
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
  /** Time of creation. */
  readonly createdAt: string;
  /** Time of the last change. */
  readonly updatedAt: string;
  /** Time the record was archived. */
  readonly archivedAt?: string;
};

/** Fields of a new account. */
export type AccountCreate = {
  /** Unique among accounts that aren't archived. */
  readonly name: string;
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
  /** ID of the caller's tenant. */
  readonly tenantId?: string;
};

/** Fields to change. */
export type AccountUpdate = {
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
  /** Unique ID, assigned on creation. */
  readonly id?: string;
  /** Time of creation. */
  readonly createdAt?: string;
  /** Time of the last change. */
  readonly updatedAt?: string;
  /** Time the record was archived. */
  readonly archivedAt?: string | null;
  /** ID of the caller's tenant. */
  readonly tenantId?: string;
};

/** An address of the request, with the contact and its open opportunities. */
export type ActiveContact = {
  /** The address as in the request. */
  readonly email: string;
  /** ID of the matching contact. */
  readonly contactId: string | null;
  /** Open opportunities of the contact, newest first. */
  readonly opportunities: readonly ActiveOpportunity[];
};

/** An open opportunity that isn't archived. */
export type ActiveOpportunity = {
  /** Unique ID, assigned on creation. */
  readonly id: string;
  /** Title. */
  readonly name: string;
  /** ID of the account. */
  readonly accountId: string | null;
  /** Defaults to the pipeline of `stageId`, or else to the tenant's default pipeline. */
  readonly pipelineId: string;
  /** Defaults to the first stage of the pipeline. */
  readonly stageId: string;
  /** Amount in major currency units (euros, not cents). */
  readonly amount: number | null;
  /** ISO 4217 code in upper case. */
  readonly currency: string | null;
  /** ID of the user who owns the record. */
  readonly ownerId: string | null;
  /** Date on which the opportunity is expected to close. */
  readonly expectedCloseDate: string | null;
  /** Time of the last change. */
  readonly updatedAt: string;
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
export type AddressInput = {
  /** Street and number. */
  readonly street?: string | null;
  /** City. */
  readonly city?: string | null;
  /** State, province or region. */
  readonly state?: string | null;
  /** Postal code. */
  readonly postalCode?: string | null;
  /** Country in any format. */
  readonly country?: string | null;
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
  readonly scopes: readonly ("accounts:read" | "accounts:write" | "contacts:read" | "contacts:write" | "opportunities:read" | "opportunities:write" | "tasks:read" | "tasks:write" | "pipelines:read" | "users:read")[];
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

/** A person that the tenant does business with. */
export type Contact = {
  /** Unique ID, assigned on creation. */
  readonly id: string;
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
  /** Time of creation. */
  readonly createdAt: string;
  /** Time of the last change. */
  readonly updatedAt: string;
  /** Time the record was archived. */
  readonly archivedAt?: string;
};

/** Fields of a new contact. */
export type ContactCreate = {
  /** Full name. */
  readonly name: string;
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
  /** ID of the caller's tenant. */
  readonly tenantId?: string;
};

/** Fields to change. */
export type ContactUpdate = {
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
  /** Unique ID, assigned on creation. */
  readonly id?: string;
  /** Time of creation. */
  readonly createdAt?: string;
  /** Time of the last change. */
  readonly updatedAt?: string;
  /** Time the record was archived. */
  readonly archivedAt?: string | null;
  /** ID of the caller's tenant. */
  readonly tenantId?: string;
};

/** A new API key with its value. */
export type CreatedApiKey = {
  /** ID of the API key. */
  readonly id: string;
  /** ID of the integration. */
  readonly integrationId: string;
  /** Name of the integration. */
  readonly integrationName: string;
  /** First characters of the API key. */
  readonly maskedKey: string;
  /** Scopes of the integration. */
  readonly scopes: readonly ("accounts:read" | "accounts:write" | "contacts:read" | "contacts:write" | "opportunities:read" | "opportunities:write" | "tasks:read" | "tasks:write" | "pipelines:read" | "users:read")[];
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
  /** Whether a value is required. */
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

/** Custom field values by key (see `GET /custom-fields`). */
export type CustomFieldValues = Readonly<Record<string, CustomFieldValue>>;

/** Body of every error response. */
export type ErrorBody = {
  /** The error. */
  readonly error: {
  /** Type of the error. */
  readonly code: "bad_request" | "validation_error" | "invalid_cursor" | "unauthorized" | "insufficient_scope" | "not_found" | "duplicate" | "conflict" | "tenant_without_admin" | "invalid_reference" | "unknown_custom_field" | "invalid_custom_field" | "idempotency_key_reused" | "rate_limited" | "internal_error";
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
  /** Cause of the conflict, such as status_transition (conflict). */
  readonly reason?: string;
  /** States that are possible now (conflict). */
  readonly allowed?: readonly string[];
  /** Current updatedAt of the record (conflict with status 412). */
  readonly updatedAt?: string;
  /** Missing scope, or admin (insufficient_scope). */
  readonly required?: string;
  /** Scopes of the integration (insufficient_scope). */
  readonly granted?: readonly string[];
  /** Filter that doesn't match the cursor (invalid_cursor). */
  readonly parameter?: string;
  /** Method of the first use of the key (idempotency_key_reused). */
  readonly method?: string;
  /** Path of the first use of the key, relative to the base URL (idempotency_key_reused). */
  readonly path?: string;
  /** Time of the first use of the key (idempotency_key_reused). */
  readonly usedAt?: string;
  /** ID to report, equal to the X-Request-Id of the response (internal_error). */
  readonly requestId?: string;
};

/** An error in one field, parameter or header of a request. */
export type FieldError = {
  /** Location of the error: a JSON Pointer into the body (`/customFields/segment`), `?name` for a query parameter, or the name of a header. */
  readonly path: string;
  /** Type of the error. */
  readonly code: "required" | "required_at_stage" | "required_at_status" | "invalid_type" | "invalid_format" | "not_an_option" | "too_long" | "out_of_range" | "unknown_key" | "not_found" | "inactive" | "not_in_pipeline" | "read_only";
  /** Explanation for people. */
  readonly message: string;
  /** Accepted values, or the known names of an unknown_key. */
  readonly allowed?: readonly string[];
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
  /** Full name. */
  readonly name: string;
  /** Unique within the tenant. */
  readonly email: string;
  /** Inactive users can't be assigned to records. */
  readonly active: boolean;
};
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
  readonly scopes: readonly ("accounts:read" | "accounts:write" | "contacts:read" | "contacts:write" | "opportunities:read" | "opportunities:write" | "tasks:read" | "tasks:write" | "pipelines:read" | "users:read")[];
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

/** A potential deal. */
export type Opportunity = {
  /** Unique ID, assigned on creation. */
  readonly id: string;
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
  /** `open` can change to `won` or `lost`, and back. */
  readonly status: "open" | "won" | "lost";
  /** Amount in major currency units (euros, not cents). */
  readonly amount: number | null;
  /** ISO 4217 code in upper case. */
  readonly currency: string | null;
  /** Date on which the opportunity is expected to close. */
  readonly expectedCloseDate: string | null;
  /** ID of the user who owns the record. */
  readonly ownerId: string | null;
  /** Allowed only if `status` is `lost`. */
  readonly lostReason: string | null;
  /** Time the opportunity was won or lost. */
  readonly closedAt: string | null;
  /** Time the opportunity entered its stage. */
  readonly stageChangedAt: string | null;
  /** ID of the record in your system. */
  readonly externalId: string | null;
  readonly customFields: CustomFieldValues;
  /** Time of creation. */
  readonly createdAt: string;
  /** Time of the last change. */
  readonly updatedAt: string;
  /** Time the record was archived. */
  readonly archivedAt?: string;
};

/** Fields of a new opportunity. */
export type OpportunityCreate = {
  /** Title. */
  readonly name: string;
  /** ID of the account. */
  readonly accountId?: string | null;
  /** IDs of the contacts involved, at most 100. */
  readonly contactIds?: readonly string[];
  /** Defaults to the pipeline of `stageId`, or else to the tenant's default pipeline. */
  readonly pipelineId?: string;
  /** Defaults to the first stage of the pipeline. */
  readonly stageId?: string;
  /** `open` can change to `won` or `lost`, and back. */
  readonly status?: "open" | "won" | "lost";
  /** Amount in major currency units (euros, not cents). */
  readonly amount?: number | null;
  /** ISO 4217 code in upper case. */
  readonly currency?: string | null;
  /** Date on which the opportunity is expected to close. */
  readonly expectedCloseDate?: string | null;
  /** ID of the user who owns the record. */
  readonly ownerId?: string | null;
  /** Allowed only if `status` is `lost`. */
  readonly lostReason?: string | null;
  /** ID of the record in your system. */
  readonly externalId?: string | null;
  readonly customFields?: CustomFieldValues;
  /** ID of the caller's tenant. */
  readonly tenantId?: string;
};

/** Fields to change. */
export type OpportunityUpdate = {
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
  /** `open` can change to `won` or `lost`, and back. */
  readonly status?: "open" | "won" | "lost";
  /** Amount in major currency units (euros, not cents). */
  readonly amount?: number | null;
  /** ISO 4217 code in upper case. */
  readonly currency?: string | null;
  /** Date on which the opportunity is expected to close. */
  readonly expectedCloseDate?: string | null;
  /** ID of the user who owns the record. */
  readonly ownerId?: string | null;
  /** Allowed only if `status` is `lost`. */
  readonly lostReason?: string | null;
  /** Time the opportunity was won or lost. */
  readonly closedAt?: string | null;
  /** Time the opportunity entered its stage. */
  readonly stageChangedAt?: string | null;
  /** ID of the record in your system. */
  readonly externalId?: string | null;
  readonly customFields?: CustomFieldValues;
  /** Unique ID, assigned on creation. */
  readonly id?: string;
  /** Time of creation. */
  readonly createdAt?: string;
  /** Time of the last change. */
  readonly updatedAt?: string;
  /** Time the record was archived. */
  readonly archivedAt?: string | null;
  /** ID of the caller's tenant. */
  readonly tenantId?: string;
};

/** A sales pipeline and its stages. */
export type Pipeline = {
  /** Unique ID, assigned on creation. */
  readonly id: string;
  /** Display name. */
  readonly name: string;
  /** Whether new opportunities use this pipeline by default. */
  readonly isDefault: boolean;
  /** Allowed values of `lostReason`. */
  readonly lostReasons: readonly string[];
  /** Whether a lost opportunity needs a `lostReason`. */
  readonly requireLostReason: boolean;
  /** Time of creation. */
  readonly createdAt: string;
  /** Time of the last change. */
  readonly updatedAt: string;
  /** Stages in their order. */
  readonly stages: readonly Stage[];
};

/** A reference to an account, a contact or an opportunity. */
export type RelatedTo = {
  /** Kind of the related record. */
  readonly type: "account" | "contact" | "opportunity";
  /** ID of the related record. */
  readonly id: string;
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
};

/** A to-do item. */
export type Task = {
  /** Unique ID, assigned on creation. */
  readonly id: string;
  /** Title. */
  readonly title: string;
  /** Free text. */
  readonly description: string | null;
  /** Priority. */
  readonly priority: "low" | "medium" | "high";
  /** `pending` can change to `completed` or `canceled`, and back. */
  readonly status: "pending" | "completed" | "canceled";
  /** Due date and time. */
  readonly dueDate: string | null;
  /** The related account, contact or opportunity. */
  readonly relatedTo: RelatedTo | null;
  /** ID of the assigned user. */
  readonly assignedTo: string | null;
  /** Time the task was completed or canceled. */
  readonly closedAt: string | null;
  /** Time of creation. */
  readonly createdAt: string;
  /** Time of the last change. */
  readonly updatedAt: string;
  /** Time the record was archived. */
  readonly archivedAt?: string;
};

/** Fields of a new task. */
export type TaskCreate = {
  /** Title. */
  readonly title: string;
  /** Free text. */
  readonly description?: string | null;
  /** Priority. */
  readonly priority?: "low" | "medium" | "high";
  /** `pending` can change to `completed` or `canceled`, and back. */
  readonly status?: "pending" | "completed" | "canceled";
  /** Due date and time. */
  readonly dueDate?: string | null;
  /** The related account, contact or opportunity. */
  readonly relatedTo?: RelatedTo | null;
  /** ID of the assigned user. */
  readonly assignedTo?: string | null;
  /** ID of the caller's tenant. */
  readonly tenantId?: string;
};

/** Fields to change. */
export type TaskUpdate = {
  /** Title. */
  readonly title?: string;
  /** Free text. */
  readonly description?: string | null;
  /** Priority. */
  readonly priority?: "low" | "medium" | "high";
  /** `pending` can change to `completed` or `canceled`, and back. */
  readonly status?: "pending" | "completed" | "canceled";
  /** Due date and time. */
  readonly dueDate?: string | null;
  /** The related account, contact or opportunity. */
  readonly relatedTo?: RelatedTo | null;
  /** ID of the assigned user. */
  readonly assignedTo?: string | null;
  /** Time the task was completed or canceled. */
  readonly closedAt?: string | null;
  /** Unique ID, assigned on creation. */
  readonly id?: string;
  /** Time of creation. */
  readonly createdAt?: string;
  /** Time of the last change. */
  readonly updatedAt?: string;
  /** Time the record was archived. */
  readonly archivedAt?: string | null;
  /** ID of the caller's tenant. */
  readonly tenantId?: string;
};

/** A person who works in the tenant's CRM. */
export type User = {
  /** Unique ID, assigned on creation. */
  readonly id: string;
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
  /** Time of creation. */
  readonly createdAt: string;
  /** Time of the last change. */
  readonly updatedAt: string;
};

/** Response body with one record. */
export type Envelope<T> = { readonly data: T };

/** Response body with a page of records. `nextCursor` is the `cursor` of the next page, null on the last one. */
export type PageBody<T> = { readonly data: readonly T[]; readonly nextCursor: string | null };

/** Value of a custom field. Null clears it. */
export type CustomFieldValue = string | number | readonly string[] | CurrencyValue | null;

/** Value of a currency field. The amount is in major units (euros, not cents). */
export type CurrencyValue = { readonly amount: number; readonly currency: string };

/** Query parameters of GET /accounts. */
export type AccountQuery = {
  readonly limit?: number;
  readonly updatedSince?: string;
  readonly includeArchived?: boolean;
  readonly name?: string;
  readonly ownerId?: string;
  readonly externalId?: string;
};

/** Query parameters of GET /contacts. */
export type ContactQuery = {
  readonly limit?: number;
  readonly updatedSince?: string;
  readonly includeArchived?: boolean;
  readonly email?: string;
  readonly accountId?: string;
  readonly ownerId?: string;
  readonly externalId?: string;
};

/** Query parameters of GET /opportunities. */
export type OpportunityQuery = {
  readonly limit?: number;
  readonly updatedSince?: string;
  readonly includeArchived?: boolean;
  readonly status?: "open" | "won" | "lost";
  readonly pipelineId?: string;
  readonly stageId?: string;
  readonly accountId?: string;
  readonly contactId?: string;
  readonly ownerId?: string;
  readonly externalId?: string;
};

/** Query parameters of GET /tasks. */
export type TaskQuery = {
  readonly limit?: number;
  readonly updatedSince?: string;
  readonly includeArchived?: boolean;
  readonly status?: "pending" | "completed" | "canceled";
  readonly assignedTo?: string;
  readonly relatedToId?: string;
};

/** Query parameters of GET /users. */
export type UserQuery = {
  readonly email?: string;
  readonly active?: boolean;
  readonly externalId?: string;
};

/** Types of the records that can be listed, created and changed, by path. */
export type Collections = {
  accounts: { record: Account; create: AccountCreate; update: AccountUpdate; query: AccountQuery };
  contacts: { record: Contact; create: ContactCreate; update: ContactUpdate; query: ContactQuery };
  opportunities: { record: Opportunity; create: OpportunityCreate; update: OpportunityUpdate; query: OpportunityQuery };
  tasks: { record: Task; create: TaskCreate; update: TaskUpdate; query: TaskQuery };
};

export const collectionNames = ["accounts", "contacts", "opportunities", "tasks"] as const;

/** Input and response body of each operation. */
export type Operations = {
  readonly listAccounts: { readonly query?: { readonly limit?: number; readonly cursor?: string; readonly updatedSince?: string; readonly includeArchived?: boolean; readonly name?: string; readonly ownerId?: string; readonly externalId?: string; }; readonly result: PageBody<Account>; };
  readonly createAccount: { readonly body: AccountCreate; readonly result: Envelope<Account>; };
  readonly getAccount: { readonly params: { readonly id: string; }; readonly result: Envelope<Account>; };
  readonly updateAccount: { readonly params: { readonly id: string; }; readonly body: AccountUpdate; readonly result: Envelope<Account>; };
  readonly archiveAccount: { readonly params: { readonly id: string; }; readonly result: null; };
  readonly restoreAccount: { readonly params: { readonly id: string; }; readonly body?: { readonly tenantId?: string; }; readonly result: Envelope<Account>; };
  readonly listContacts: { readonly query?: { readonly limit?: number; readonly cursor?: string; readonly updatedSince?: string; readonly includeArchived?: boolean; readonly email?: string; readonly accountId?: string; readonly ownerId?: string; readonly externalId?: string; }; readonly result: PageBody<Contact>; };
  readonly createContact: { readonly body: ContactCreate; readonly result: Envelope<Contact>; };
  readonly getContact: { readonly params: { readonly id: string; }; readonly result: Envelope<Contact>; };
  readonly updateContact: { readonly params: { readonly id: string; }; readonly body: ContactUpdate; readonly result: Envelope<Contact>; };
  readonly archiveContact: { readonly params: { readonly id: string; }; readonly result: null; };
  readonly restoreContact: { readonly params: { readonly id: string; }; readonly body?: { readonly tenantId?: string; }; readonly result: Envelope<Contact>; };
  readonly listOpportunities: { readonly query?: { readonly limit?: number; readonly cursor?: string; readonly updatedSince?: string; readonly includeArchived?: boolean; readonly status?: "open" | "won" | "lost"; readonly pipelineId?: string; readonly stageId?: string; readonly accountId?: string; readonly contactId?: string; readonly ownerId?: string; readonly externalId?: string; }; readonly result: PageBody<Opportunity>; };
  readonly createOpportunity: { readonly body: OpportunityCreate; readonly result: Envelope<Opportunity>; };
  readonly getOpportunity: { readonly params: { readonly id: string; }; readonly result: Envelope<Opportunity>; };
  readonly updateOpportunity: { readonly params: { readonly id: string; }; readonly body: OpportunityUpdate; readonly result: Envelope<Opportunity>; };
  readonly archiveOpportunity: { readonly params: { readonly id: string; }; readonly result: null; };
  readonly restoreOpportunity: { readonly params: { readonly id: string; }; readonly body?: { readonly tenantId?: string; }; readonly result: Envelope<Opportunity>; };
  readonly listTasks: { readonly query?: { readonly limit?: number; readonly cursor?: string; readonly updatedSince?: string; readonly includeArchived?: boolean; readonly status?: "pending" | "completed" | "canceled"; readonly assignedTo?: string; readonly relatedToId?: string; }; readonly result: PageBody<Task>; };
  readonly createTask: { readonly body: TaskCreate; readonly result: Envelope<Task>; };
  readonly getTask: { readonly params: { readonly id: string; }; readonly result: Envelope<Task>; };
  readonly updateTask: { readonly params: { readonly id: string; }; readonly body: TaskUpdate; readonly result: Envelope<Task>; };
  readonly archiveTask: { readonly params: { readonly id: string; }; readonly result: null; };
  readonly restoreTask: { readonly params: { readonly id: string; }; readonly body?: { readonly tenantId?: string; }; readonly result: Envelope<Task>; };
  readonly listPipelines: { readonly result: Envelope<readonly Pipeline[]>; };
  readonly getPipeline: { readonly params: { readonly id: string; }; readonly result: Envelope<Pipeline>; };
  readonly listUsers: { readonly query?: { readonly email?: string; readonly active?: boolean; readonly externalId?: string; }; readonly result: Envelope<readonly User[]>; };
  readonly getUser: { readonly params: { readonly id: string; }; readonly result: Envelope<User>; };
  readonly listCustomFields: { readonly query: { readonly entity: "account" | "contact" | "opportunity"; }; readonly result: Envelope<readonly CustomField[]>; };
  readonly listActiveOpportunities: { readonly body: { readonly tenantId: string; readonly emails: readonly string[]; }; readonly result: Envelope<readonly ActiveContact[]>; };
  readonly resolveGrant: { readonly query: { readonly grantId: string; }; readonly result: Envelope<Grant>; };
  readonly getMe: { readonly result: Envelope<Me>; };
  readonly listApiKeys: { readonly result: Envelope<readonly ApiKey[]>; };
  readonly generateApiKey: { readonly body?: { readonly integrationId?: string; readonly name?: string; readonly scopes?: readonly ("accounts:read" | "accounts:write" | "contacts:read" | "contacts:write" | "opportunities:read" | "opportunities:write" | "tasks:read" | "tasks:write" | "pipelines:read" | "users:read")[]; readonly expiresAt?: string; readonly rotate?: boolean; readonly tenantId?: string; }; readonly result: Envelope<CreatedApiKey>; };
  readonly revokeApiKey: { readonly params: { readonly id: string; }; readonly body?: { readonly tenantId?: string; }; readonly result: Envelope<ApiKey>; };
};
