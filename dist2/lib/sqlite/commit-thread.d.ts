import { type Carried } from "./carried.ts";
import type { Standing } from "./standing.ts";
import type { ThreadCode } from "./thread-code.ts";
import type { Result, Task } from "./transactions.ts";
/** What the thread says: first that it has opened the file, then what became of the tasks that it was sent. */
export type Said = "ready" | {
    readonly results: readonly Carried[] | "busy";
};
/**
 * A thread with a connection of its own to a file, for commits. Where it cannot be had, as in a host that was bundled
 * into one file without its code, it is never ready.
 */
export declare class CommitThread {
    #private;
    /** Resolves once it is ready, or never will be. */
    readonly started: Promise<void>;
    constructor({ code, options }: ThreadCode, file: string, opened: Standing, onLost?: (error: Error) => void);
    get isReady(): boolean;
    /**
     * To be called once at a time. Answers nothing of any task where the thread ends meanwhile. Undefined where something
     * in the tasks cannot be sent to a thread, a function for one: it was sent nothing.
     */
    transact(tasks: readonly Task[]): Promise<readonly Result[] | "busy"> | undefined;
    close(): Promise<void>;
}
