import { existsSync, readFileSync } from "node:fs";
import { createServer, request, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";

export type Running = { readonly url: string; close(): void };

/** Starts a proxy that drops the response of the first POST. Serves the files of `folder` itself, if there is one. */
export async function startProxy(target: string, folder?: string): Promise<Running> {
  let hasDropped = false;
  const server = createServer((incoming, outgoing) => {
    const { method = "GET", headers, url = "/" } = incoming;
    if (folder !== undefined && !url.startsWith("/integrations/")) return void sendFile(folder, url, outgoing);
    const drops = method === "POST" && !hasDropped;
    hasDropped ||= drops;
    const forwarded = request(new URL(url, target), { method, headers }, (response) => {
      if (drops) return void response.resume().once("end", () => incoming.socket.destroy());
      outgoing.writeHead(response.statusCode ?? 502, response.headers);
      response.pipe(outgoing);
    });
    incoming.pipe(forwarded);
  });
  return listen(server);
}

/** Starts a server of files. */
export function startFiles(folder: string): Promise<Running> {
  return listen(createServer(({ url = "/" }, outgoing) => sendFile(folder, url, outgoing)));
}

function sendFile(folder: string, url: string, outgoing: ServerResponse): void {
  if (url === "/")
    return void outgoing.setHeader("content-type", "text/html").end("<!doctype html><title>Trial</title>");
  if (!existsSync(join(folder, url))) return void outgoing.writeHead(404).end();
  outgoing.setHeader("content-type", "text/javascript").end(readFileSync(join(folder, url)));
}

async function listen(server: Server): Promise<Running> {
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, close: () => void server.close() };
}
