export { makeMissing } from "./folder.js";
export { giveOwner, unreadable } from "./owner.js";
