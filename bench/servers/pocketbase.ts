import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { freePort } from "../../test/support/free-port.ts";
import { epoch } from "../database.ts";
import type { LoadRequest } from "../load.ts";
import { processFigures, type Running } from "../processes.ts";
import { newAccount, seededRandom } from "../requests.ts";

/** A PocketBase with its own data folder. All requests have the token of a superuser, as ours have an API key. */
export type PocketBase = Running & { readonly token: string; readonly file: string };

const [email, password] = ["bench@example.com", "0123456789"];
const startTimeoutMs = 20_000;

const text = (name: string) => ({ name, type: "text" });
const times = [
  { name: "created", type: "autodate", onCreate: true },
  { name: "updated", type: "autodate", onCreate: true, onUpdate: true },
];
const collections = [
  {
    name: "accounts",
    type: "base",
    fields: [...["name", "phone", "externalId", "ownerId"].map(text), { name: "customFields", type: "json" }, ...times],
    indexes: [
      "CREATE UNIQUE INDEX accounts_name ON accounts (name)",
      "CREATE INDEX accounts_external ON accounts (externalId)",
      "CREATE INDEX accounts_updated ON accounts (updated, id)",
    ],
  },
  {
    name: "tasks",
    type: "base",
    fields: [
      ...["title", "description", "priority", "status", "dueDate", "relatedTo", "assignedTo"].map(text),
      ...times,
    ],
    indexes: ["CREATE INDEX tasks_updated ON tasks (updated, id)"],
  },
];

/** Starts a PocketBase program with the collections `accounts` and `tasks`. */
export async function startPocketBase(folder: string, program: string, name: string): Promise<PocketBase> {
  const data = mkdtempSync(join(folder, "pocketbase-"));
  execFileSync(program, ["superuser", "upsert", email, password, "--dir", data], { stdio: "ignore" });
  const url = `http://127.0.0.1:${await freePort()}`;
  const child = spawn(program, ["serve", "--dir", data, "--http", url.slice("http://".length)], { stdio: "ignore" });
  const kill = () => child.kill("SIGKILL");
  process.once("exit", kill);
  await untilReady(url);
  const { token } = await call(url, "POST", "/api/collections/_superusers/auth-with-password", {
    identity: email,
    password,
  });
  for (const collection of collections) await call(url, "POST", "/api/collections", collection, String(token));
  const stop = async (): Promise<void> => {
    const closed = once(child, "close");
    child.kill("SIGTERM");
    await closed;
    process.off("exit", kill);
    rmSync(data, { recursive: true });
  };
  return { name, url, token: String(token), file: join(data, "data.db"), ...processFigures(child.pid ?? 0), stop };
}

/** Inserts tasks, one second apart and in random order, as those of our database. */
export function insertPocketBaseTasks({ file }: PocketBase, count: number): void {
  const database = new Database(file);
  const insert = database.prepare(
    `INSERT INTO tasks (id, title, description, priority, status, dueDate, relatedTo, assignedTo, created, updated)
      VALUES (?, ?, '', 'medium', 'pending', '2026-03-01', '', '', ?, ?)`,
  );
  const order = Array.from({ length: count }, (_, index) => index);
  const random = seededRandom(23);
  for (let last = count - 1; last > 0; last--) {
    const other = random(last + 1);
    [order[last], order[other]] = [order[other] as number, order[last] as number];
  }
  database.transaction(() => {
    for (const number of order) {
      const at = timeOf(number);
      insert.run(`t${String(number).padStart(14, "0")}`, `Call about the delivery ${number}`, at, at);
    }
  })();
  database.close();
}

/** Pages of 50 after a random task, without the total. */
export function pocketBasePages({ token }: PocketBase, tasks: number, count: number): LoadRequest[] {
  const random = seededRandom(17);
  return Array.from({ length: count }, () => {
    const filter = encodeURIComponent(`updated > "${timeOf(random(tasks - 60))}"`);
    const query = `perPage=50&skipTotal=1&sort=updated,id&filter=${filter}`;
    return { path: `/api/collections/tasks/records?${query}`, headers: { authorization: token } };
  });
}

/** Single accounts, which are created first. */
export async function pocketBaseRecords({ url, token }: PocketBase, count: number): Promise<LoadRequest[]> {
  const requests: LoadRequest[] = [];
  for (let made = 0; made < count; made++) {
    const { id } = await call(url, "POST", accountsPath, JSON.parse(newAccount()), token);
    requests.push({ path: `${accountsPath}/${id}`, headers: { authorization: token } });
  }
  return requests;
}

export function pocketBaseCreates({ token }: PocketBase, count: number): LoadRequest[] {
  return Array.from({ length: count }, () => {
    return { method: "POST", path: accountsPath, headers: { authorization: token }, body: newAccount() };
  });
}

const accountsPath = "/api/collections/accounts/records";

function timeOf(number: number): string {
  return new Date(epoch + number * 1_000).toISOString().replace("T", " ");
}

async function call(
  url: string,
  method: string,
  path: string,
  body: unknown,
  token?: string,
): Promise<Readonly<Record<string, unknown>>> {
  const headers = { "content-type": "application/json", ...(token === undefined ? {} : { authorization: token }) };
  const response = await fetch(url + path, { method, headers, body: JSON.stringify(body) });
  if (!response.ok) throw new Error(`PocketBase: ${method} ${path}: ${response.status} ${await response.text()}`);
  return (await response.json()) as Readonly<Record<string, unknown>>;
}

async function untilReady(url: string): Promise<void> {
  const until = Date.now() + startTimeoutMs;
  while (Date.now() < until) {
    const response = await fetch(`${url}/api/health`).catch(() => undefined);
    if (response?.ok) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error(`PocketBase didn't start within ${startTimeoutMs / 1_000} s.`);
}
