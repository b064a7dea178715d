const uuid = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i;

/** Whether a text has the form of an ID. */
export function isId(text: string): boolean {
  return uuid.test(text);
}
