export { makeMissing } from "./mkdir-private.ts";
export { giveOwner, unreadable } from "./ownership.ts";
