export { makeMissing } from "./folder.ts";
export { giveOwner, unreadable } from "./owner.ts";
