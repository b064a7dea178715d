import { getSystemErrorMessage } from "node:util";

/** Returns the reason of an error of the operating system, such as "no such file or directory". */
export function systemErrorReason(error: unknown): string {
  const { errno, message } = error as NodeJS.ErrnoException;
  return errno === undefined ? message : getSystemErrorMessage(errno);
}
