import { type Write } from "../storage.ts";
/** What one commit writes once it knows its instant. */
export type Proposal = {
    readonly now: number;
    readonly propose: (at: number) => readonly Write[];
};
/** What commits that share a transaction write, in their order. */
export type Plan = {
    readonly writes: readonly Write[];
    /** The first of their instants: it is right as long as the tenant's clock stands before it. */
    readonly first: number;
    /** Where the clock stands after them. */
    readonly reached: number;
};
/** An instant of its own for each of them, after the tenant's last. @throws what a proposal throws */
export declare function planAfter(last: number, proposals: readonly Proposal[]): Plan;
