import { pageSession } from "./page-session.ts";

/** Returns a name for values that only this user of this tenant sees. Other users can share the browser. */
export function userStorageName(name: string): string {
  return `crm-console-${name} ${pageSession?.tenant.id} ${pageSession?.user.id}`;
}

/** Returns a value that the browser has stored, null if there is none or the storage is blocked. */
export function readStored(name: string): string | null {
  try {
    return localStorage.getItem(name);
  } catch {
    return null;
  }
}

/** Returns a list that the browser has stored as JSON, undefined if there is none. It may have items of any type. */
export function readStoredList(name: string): readonly unknown[] | undefined {
  try {
    const list: unknown = JSON.parse(readStored(name) ?? "null");
    return Array.isArray(list) ? list : undefined;
  } catch {
    return undefined;
  }
}

/** Stores a value in the browser, or removes it if it is null. Does nothing if the storage is blocked. */
export function store(name: string, value: string | null): void {
  try {
    if (value === null) localStorage.removeItem(name);
    else localStorage.setItem(name, value);
  } catch {}
}
