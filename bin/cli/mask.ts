/** Masks the API keys in a text in the same way as `key list`. */
export function maskKeys(text: string): string {
  return text.replace(/(crm_(?:live|test)_[0-9A-Za-z]{8})_?[0-9A-Za-z][0-9A-Za-z_]*/g, "$1_****");
}
