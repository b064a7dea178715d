import { readFileSync } from "node:fs";

/** One thing that the program did, in the order in which it happened. Paths are relative to the folder watched. */
export type Event =
  | { readonly kind: "start"; readonly inode: number }
  | { readonly kind: "create" | "folder" | "link"; readonly inode: number; readonly path: string }
  | { readonly kind: "write"; readonly inode: number; readonly offset: number; readonly bytes: Buffer }
  | { readonly kind: "resize"; readonly inode: number; readonly size: number }
  | { readonly kind: "sync"; readonly inode: number }
  | { readonly kind: "unlink"; readonly path: string }
  | { readonly kind: "rename"; readonly from: string; readonly to: string }
  | { readonly kind: "said"; readonly text: string };

/** An entry's kind, length, inode and offset, as power-loss.c writes them. */
const headBytes = 24;

/** What power-loss.c wrote down. */
export function readLog(file: string): Event[] {
  const log = readFileSync(file);
  const events: Event[] = [];
  let root = "";
  for (let place = 0; place < log.length; ) {
    const kind = String.fromCharCode(log.readUInt32LE(place));
    const end = place + headBytes + log.readUInt32LE(place + 4);
    const [inode, offset] = [Number(log.readBigUInt64LE(place + 8)), Number(log.readBigUInt64LE(place + 16))];
    const bytes = log.subarray(place + headBytes, end);
    if (kind === "S") root = bytes.toString();
    events.push(eventOf(kind, inode, offset, bytes, root));
    place = end;
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
      return { kind: "said", text: path };
    default:
      throw new Error(`The log has an entry of an unknown kind, "${kind}".`);
  }
}

/** When each answer was handed to the network: the number of events before it, by the request's id. */
export function answersIn(events: readonly Event[]): Map<string, { readonly place: number; readonly status: number }> {
  const answers = new Map<string, { place: number; status: number }>();
  for (const [place, event] of events.entries()) {
    if (event.kind !== "said") continue;
    const status = /^HTTP\/1\.1 (\d{3}) /.exec(event.text)?.[1];
    const id = /\r\nx-request-id: ([^\r]+)\r\n/i.exec(event.text)?.[1];
    if (status !== undefined && id !== undefined) answers.set(id, { place, status: Number(status) });
  }
  return answers;
}

/** When something that matches was first said, to a client or on stdout: the number of events before it. */
export function firstSaid(events: readonly Event[], what: RegExp): number {
  const place = events.findIndex((event) => event.kind === "said" && what.test(event.text));
  return place === -1 ? Number.POSITIVE_INFINITY : place;
}

/** What a run went through, counted. */
export function facts(events: readonly Event[]) {
  const named = new Map<number, "database" | "log">();
  const counts = { checkpoints: 0, "logs begun anew": 0, syncs: 0, answers: 0 };
  for (const event of events) {
    if (event.kind === "link" && /crm\.db$/.test(event.path)) named.set(event.inode, "database");
    if (event.kind === "create" && /crm\.db-wal$/.test(event.path)) {
      named.set(event.inode, "log");
      counts["logs begun anew"]--;
    }
    if (event.kind === "write" && event.offset === 0 && named.get(event.inode) === "log") counts["logs begun anew"]++;
    if (event.kind === "sync" && named.get(event.inode) === "database") counts.checkpoints++;
    if (event.kind === "sync") counts.syncs++;
    if (event.kind === "said") counts.answers++;
  }
  return counts;
}
