/**
 * Sends answers: the first of a turn of the event loop at once, those that are ready later in the turn together at its
 * end. To wake a client that sleeps costs more than the rest of sending, and while answers go out in a row the next
 * client is awake.
 */
export class Outbox {
  #later: (() => void)[] | undefined;

  send(write: () => void): void {
    if (this.#later !== undefined) return void this.#later.push(write);
    this.#later = [];
    setImmediate(() => this.#sendLater());
    write();
  }

  #sendLater(): void {
    const writes = this.#later ?? [];
    this.#later = undefined;
    for (const write of writes) write();
  }
}
