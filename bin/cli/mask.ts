/** A text in which of each API key no more is left than key list shows of it. */
export function masked(text: string): string {
  return text.replace(/(crm_(?:live|test)_[0-9A-Za-z]{8})_?[0-9A-Za-z][0-9A-Za-z_]*/g, "$1_****");
}
