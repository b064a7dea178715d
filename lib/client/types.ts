// Made from docs/openapi.json by `npm run client-types`. A test keeps it current.

/** A company that the tenant sells to. */
export type Account = {
  /** Given by the service, once and for ever. */
  readonly id: string;
  /** Taken once among the accounts that are not archived. */
  readonly name: string;
  /** A registration number, such as a VAT number. */
  readonly document: string | null;
  /** An http or https URL, or a domain such as `example.com`. */
  readonly website: string | null;
  /** Null: not known. */
  readonly phone: string | null;
  /** Null: not known. */
  readonly email: string | null;
  /** Null: none. */
  readonly description: string | null;
  /** Null: not known. */
  readonly address: Address | null;
  /** The user who looks after it. */
  readonly ownerId: string | null;
  /** What it is called in your own system. */
  readonly externalId: string | null;
  readonly customFields: CustomFieldValues;
  /** When it was made. */
  readonly createdAt: string;
  /** When it was last changed. */
  readonly updatedAt: string;
  /** Since when it is archived. */
  readonly archivedAt?: string;
};

/** A new account. */
export type AccountCreate = {
  /** Taken once among the accounts that are not archived. */
  readonly name: string;
  /** A registration number, such as a VAT number. */
  readonly document?: string | null;
  /** An http or https URL, or a domain such as `example.com`. */
  readonly website?: string | null;
  /** Null: not known. */
  readonly phone?: string | null;
  /** Null: not known. */
  readonly email?: string | null;
  /** Null: none. */
  readonly description?: string | null;
  /** Null: not known. */
  readonly address?: AddressInput | null;
  /** The user who looks after it. */
  readonly ownerId?: string | null;
  /** What it is called in your own system. */
  readonly externalId?: string | null;
  readonly customFields?: CustomFieldValuesInput;
  /** The id of the key's tenant, for clients that send it everywhere. */
  readonly tenantId?: string;
};

/** Changes of the account. */
export type AccountUpdate = {
  /** Taken once among the accounts that are not archived. */
  readonly name?: string;
  /** A registration number, such as a VAT number. */
  readonly document?: string | null;
  /** An http or https URL, or a domain such as `example.com`. */
  readonly website?: string | null;
  /** Null: not known. */
  readonly phone?: string | null;
  /** Null: not known. */
  readonly email?: string | null;
  /** Null: none. */
  readonly description?: string | null;
  /** Null: not known. */
  readonly address?: AddressInput | null;
  /** The user who looks after it. */
  readonly ownerId?: string | null;
  /** What it is called in your own system. */
  readonly externalId?: string | null;
  readonly customFields?: CustomFieldValuesInput;
  /** Given by the service, once and for ever. */
  readonly id?: string;
  /** When it was made. */
  readonly createdAt?: string;
  /** When it was last changed. */
  readonly updatedAt?: string;
  /** Since when it is archived. */
  readonly archivedAt?: string | null;
  /** The id of the key's tenant, for clients that send it everywhere. */
  readonly tenantId?: string;
};

/** One of the addresses that were sent, and what it is about. */
export type ActiveContact = {
  /** The address as it was sent the first time. */
  readonly email: string;
  /** The contact with this address. */
  readonly contactId: string | null;
  /** The contact's open opportunities, the newest first. */
  readonly opportunities: readonly ActiveOpportunity[];
};

/** An open opportunity that is not archived. */
export type ActiveOpportunity = {
  /** Given by the service, once and for ever. */
  readonly id: string;
  /** What is to be sold. */
  readonly name: string;
  /** The account it is with. */
  readonly accountId: string | null;
  /** Follows from stageId where only that is sent. */
  readonly pipelineId: string;
  /** A stage of the pipeline. */
  readonly stageId: string;
  /** What it is worth, in units of currency (not in cents). */
  readonly amount: number | null;
  /** An ISO 4217 code in upper case. */
  readonly currency: string | null;
  /** The user who looks after it. */
  readonly ownerId: string | null;
  /** The day on which it is expected to be won or lost. */
  readonly expectedCloseDate: string | null;
  /** When it was last changed. */
  readonly updatedAt: string;
  /** What the account is called. */
  readonly accountName: string | null;
  /** What the pipeline is called. */
  readonly pipelineName: string;
  /** What the stage is called. */
  readonly stageName: string;
  /** Only open opportunities are active. */
  readonly status: "open";
};

