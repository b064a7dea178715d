/** Options of the program by the JSON Pointer of the field that each one fills, such as `{ "/scopes": "--scopes" }`. */
export type OptionNames = Readonly<Record<string, string>>;

/** An error of a field. `path` is its JSON Pointer. */
export type FieldMessage = { readonly path: string; readonly message: string };

/** Returns the message with the name of the option instead of the field that it starts with. */
export function optionMessage({ path, message }: FieldMessage, names: OptionNames): string {
  const pointer = Object.keys(names).find((each) => path === each || path.startsWith(`${each}/`));
  const field = path.slice(1).replaceAll("/", ".");
  return pointer !== undefined && message.startsWith(`${field} `)
    ? names[pointer] + message.slice(field.length)
    : message;
}
