import { Agent, request } from "node:http";

/**
 * `sync.ts URL KEY…` reads all tasks of the tenants of these keys. `sync.ts URL --page PATH COUNT` reads one page COUNT
 * times. It reads only the cursor of a page, so that it measures the server.
 */
const [, , url = "", ...args] = process.argv;
const agent = new Agent({ keepAlive: true, maxSockets: 1 });
let records = 0;
let firstMs: number | undefined;
const start = performance.now();

function page(path: string, key: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const outgoing = request(url + path, { agent, headers: { "x-api-key": key } }, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("end", () => {
        const text = Buffer.concat(chunks).toString("latin1");
        if (response.statusCode !== 200) return reject(new Error(text));
        firstMs ??= performance.now() - start;
        records += text.split('"updatedAt":').length - 1;
        resolve(text);
      });
    });
    outgoing.on("error", reject).end();
  });
}

async function sync(key: string): Promise<void> {
  for (let cursor: string | undefined = ""; cursor !== undefined; ) {
    const text = await page(`/integrations/v1/tasks?limit=200${cursor && `&cursor=${cursor}`}`, key);
    cursor = /"nextCursor":"([^"]+)"\}$/.exec(text.slice(-300))?.[1];
  }
}

async function all(): Promise<void> {
  if (args[0] === "--page") for (let count = 0; count < Number(args[2]); count++) await page(args[1] ?? "", "");
  else for (const key of args) await sync(key);
}

void all().then(() => {
  process.stdout.write(JSON.stringify({ records, milliseconds: performance.now() - start, firstMs }));
  agent.destroy();
});