/** What is left out is null; a PATCH replaces the address whole. */
export type Address = {
  /** Street and number. */
  readonly street: string | null;
  /** Null: not known. */
  readonly city: string | null;
  /** State, province or region. */
  readonly state: string | null;
  /** Null: not known. */
  readonly postalCode: string | null;
  /** In any form. */
  readonly country: string | null;
};

/** What is left out is null; a PATCH replaces the address whole. */
export type AddressInput = {
  /** Street and number. */
  readonly street?: string | null;
  /** Null: not known. */
  readonly city?: string | null;
  /** State, province or region. */
  readonly state?: string | null;
  /** Null: not known. */
  readonly postalCode?: string | null;
  /** In any form. */
  readonly country?: string | null;
};

/** An integration's key, masked: its value is kept nowhere. */
export type ApiKey = {
  /** What the key is revoked by. */
  readonly id: string;
  /** The integration that the key belongs to. */
  readonly integrationId: string;
  /** What the integration is called. */
  readonly integrationName: string;
  /** The beginning of the key, to tell it from others. */
  readonly maskedKey: string;
  /** What the integration may do, with each of its keys. */
  readonly scopes: readonly ("accounts:read" | "accounts:write" | "contacts:read" | "contacts:write" | "opportunities:read" | "opportunities:write" | "tasks:read" | "tasks:write" | "pipelines:read" | "users:read")[];
  /** Only active keys are accepted. */
  readonly status: "active" | "revoked" | "expired";
  /** When it was made. */
  readonly createdAt: string;
  /** The user who made it. */
  readonly createdBy: string | null;
  /** When it was last used, to the minute. */
  readonly lastUsedAt: string | null;
  /** From when on it is refused. */
  readonly expiresAt: string | null;
  /** When it was revoked. */
  readonly revokedAt: string | null;
};

/** A person whom the tenant deals with. */
export type Contact = {
  /** Given by the service, once and for ever. */
  readonly id: string;
  /** The full name. */
  readonly name: string;
  /** Taken once among the contacts that are not archived; case does not count. */
  readonly email: string | null;
  /** Null: not known. */
  readonly phone: string | null;
  /** Null: not known. */
  readonly jobTitle: string | null;
  /** The account where the person works. */
  readonly accountId: string | null;
  /** The user who looks after it. */
  readonly ownerId: string | null;
  /** What it is called in your own system. */
  readonly externalId: string | null;
  readonly customFields: CustomFieldValues;
  /** When it was made. */
  readonly createdAt: string;
  /** When it was last changed. */
  readonly updatedAt: string;
  /** Since when it is archived. */
  readonly archivedAt?: string;
};

/** A new contact. */
export type ContactCreate = {
  /** The full name. */
  readonly name: string;
  /** Taken once among the contacts that are not archived; case does not count. */
  readonly email?: string | null;
  /** Null: not known. */
  readonly phone?: string | null;
  /** Null: not known. */
  readonly jobTitle?: string | null;
  /** The account where the person works. */
  readonly accountId?: string | null;
  /** The user who looks after it. */
  readonly ownerId?: string | null;
  /** What it is called in your own system. */
  readonly externalId?: string | null;
  readonly customFields?: CustomFieldValuesInput;
  /** The id of the key's tenant, for clients that send it everywhere. */
  readonly tenantId?: string;
};

/** Changes of the contact. */
export type ContactUpdate = {
  /** The full name. */
  readonly name?: string;
  /** Taken once among the contacts that are not archived; case does not count. */
  readonly email?: string | null;
  /** Null: not known. */
  readonly phone?: string | null;
  /** Null: not known. */
  readonly jobTitle?: string | null;
  /** The account where the person works. */
  readonly accountId?: string | null;
  /** The user who looks after it. */
  readonly ownerId?: string | null;
  /** What it is called in your own system. */
  readonly externalId?: string | null;
  readonly customFields?: CustomFieldValuesInput;
  /** Given by the service, once and for ever. */
  readonly id?: string;
  /** When it was made. */
  readonly createdAt?: string;
  /** When it was last changed. */
  readonly updatedAt?: string;
  /** Since when it is archived. */
  readonly archivedAt?: string | null;
  /** The id of the key's tenant, for clients that send it everywhere. */
  readonly tenantId?: string;
};

