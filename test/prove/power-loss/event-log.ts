import { readFileSync } from "node:fs";

/** A call of the program that the recorder saw. Paths are relative to the recorded folder. */
export type Event =
  | { readonly kind: "start"; readonly inode: number }
  | { readonly kind: "create" | "folder" | "link"; readonly inode: number; readonly path: string }
  | { readonly kind: "write"; readonly inode: number; readonly offset: number; readonly bytes: Buffer }
  | { readonly kind: "resize"; readonly inode: number; readonly size: number }
  | { readonly kind: "sync"; readonly inode: number }
  | { readonly kind: "unlink"; readonly path: string }
  | { readonly kind: "rename"; readonly from: string; readonly to: string }
  | { readonly kind: "output"; readonly text: string };

/** The size of an entry's head in bytes: kind, length, inode and offset, as recorder.c writes them. */
const headBytes = 24;

/** Reads a file that recorder.c wrote. */
export function readLog(file: string): Event[] {
  const log = readFileSync(file);
  const events: Event[] = [];
  let root = "";
  for (let position = 0; position < log.length; ) {
    const kind = String.fromCharCode(log.readUInt32LE(position));
    const end = position + headBytes + log.readUInt32LE(position + 4);
    const [inode, offset] = [Number(log.readBigUInt64LE(position + 8)), Number(log.readBigUInt64LE(position + 16))];
    const bytes = log.subarray(position + headBytes, end);
    if (kind === "S") root = bytes.toString();
    events.push(eventOf(kind, inode, offset, bytes, root));
    position = end;
  }
  return events;
}

function eventOf(kind: string, inode: number, offset: number, bytes: Buffer, root: string): Event {
  const [path = "", to = ""] = kind === "w" ? [] : bytes.toString("latin1").split("\0");
  const within = (path: string): string => path.slice(root.length + 1);
  switch (kind) {
    case "S":
      return { kind: "start", inode };
    case "c":
      return { kind: "create", inode, path: within(path) };
    case "d":
      return { kind: "folder", inode, path: within(path) };
    case "l":
      return { kind: "link", inode, path: within(path) };
    case "u":
      return { kind: "unlink", path: within(path) };
    case "r":
      return { kind: "rename", from: within(path), to: within(to) };
    case "w":
      return { kind: "write", inode, offset, bytes };
    case "t":
      return { kind: "resize", inode, size: offset };
    case "f":
      return { kind: "sync", inode };
    case "a":
      return { kind: "output", text: path };
    default:
      throw new Error(`The event log has an entry of an unknown kind: "${kind}".`);
  }
}

/** Returns the status of each response and the number of events before it, by request ID. */
export function responsesIn(
  events: readonly Event[],
): Map<string, { readonly position: number; readonly status: number }> {
  const responses = new Map<string, { position: number; status: number }>();
  for (const [position, event] of events.entries()) {
    if (event.kind !== "output") continue;
    const status = /^HTTP\/1\.1 (\d{3}) /.exec(event.text)?.[1];
    const id = /\r\nx-request-id: ([^\r]+)\r\n/i.exec(event.text)?.[1];
    if (status !== undefined && id !== undefined) responses.set(id, { position, status: Number(status) });
  }
  return responses;
}

/** Returns the number of events before the first output, to a client or on stdout, that matches. */
export function firstOutput(events: readonly Event[], pattern: RegExp): number {
  const position = events.findIndex((event) => event.kind === "output" && pattern.test(event.text));
  return position === -1 ? Number.POSITIVE_INFINITY : position;
}

/** Counts the checkpoints, restarts of the WAL, fsyncs and outputs of a run. */
export function countEvents(events: readonly Event[]) {
  const files = new Map<number, "database" | "WAL">();
  const counts = { checkpoints: 0, "WAL restarts": 0, fsyncs: 0, outputs: 0 };
  for (const event of events) {
    if (event.kind === "link" && /crm\.db$/.test(event.path)) files.set(event.inode, "database");
    if (event.kind === "create" && /crm\.db-wal$/.test(event.path)) {
      files.set(event.inode, "WAL");
      counts["WAL restarts"]--;
    }
    if (event.kind === "write" && event.offset === 0 && files.get(event.inode) === "WAL") counts["WAL restarts"]++;
    if (event.kind === "sync" && files.get(event.inode) === "database") counts.checkpoints++;
    if (event.kind === "sync") counts.fsyncs++;
    if (event.kind === "output") counts.outputs++;
  }
  return counts;
}
