/** `YYYY-MM-DDTHH:mm:ss.sssZ`, or null. A page has hundreds of them, and `toISOString` takes ten times as long. */
export declare function timeText(at: unknown): string | null;