/** What does not apply to a field's type is left out; nothing is null. */
export type CustomField = {
  /** Its name inside customFields. */
  readonly key: string;
  /** What people see. */
  readonly label: string;
  /** What its values are; see CustomFieldValues. */
  readonly type: "text" | "number" | "currency" | "date" | "list" | "multi_list";
  /** Whether a new record must have it, and none may lose it. */
  readonly required: boolean;
  /** What it is for. */
  readonly description?: string;
  /** For text only: the most characters (Unicode code points) of a value. */
  readonly maxLength?: number;
  /** For list and multi_list only: the allowed values. */
  readonly options?: readonly string[];
  /** For list and multi_list only: what people see, by option. */
  readonly optionLabels?: Readonly<Record<string, string>>;
};

/** The tenant's own fields, by the key that GET /custom-fields gives. */
export type CustomFieldValues = Readonly<Record<string, string | number | readonly string[] | {
  /** In units of currency. */
  readonly amount: number;
  /** An ISO 4217 code. */
  readonly currency: string;
}>>;

/** The tenant's own fields, by the key that GET /custom-fields gives. */
export type CustomFieldValuesInput = Readonly<Record<string, string | number | readonly string[] | {
  /** In units of currency. */
  readonly amount: number;
  /** An ISO 4217 code. */
  readonly currency: string;
} | null>>;

/** Every error has this form. */
export type ErrorBody = {
  /** What went wrong. */
  readonly error: {
  /** What went wrong, in a word. */
  readonly code: "bad_request" | "validation_error" | "invalid_cursor" | "unauthorized" | "insufficient_scope" | "not_found" | "duplicate" | "conflict" | "tenant_without_admin" | "invalid_reference" | "unknown_custom_field" | "invalid_custom_field" | "idempotency_key_reused" | "rate_limited" | "internal_error";
  /** What went wrong and the way out, in a sentence for people. */
  readonly message: string;
  readonly details?: ErrorDetails;
};
};

/** What a program can use. */
export type ErrorDetails = {
  /** Every problem that was found (validation_error, invalid_reference and those of custom fields). */
  readonly errors?: readonly FieldError[];
  /** How many problems there were, where errors is cut. */
  readonly errorCount?: number;
  /** duplicate: the id of the record in the way. */
  readonly existingId?: string;
  /** duplicate: the field whose value is taken. */
  readonly field?: string;
  /** conflict: a word for why, such as status_transition. */
  readonly reason?: string;
  /** conflict: the states that are possible now. */
  readonly allowed?: readonly string[];
  /** conflict (412): the updatedAt of the record's current version. */
  readonly updatedAt?: string;
  /** insufficient_scope: the scope that is missing, or admin. */
  readonly required?: string;
  /** insufficient_scope: the scopes that the integration has. */
  readonly granted?: readonly string[];
  /** invalid_cursor: the filter that does not go with the cursor. */
  readonly parameter?: string;
  /** internal_error: what to report; the X-Request-Id of the answer. */
  readonly requestId?: string;
};

/** One thing that is wrong with a request. */
export type FieldError = {
  /** A JSON Pointer into the body (/customFields/segment), ?name for a parameter, or a header's name. */
  readonly path: string;
  /** The sort of problem. */
  readonly code: "required" | "required_at_stage" | "required_at_status" | "invalid_type" | "invalid_format" | "not_an_option" | "too_long" | "out_of_range" | "unknown_key" | "not_found" | "inactive" | "not_in_pipeline" | "read_only";
  /** A sentence for people. */
  readonly message: string;
  /** What would be accepted, where that is a list. */
  readonly allowed?: readonly string[];
};

/** A grant, and the tenant and the user that it stands for. */
export type Grant = {
  /** The grant that was asked for. */
  readonly grantId: string;
  /** The tenant of the grant: that of the key. */
  readonly tenantId: string;
  /** The user for whom the grant lets act. */
  readonly userId: string;
  /** The tenant. */
  readonly tenant: {
  /** The same as tenantId. */
  readonly id: string;
  /** What the tenant is called. */
  readonly name: string;
};
  /** The user, who may be inactive. */
  readonly user: {
  /** Given by the service, once and for ever. */
  readonly id: string;
  /** The full name. */
  readonly name: string;
  /** Taken once in the tenant; case does not count. */
  readonly email: string;
  /** Inactive users stay named in old records and cannot be chosen for new ones. */
  readonly active: boolean;
};
};

