import { CrmError } from "./error.js";
export function collection(send, path) {
    const place = (id) => `${path}/${encodeURIComponent(id)}`;
    const one = async (method, at, sent) => dataOf((await send(method, at, sent)).body);
    const pageAt = (query, signal) => page(send, path, query, signal);
    return {
        list: ({ signal, idempotencyKey: _, ...query } = {}) => pages((cursor) => pageAt(cursor === undefined ? query : { ...query, cursor }, signal)),
        get: (id, options) => one("GET", place(id), { ...options }),
        create: (body, options) => one("POST", path, { ...options, body }),
        update: (id, body, options) => one("PATCH", place(id), { ...options, body }),
        archive: async (id, options) => void (await send("DELETE", place(id), options)),
        restore: (id, options) => one("POST", `${place(id)}/restore`, { ...options, body: {} }),
        sync: (options) => sync(options, pageAt),
    };
}
/** `data` of an answer with a single record or a plain list. */
export function dataOf(body) {
    return body.data;
}
async function page(send, path, query, signal) {
    const sent = { query: query, ...(signal === undefined ? {} : { signal }) };
    const { body, headers } = await send("GET", path, sent);
    return {
        ...body,
        nextUpdatedSince: headers.get("x-next-updated-since") ?? "",
    };
}
function pages(pageAfter) {
    async function* walk() {
        let cursor;
        do {
            const next = await pageAfter(cursor);
            yield next;
            cursor = next.nextCursor ?? undefined;
        } while (cursor !== undefined);
    }
    async function* records() {
        for await (const { data } of walk())
            yield* data;
    }
    return { [Symbol.asyncIterator]: walk, records };
}
const noWatermark = "The answer lacks X-Next-Updated-Since. Something on the way has removed it, or hides it (Access-Control-Expose-Headers).";
async function sync({ since, onPage, onWatermark, limit = 200, signal }, pageAt) {
    let watermark = since;
    let cursor = null;
    do {
        const start = { updatedSince: watermark, includeArchived: true };
        // A cursor keeps its filters, and a database that was restored from a backup knows none of before.
        const next = await pageAt({ limit, ...(cursor === null ? start : { cursor }) }, signal).catch((error) => {
            if (cursor === null || !(error instanceof CrmError) || error.code !== "invalid_cursor")
                throw error;
            return pageAt({ limit, ...start }, signal);
        });
        // Stored, an empty one would be lost work at best.
        if (next.nextUpdatedSince === "")
            throw new Error(noWatermark);
        await onPage(next.data, next);
        watermark = next.nextUpdatedSince;
        await onWatermark?.(watermark);
        cursor = next.nextCursor;
    } while (cursor !== null);
    return watermark;
}
