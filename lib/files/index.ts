export { mkdirPrivate } from "./mkdir-private.ts";
export { chownLike, permissionHint } from "./ownership.ts";
