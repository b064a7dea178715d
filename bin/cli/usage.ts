/** A call that the program does not understand: exit code 2, and a pointer to the help. */
export class UsageError extends Error {}

/** Something that went wrong and is told in one line, without a stack: exit code 1. */
export class Failure extends Error {}
