import type { FetchHandler } from "../http/node.ts";
import type { RequestEnv } from "../http/request-env.ts";
import type { LoadedTenant } from "../tenant-file/index.ts";
import { Faults } from "./faults.ts";
import { type JournalEntry } from "./journal.ts";
import { type NamedTenantFile } from "./tenant-files.ts";
import type { TestClock } from "./test-clock.ts";
import { type World, type WorldOptions } from "./world.ts";
/** On every answer of a server whose records are fixtures, so that nobody takes it for a real one. */
export declare const fixtureHeaders: {
    readonly "x-crm-fixtures": "in-memory";
};
export type FixtureApiOptions = WorldOptions & {
    readonly files: readonly NamedTenantFile[];
};
/** Everything at one moment: records, the clock, and which ids come next. */
export type Snapshot = {
    readonly world: ReturnType<World["image"]>;
    readonly putClockBack: () => void;
};
/** The real API over tenant files in memory, which can be put back, made to fail, and asked what it has received. */
export declare class FixtureApi implements FetchHandler {
    #private;
    readonly clock: TestClock;
    readonly faults: Faults;
    readonly loaded: readonly LoadedTenant[];
    /** Loads the files, with a key for each that has none. @throws TenantFileRefused */
    static open({ files, ...options }: FixtureApiOptions): Promise<FixtureApi>;
    private constructor();
    get requests(): readonly JournalEntry[];
    snapshot(): Snapshot;
    /** Back to how everything was then; faults and requests are forgotten, and so is how often each key has called. */
    restore({ world, putClockBack }: Snapshot): Promise<void>;
    /** Back to the beginning. */
    reset(): Promise<void>;
    close(): Promise<void>;
    readonly newRequestId: () => string;
    /** Responds as the API does. Rejects, or destroys the socket, if a fault drops the connection. */
    readonly fetch: (request: Request, env?: RequestEnv) => Promise<Response>;
}