/** The caller, as the service sees it. */
export type Me = {
  /** The tenant that the key acts on. */
  readonly tenantId: string;
  /** The integration that the key belongs to. */
  readonly integrationId: string | null;
  /** The key itself, as administrators see it. */
  readonly keyId: string | null;
  /** What the integration may do. */
  readonly scopes: readonly ("accounts:read" | "accounts:write" | "contacts:read" | "contacts:write" | "opportunities:read" | "opportunities:write" | "tasks:read" | "tasks:write" | "pipelines:read" | "users:read")[];
  /** Where the key stands with its rate limit. */
  readonly rateLimit: {
  /** How many requests of this key are accepted in 60 seconds. */
  readonly limit: number;
  /** How many of them are left, this request counted. */
  readonly remaining: number;
  /** When all of them are back. */
  readonly reset: string;
};
  /** The time of the server's clock. */
  readonly serverTime: string;
};

/** A key that was just made, with its value. */
export type NewApiKey = {
  /** What the key is revoked by. */
  readonly id: string;
  /** The integration that the key belongs to. */
  readonly integrationId: string;
  /** What the integration is called. */
  readonly integrationName: string;
  /** The beginning of the key, to tell it from others. */
  readonly maskedKey: string;
  /** What the integration may do, with each of its keys. */
  readonly scopes: readonly ("accounts:read" | "accounts:write" | "contacts:read" | "contacts:write" | "opportunities:read" | "opportunities:write" | "tasks:read" | "tasks:write" | "pipelines:read" | "users:read")[];
  /** Only active keys are accepted. */
  readonly status: "active" | "revoked" | "expired";
  /** When it was made. */
  readonly createdAt: string;
  /** The user who made it. */
  readonly createdBy: string | null;
  /** When it was last used, to the minute. */
  readonly lastUsedAt: string | null;
  /** From when on it is refused. */
  readonly expiresAt: string | null;
  /** When it was revoked. */
  readonly revokedAt: string | null;
  /** The value, shown this once. */
  readonly key: string | null;
};

/** A sale that may come about. */
export type Opportunity = {
  /** Given by the service, once and for ever. */
  readonly id: string;
  /** What is to be sold. */
  readonly name: string;
  /** The account it is with. */
  readonly accountId: string | null;
  /** The contacts that take part, each once, 100 at most. */
  readonly contactIds: readonly string[];
  /** Follows from stageId where only that is sent. */
  readonly pipelineId: string;
  /** A stage of the pipeline. */
  readonly stageId: string;
  /** Open becomes won or lost, and either can be reopened; won to lost or back is refused with 409. */
  readonly status: "open" | "won" | "lost";
  /** What it is worth, in units of currency (not in cents). */
  readonly amount: number | null;
  /** An ISO 4217 code in upper case. */
  readonly currency: string | null;
  /** The day on which it is expected to be won or lost. */
  readonly expectedCloseDate: string | null;
  /** The user who looks after it. */
  readonly ownerId: string | null;
  /** Only while the status is lost, where the pipeline may require one of its lostReasons. */
  readonly lostReason: string | null;
  /** Since when it is won or lost. */
  readonly closedAt: string | null;
  /** Since when it is in its stage. */
  readonly stageChangedAt: string | null;
  /** What it is called in your own system. */
  readonly externalId: string | null;
  readonly customFields: CustomFieldValues;
  /** When it was made. */
  readonly createdAt: string;
  /** When it was last changed. */
  readonly updatedAt: string;
  /** Since when it is archived. */
  readonly archivedAt?: string;
};

