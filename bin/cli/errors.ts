/** An invalid command line or setting. The program exits with 2 and points to the help. */
export class UsageError extends Error {}

/** An expected error. The program prints its message without a stack and exits with 1. */
export class Failure extends Error {}

/** Ctrl-C at a prompt. The program prints the message and exits with 130. */
export class Interrupted extends Failure {}
