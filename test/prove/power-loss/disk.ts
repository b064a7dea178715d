import { basename, dirname } from "node:path";
import type { Event } from "./event-log.ts";
import { UnsyncedFile } from "./unsynced-file.ts";

/** Returns whether a part of an unsynced change is on the disk: a name, a size, or the bytes of one sector. */
export type Persists = (change: number, part: "name" | "size" | number) => boolean;

/** The content of a disk after a power loss. `notes` describe what happened to each unsynced change. */
export type DiskContent = {
  readonly folders: readonly string[];
  readonly files: ReadonlyMap<string, Buffer>;
  readonly notes: readonly string[];
};

type Node = Folder | UnsyncedFile;
/** A name and its new node, undefined if the name is removed. */
type Assignment = readonly [name: string, node: Node | undefined];
type NameChange = {
  readonly position: number;
  readonly text: string;
  readonly sets: readonly Assignment[];
};

/** A folder: the durable names, and the changes of names since the last fsync. */
class Folder {
  #durable = new Map<string, Node>();
  #pending: NameChange[] = [];
  /** The names that the program sees. */
  readonly visible = new Map<string, Node>();

  change(position: number, text: string, ...sets: Assignment[]): void {
    this.#pending.push({ position, text, sets });
    assignNames(this.visible, sets);
  }

  sync(): void {
    this.#durable = new Map(this.visible);
    this.#pending = [];
  }

  after(persists: Persists, notes: string[]): ReadonlyMap<string, Node> {
    const names = new Map(this.#durable);
    for (const { position, text, sets } of this.#pending) {
      const isOnDisk = persists(position, "name");
      if (isOnDisk) assignNames(names, sets);
      notes.push(`${text}: ${isOnDisk ? "on disk" : "lost"}`);
    }
    return names;
  }
}

function assignNames(names: Map<string, Node>, sets: readonly Assignment[]): void {
  for (const [name, node] of sets) {
    if (node === undefined) names.delete(name);
    else names.set(name, node);
  }
}

/**
 * A model of a disk that guarantees only what POSIX does. An fsync of a file makes its bytes and its size durable, and
 * an fsync of a folder makes its names durable. Nothing else is durable. The model doesn't rely on file systems such as
 * ext4, which also make the name of a new file durable when the file is synced. Each unsynced name, size and sector of
 * 512 bytes may independently be on the disk or not, but an older version never replaces a newer one. A rename is
 * atomic. A write changes no other bytes, and a sector doesn't tear.
 */
export class Disk {
  readonly #root = new Folder();
  readonly #nodes = new Map<number, Node>();
  /** The number of events applied so far. */
  position = 0;

  play(event: Event): void {
    if (event.kind === "start") this.#nodes.set(event.inode, this.#root);
    else if (event.kind === "create") this.#add(event.path, event.inode, new UnsyncedFile(/-shm$/.test(event.path)));
    else if (event.kind === "folder") this.#add(event.path, event.inode, new Folder());
    else if (event.kind === "link") this.#name(`the name ${event.path}`, event.path, this.#node(event.inode));
    else if (event.kind === "unlink") this.#name(`the removal of ${event.path}`, event.path);
    else if (event.kind === "rename") this.#rename(event.from, event.to);
    else if (event.kind === "write") this.#file(event.inode).write(this.position, event.offset, event.bytes);
    else if (event.kind === "resize") this.#file(event.inode).resize(this.position, event.size);
    else if (event.kind === "sync") this.#node(event.inode).sync();
    this.position++;
  }

  /** Returns the content of the disk if the power fails now. */
  after(persists: Persists, garbage: () => number): DiskContent {
    const [folders, files, notes] = [[] as string[], new Map<string, Buffer>(), [] as string[]];
    const visit = (folder: Folder, path: string): void => {
      for (const [name, node] of folder.after(persists, notes)) {
        const full = `${path}${name}`;
        if (node instanceof UnsyncedFile)
          files.set(
            full,
            node.after(persists, garbage, (note) => notes.push(full + note)),
          );
        else {
          folders.push(full);
          visit(node, `${full}/`);
        }
      }
    };
    visit(this.#root, "");
    return { folders, files, notes };
  }

  #add(path: string, inode: number, node: Node): void {
    this.#nodes.set(inode, node);
    this.#name(`the name ${path}`, path, node);
  }

  #name(text: string, path: string, node?: Node): void {
    this.#folderOf(path).change(this.position, text, [basename(path), node]);
  }

  #rename(from: string, to: string): void {
    const folder = this.#folderOf(from);
    if (folder !== this.#folderOf(to))
      throw new Error(`${from} was moved to another folder. The model doesn't support this.`);
    const node = folder.visible.get(basename(from));
    folder.change(this.position, `the renaming of ${from} to ${to}`, [basename(from), undefined], [basename(to), node]);
  }

  #folderOf(path: string): Folder {
    let folder: Node | undefined = this.#root;
    const names = dirname(path) === "." ? [] : dirname(path).split("/");
    for (const name of names) folder = folder instanceof Folder ? folder.visible.get(name) : undefined;
    if (!(folder instanceof Folder)) throw new Error(`The event log has no entry that creates the folder of ${path}.`);
    return folder;
  }

  #node(inode: number): Node {
    const node = this.#nodes.get(inode);
    if (node === undefined) throw new Error(`The event log has no entry that creates inode ${inode}.`);
    return node;
  }

  #file(inode: number): UnsyncedFile {
    const node = this.#node(inode);
    if (!(node instanceof UnsyncedFile)) throw new Error(`Inode ${inode} isn't a file.`);
    return node;
  }
}