/** A new opportunity. */
export type OpportunityCreate = {
  /** What is to be sold. */
  readonly name: string;
  /** The account it is with. */
  readonly accountId?: string | null;
  /** The contacts that take part, each once, 100 at most. */
  readonly contactIds?: readonly string[];
  /** Follows from stageId where only that is sent. */
  readonly pipelineId?: string;
  /** A stage of the pipeline. */
  readonly stageId?: string;
  /** Open becomes won or lost, and either can be reopened; won to lost or back is refused with 409. */
  readonly status?: "open" | "won" | "lost";
  /** What it is worth, in units of currency (not in cents). */
  readonly amount?: number | null;
  /** An ISO 4217 code in upper case. */
  readonly currency?: string | null;
  /** The day on which it is expected to be won or lost. */
  readonly expectedCloseDate?: string | null;
  /** The user who looks after it. */
  readonly ownerId?: string | null;
  /** Only while the status is lost, where the pipeline may require one of its lostReasons. */
  readonly lostReason?: string | null;
  /** What it is called in your own system. */
  readonly externalId?: string | null;
  readonly customFields?: CustomFieldValuesInput;
  /** The id of the key's tenant, for clients that send it everywhere. */
  readonly tenantId?: string;
};

/** Changes of the opportunity. */
export type OpportunityUpdate = {
  /** What is to be sold. */
  readonly name?: string;
  /** The account it is with. */
  readonly accountId?: string | null;
  /** The contacts that take part, each once, 100 at most. */
  readonly contactIds?: readonly string[];
  /** Follows from stageId where only that is sent. */
  readonly pipelineId?: string;
  /** A stage of the pipeline. */
  readonly stageId?: string;
  /** Open becomes won or lost, and either can be reopened; won to lost or back is refused with 409. */
  readonly status?: "open" | "won" | "lost";
  /** What it is worth, in units of currency (not in cents). */
  readonly amount?: number | null;
  /** An ISO 4217 code in upper case. */
  readonly currency?: string | null;
  /** The day on which it is expected to be won or lost. */
  readonly expectedCloseDate?: string | null;
  /** The user who looks after it. */
  readonly ownerId?: string | null;
  /** Only while the status is lost, where the pipeline may require one of its lostReasons. */
  readonly lostReason?: string | null;
  /** Since when it is won or lost. */
  readonly closedAt?: string | null;
  /** Since when it is in its stage. */
  readonly stageChangedAt?: string | null;
  /** What it is called in your own system. */
  readonly externalId?: string | null;
  readonly customFields?: CustomFieldValuesInput;
  /** Given by the service, once and for ever. */
  readonly id?: string;
  /** When it was made. */
  readonly createdAt?: string;
  /** When it was last changed. */
  readonly updatedAt?: string;
  /** Since when it is archived. */
  readonly archivedAt?: string | null;
  /** The id of the key's tenant, for clients that send it everywhere. */
  readonly tenantId?: string;
};

/** A way that a sale can go, with its stages. */
export type Pipeline = {
  /** Given by the service, once and for ever. */
  readonly id: string;
  /** What people call it. */
  readonly name: string;
  /** Where an opportunity starts that names neither a pipeline nor a stage. */
  readonly isDefault: boolean;
  /** The reasons that may be given for a lost opportunity. */
  readonly lostReasons: readonly string[];
  /** Whether an opportunity can only be lost with a reason. */
  readonly requireLostReason: boolean;
  /** When it was made. */
  readonly createdAt: string;
  /** When it was last changed. */
  readonly updatedAt: string;
  /** In their order. */
  readonly stages: readonly Stage[];
};

/** One record of the tenant. */
export type RelatedTo = {
  /** What the record is. */
  readonly type: "account" | "contact" | "opportunity";
  /** A record of that type. */
  readonly id: string;
};

/** A step of a pipeline. */
export type Stage = {
  /** Given by the service, once and for ever. */
  readonly id: string;
  /** What people call it. */
  readonly name: string;
  /** Stages stand in this order, the smallest number first. */
  readonly order: number;
  /** The chance of winning in this stage, in percent, 0 to 100. */
  readonly probability: number | null;
};

/** Something to be done. */
export type Task = {
  /** Given by the service, once and for ever. */
  readonly id: string;
  /** What is to be done, in a line. */
  readonly title: string;
  /** Null: none. */
  readonly description: string | null;
  /** How urgent it is. */
  readonly priority: "low" | "medium" | "high";
  /** Pending becomes completed or canceled and back; completed to canceled or back is refused with 409. */
  readonly status: "pending" | "completed" | "canceled";
  /** When it should be done. */
  readonly dueDate: string | null;
  /** The one record that it is about. */
  readonly relatedTo: RelatedTo | null;
  /** The user who is to do it. */
  readonly assignedTo: string | null;
  /** Since when it is completed or canceled. */
  readonly closedAt: string | null;
  /** When it was made. */
  readonly createdAt: string;
  /** When it was last changed. */
  readonly updatedAt: string;
  /** Since when it is archived. */
  readonly archivedAt?: string;
};

