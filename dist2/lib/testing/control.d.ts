import type { HttpResponse } from "../http/http-response.ts";
import type { Faults } from "./faults.ts";
import type { Journal } from "./journal.ts";
import type { TestClock } from "./test-clock.ts";
/** What another program can steer. */
export type Controlled = {
    readonly clock: TestClock;
    readonly faults: Faults;
    readonly journal: Journal;
    reset(): Promise<void>;
};
/** The path that the controls stand under, at the root of the server. */
export declare const controlPath = "/__fixtures/";
/** Handles a request under `/__fixtures/`. @throws ApiError */
export declare function control(controlled: Controlled, request: Request, readBody: () => Promise<Uint8Array>): Promise<HttpResponse>;
