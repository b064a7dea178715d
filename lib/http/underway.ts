/** Work that was begun and is not over. */
export class Underway {
  readonly #works = new Set<Promise<unknown>>();

  track<T>(work: Promise<T>): Promise<T> {
    const settled = work.catch(() => {}).finally(() => this.#works.delete(settled));
    this.#works.add(settled);
    return work;
  }

  /** Once nothing is left, not even what began meanwhile. */
  async ended(): Promise<void> {
    while (this.#works.size > 0) await Promise.all(this.#works);
  }
}