/** A new task. */
export type TaskCreate = {
  /** What is to be done, in a line. */
  readonly title: string;
  /** Null: none. */
  readonly description?: string | null;
  /** How urgent it is. */
  readonly priority?: "low" | "medium" | "high";
  /** Pending becomes completed or canceled and back; completed to canceled or back is refused with 409. */
  readonly status?: "pending" | "completed" | "canceled";
  /** When it should be done. */
  readonly dueDate?: string | null;
  /** The one record that it is about. */
  readonly relatedTo?: RelatedTo | null;
  /** The user who is to do it. */
  readonly assignedTo?: string | null;
  /** The id of the key's tenant, for clients that send it everywhere. */
  readonly tenantId?: string;
};

/** Changes of the task. */
export type TaskUpdate = {
  /** What is to be done, in a line. */
  readonly title?: string;
  /** Null: none. */
  readonly description?: string | null;
  /** How urgent it is. */
  readonly priority?: "low" | "medium" | "high";
  /** Pending becomes completed or canceled and back; completed to canceled or back is refused with 409. */
  readonly status?: "pending" | "completed" | "canceled";
  /** When it should be done. */
  readonly dueDate?: string | null;
  /** The one record that it is about. */
  readonly relatedTo?: RelatedTo | null;
  /** The user who is to do it. */
  readonly assignedTo?: string | null;
  /** Since when it is completed or canceled. */
  readonly closedAt?: string | null;
  /** Given by the service, once and for ever. */
  readonly id?: string;
  /** When it was made. */
  readonly createdAt?: string;
  /** When it was last changed. */
  readonly updatedAt?: string;
  /** Since when it is archived. */
  readonly archivedAt?: string | null;
  /** The id of the key's tenant, for clients that send it everywhere. */
  readonly tenantId?: string;
};

/** A person who works in the tenant's CRM. */
export type User = {
  /** Given by the service, once and for ever. */
  readonly id: string;
  /** The full name. */
  readonly name: string;
  /** Taken once in the tenant; case does not count. */
  readonly email: string;
  /** Administrators (admin) manage API keys. */
  readonly role: "admin" | "member";
  /** Inactive users stay named in old records and cannot be chosen for new ones. */
  readonly active: boolean;
  /** When it was made. */
  readonly createdAt: string;
  /** When it was last changed. */
  readonly updatedAt: string;
};

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
};

