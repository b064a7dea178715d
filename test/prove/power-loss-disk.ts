import { basename, dirname } from "node:path";
import { UnsyncedFile } from "./power-loss-file.ts";
import type { Event } from "./power-loss-log.ts";

/** Whether a part of a change that was not synced is there after all: a name, a size, or one sector's bytes. */
export type Arrives = (change: number, part: "name" | "size" | number) => boolean;

/** What is on the disk once the power is back, and in words what became of what had not been synced. */
export type AfterPowerLoss = {
  readonly folders: readonly string[];
  readonly files: ReadonlyMap<string, Buffer>;
  readonly notes: readonly string[];
};

type Node = Folder | UnsyncedFile;
/** A name, and what it stands for from then on: nothing where it is gone. */
type Setting = readonly [name: string, node: Node | undefined];
type NameChange = {
  readonly place: number;
  readonly text: string;
  readonly sets: readonly Setting[];
};

/** A folder: the names that are durable, and the changes of names since the folder was last synced. */
class Folder {
  #durable = new Map<string, Node>();
  #pending: NameChange[] = [];
  /** What the program sees. */
  readonly seen = new Map<string, Node>();

  change(place: number, text: string, ...sets: Setting[]): void {
    this.#pending.push({ place, text, sets });
    apply(this.seen, sets);
  }

  sync(): void {
    this.#durable = new Map(this.seen);
    this.#pending = [];
  }

  after(arrives: Arrives, notes: string[]): ReadonlyMap<string, Node> {
    const names = new Map(this.#durable);
    for (const { place, text, sets } of this.#pending) {
      const there = arrives(place, "name");
      if (there) apply(names, sets);
      notes.push(`${text}: ${there ? "arrived" : "did not arrive"}`);
    }
    return names;
  }
}

function apply(names: Map<string, Node>, sets: readonly Setting[]): void {
  for (const [name, node] of sets) {
    if (node === undefined) names.delete(name);
    else names.set(name, node);
  }
}

/**
 * A disk that promises as little as POSIX lets it. Durable is what was synced: the bytes and size of a file by a sync of
 * that file, the names in a folder by a sync of that folder, and nothing else (that ext4 and others make the name of
 * a synced new file durable too is not relied on). Of what was not synced anything may be there: each name, each
 * size, each sector of 512 bytes on its own, in any order, but never an older one over a newer one. A rename is there
 * whole or not at all. Bytes beside those that are written stay what they are, and a sector does not tear.
 */
export class Disk {
  readonly #root = new Folder();
  readonly #nodes = new Map<number, Node>();
  /** How many events it went through. */
  place = 0;

  play(event: Event): void {
    if (event.kind === "start") this.#nodes.set(event.inode, this.#root);
    else if (event.kind === "create") this.#add(event.path, event.inode, new UnsyncedFile(/-shm$/.test(event.path)));
    else if (event.kind === "folder") this.#add(event.path, event.inode, new Folder());
    else if (event.kind === "link") this.#name(`the name ${event.path}`, event.path, this.#node(event.inode));
    else if (event.kind === "unlink") this.#name(`the removal of ${event.path}`, event.path);
    else if (event.kind === "rename") this.#rename(event.from, event.to);
    else if (event.kind === "write") this.#file(event.inode).write(this.place, event.offset, event.bytes);
    else if (event.kind === "resize") this.#file(event.inode).resize(this.place, event.size);
    else if (event.kind === "sync") this.#node(event.inode).sync();
    this.place++;
  }

  /** What is there if the power fails now. */
  after(arrives: Arrives, rubbish: () => number): AfterPowerLoss {
    const [folders, files, notes] = [[] as string[], new Map<string, Buffer>(), [] as string[]];
    const visit = (folder: Folder, path: string): void => {
      for (const [name, node] of folder.after(arrives, notes)) {
        const full = `${path}${name}`;
        if (node instanceof UnsyncedFile)
          files.set(
            full,
            node.after(arrives, rubbish, (note) => notes.push(full + note)),
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
    this.#folderOf(path).change(this.place, text, [basename(path), node]);
  }

  #rename(from: string, to: string): void {
    const folder = this.#folderOf(from);
    if (folder !== this.#folderOf(to)) throw new Error(`${from} was moved to another folder, which is not modelled.`);
    const node = folder.seen.get(basename(from));
    folder.change(this.place, `the renaming of ${from} to ${to}`, [basename(from), undefined], [basename(to), node]);
  }

  #folderOf(path: string): Folder {
    let folder: Node | undefined = this.#root;
    const names = dirname(path) === "." ? [] : dirname(path).split("/");
    for (const name of names) folder = folder instanceof Folder ? folder.seen.get(name) : undefined;
    if (!(folder instanceof Folder)) throw new Error(`The log does not say where the folder of ${path} comes from.`);
    return folder;
  }

  #node(inode: number): Node {
    const node = this.#nodes.get(inode);
    if (node === undefined) throw new Error(`The log does not say where inode ${inode} comes from.`);
    return node;
  }

  #file(inode: number): UnsyncedFile {
    const node = this.#node(inode);
    if (!(node instanceof UnsyncedFile)) throw new Error(`Inode ${inode} is no file.`);
    return node;
  }
}
