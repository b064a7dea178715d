import { type Client } from "../client/index.ts";
import type { LoadedTenant } from "../tenant-file/index.ts";
import type { Faults } from "./faults.ts";
import { type Snapshot } from "./fixture-api.ts";
import type { JournalEntry } from "./journal.ts";
import { type Moment, TestClock } from "./test-clock.ts";
export type TestCrmOptions = {
    /** Names of tenant files that come along, paths of others, or their content; "minimal" where it is absent. */
    readonly fixtures?: string | object | readonly (string | object)[];
    /** Where the clock stands: 2027-01-04T09:00:00Z where it is absent, after all that the files that come along tell of. */
    readonly now?: Moment;
    /** On 127.0.0.1; a free one where it is absent, and then the process does not wait for the server to be closed. */
    readonly port?: number;
    /** Requests a minute per key. As good as none where it is absent: by the clock of a test, no minute ever passes. */
    readonly rateLimit?: number;
};
/** A CRM of one test's own. */
export type TestCrm = {
    /** Where it serves, for who needs HTTP. */
    readonly url: string;
    /** Ends in `/integrations/v1`. */
    readonly baseUrl: string;
    /** Asks it without a network. A path is taken as one of this server. */
    readonly fetch: (url: string | URL | Request, init?: RequestInit) => Promise<Response>;
    /** Every API key of the tenant files, in their order. */
    readonly keys: LoadedTenant["keys"];
    /** With the first key that may do most. It asks without a network and never waits: the clock goes on instead. */
    readonly client: Client;
    readonly clock: TestClock;
    readonly faults: Pick<Faults, "add" | "clear" | "pending">;
    /** What was received since the start or the last reset, the oldest first. */
    readonly requests: readonly JournalEntry[];
    /** Back to the beginning: records, ids, clock, rates; faults and requests are forgotten. */
    reset(): Promise<void>;
    snapshot(): Snapshot;
    /** As `reset`, to how everything was then. */
    restore(snapshot: Snapshot): Promise<void>;
    close(): Promise<void>;
};
/** Starts the real engine over tenant files in memory; ids, keys and times are the same in every run. @throws TenantFileRefused */
export declare function startTestCrm(options?: TestCrmOptions): Promise<TestCrm>;