/** Input and response body of each operation. */
export type Operations = {
  readonly listAccounts: { readonly query?: { readonly limit?: number; readonly cursor?: string; readonly updatedSince?: string; readonly includeArchived?: boolean; readonly name?: string; readonly ownerId?: string; readonly externalId?: string; }; readonly result: { readonly data: readonly Account[]; readonly nextCursor: string | null; }; };
  readonly createAccount: { readonly body: AccountCreate; readonly result: { readonly data: Account; }; };
  readonly getAccount: { readonly params: { readonly id: string; }; readonly result: { readonly data: Account; }; };
  readonly updateAccount: { readonly params: { readonly id: string; }; readonly body: AccountUpdate; readonly result: { readonly data: Account; }; };
  readonly archiveAccount: { readonly params: { readonly id: string; }; readonly result: null; };
  readonly restoreAccount: { readonly params: { readonly id: string; }; readonly body?: { readonly tenantId?: string; }; readonly result: { readonly data: Account; }; };
  readonly listContacts: { readonly query?: { readonly limit?: number; readonly cursor?: string; readonly updatedSince?: string; readonly includeArchived?: boolean; readonly email?: string; readonly accountId?: string; readonly ownerId?: string; readonly externalId?: string; }; readonly result: { readonly data: readonly Contact[]; readonly nextCursor: string | null; }; };
  readonly createContact: { readonly body: ContactCreate; readonly result: { readonly data: Contact; }; };
  readonly getContact: { readonly params: { readonly id: string; }; readonly result: { readonly data: Contact; }; };
  readonly updateContact: { readonly params: { readonly id: string; }; readonly body: ContactUpdate; readonly result: { readonly data: Contact; }; };
  readonly archiveContact: { readonly params: { readonly id: string; }; readonly result: null; };
  readonly restoreContact: { readonly params: { readonly id: string; }; readonly body?: { readonly tenantId?: string; }; readonly result: { readonly data: Contact; }; };
  readonly listOpportunities: { readonly query?: { readonly limit?: number; readonly cursor?: string; readonly updatedSince?: string; readonly includeArchived?: boolean; readonly status?: "open" | "won" | "lost"; readonly pipelineId?: string; readonly stageId?: string; readonly accountId?: string; readonly contactId?: string; readonly ownerId?: string; readonly externalId?: string; }; readonly result: { readonly data: readonly Opportunity[]; readonly nextCursor: string | null; }; };
  readonly createOpportunity: { readonly body: OpportunityCreate; readonly result: { readonly data: Opportunity; }; };
  readonly getOpportunity: { readonly params: { readonly id: string; }; readonly result: { readonly data: Opportunity; }; };
  readonly updateOpportunity: { readonly params: { readonly id: string; }; readonly body: OpportunityUpdate; readonly result: { readonly data: Opportunity; }; };
  readonly archiveOpportunity: { readonly params: { readonly id: string; }; readonly result: null; };
  readonly restoreOpportunity: { readonly params: { readonly id: string; }; readonly body?: { readonly tenantId?: string; }; readonly result: { readonly data: Opportunity; }; };
  readonly listTasks: { readonly query?: { readonly limit?: number; readonly cursor?: string; readonly updatedSince?: string; readonly includeArchived?: boolean; readonly status?: "pending" | "completed" | "canceled"; readonly assignedTo?: string; readonly relatedToId?: string; }; readonly result: { readonly data: readonly Task[]; readonly nextCursor: string | null; }; };
  readonly createTask: { readonly body: TaskCreate; readonly result: { readonly data: Task; }; };
  readonly getTask: { readonly params: { readonly id: string; }; readonly result: { readonly data: Task; }; };
  readonly updateTask: { readonly params: { readonly id: string; }; readonly body: TaskUpdate; readonly result: { readonly data: Task; }; };
  readonly archiveTask: { readonly params: { readonly id: string; }; readonly result: null; };
  readonly restoreTask: { readonly params: { readonly id: string; }; readonly body?: { readonly tenantId?: string; }; readonly result: { readonly data: Task; }; };
  readonly listPipelines: { readonly result: { readonly data: readonly Pipeline[]; }; };
  readonly getPipeline: { readonly params: { readonly id: string; }; readonly result: { readonly data: Pipeline; }; };
  readonly listUsers: { readonly query?: { readonly email?: string; readonly active?: boolean; }; readonly result: { readonly data: readonly User[]; }; };
  readonly getUser: { readonly params: { readonly id: string; }; readonly result: { readonly data: User; }; };
  readonly listCustomFields: { readonly query: { readonly entity: "account" | "contact" | "opportunity"; }; readonly result: { readonly data: readonly CustomField[]; }; };
  readonly listActiveOpportunities: { readonly body: { readonly tenantId: string; readonly emails: readonly string[]; }; readonly result: { readonly data: readonly ActiveContact[]; }; };
  readonly resolveGrant: { readonly query: { readonly grantId: string; }; readonly result: { readonly data: Grant; }; };
  readonly getMe: { readonly result: { readonly data: Me; }; };
  readonly listApiKeys: { readonly result: { readonly data: readonly ApiKey[]; }; };
  readonly generateApiKey: { readonly body?: { readonly integrationId?: string; readonly name?: string; readonly scopes?: readonly ("accounts:read" | "accounts:write" | "contacts:read" | "contacts:write" | "opportunities:read" | "opportunities:write" | "tasks:read" | "tasks:write" | "pipelines:read" | "users:read")[]; readonly expiresAt?: string; readonly rotate?: boolean; readonly tenantId?: string; }; readonly result: { readonly data: NewApiKey; }; };
  readonly revokeApiKey: { readonly params: { readonly id: string; }; readonly body?: { readonly tenantId?: string; }; readonly result: { readonly data: ApiKey; }; };
};
