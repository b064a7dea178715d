import { type Collection } from "./collection.ts";
import { type CallOptions, type ClientOptions } from "./transport.ts";
import type * as types from "./types.ts";
/** Every integration endpoint of the service, typed. Requests are tried again where that is safe. */
export type Client = {
    readonly accounts: Collection<types.Account, types.AccountCreate, types.AccountUpdate, types.AccountQuery>;
    readonly contacts: Collection<types.Contact, types.ContactCreate, types.ContactUpdate, types.ContactQuery> & {
        /** The open opportunities of the contacts with these addresses, one item an address. */
        activeOpportunities(emails: readonly string[], options?: CallOptions): Promise<readonly types.ActiveContact[]>;
    };
    readonly opportunities: Collection<types.Opportunity, types.OpportunityCreate, types.OpportunityUpdate, types.OpportunityQuery>;
    readonly tasks: Collection<types.Task, types.TaskCreate, types.TaskUpdate, types.TaskQuery>;
    readonly pipelines: {
        list(options?: CallOptions): Promise<readonly types.Pipeline[]>;
        get(id: string, options?: CallOptions): Promise<types.Pipeline>;
    };
    readonly users: {
        list(query?: types.UserQuery & CallOptions): Promise<readonly types.User[]>;
        get(id: string, options?: CallOptions): Promise<types.User>;
    };
    readonly customFields: {
        list(entity: "account" | "contact" | "opportunity", options?: CallOptions): Promise<readonly types.CustomField[]>;
    };
    readonly grants: {
        resolve(grantId: string, options?: CallOptions): Promise<types.Grant>;
    };
    /** Whom the key speaks for and what it may do. */
    me(options?: CallOptions): Promise<types.Me>;
};
export declare function createClient(options: ClientOptions): Client;
