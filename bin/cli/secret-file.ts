import { statSync } from "node:fs";
import { Failure } from "./usage.ts";

/** Reading, writing and running by others; the same by the group. */
const [byOthers, byGroup, readByGroup] = [0o007, 0o070, 0o040];

/**
 * A file of a secret is for its owner alone. One that belongs to root may be read by a group too: so orchestrators
 * hand secrets to a program that runs as somebody else. @throws Failure that says how to close it
 */
export function assertPrivate(file: string): void {
  if (process.platform === "win32") return;
  const { mode, uid } = statSync(file);
  const handedOver = uid === 0 && process.getuid?.() !== 0;
  const open = mode & (byOthers | (handedOver ? byGroup & ~readByGroup : byGroup));
  if (open === 0) return;
  const rights = (mode & 0o777).toString(8);
  throw new Failure(`${file} holds a secret and is open to others (mode ${rights}). Close it: chmod 600 ${file}`);
}
