import { JsonParseError, parseJsonObject } from "#lib";
import { Failure } from "../cli/errors.ts";

/** A line of a file that is not blank, and which one it is. */
export type JsonLine = { readonly line: number; readonly text: string };

/** As much as the API takes of one record. */
const lineLengthMax = 1_048_576;

/** The lines of an NDJSON file; blank ones are left out. @throws Failure where one is longer than any record */
export async function* ndjsonLines(chunks: AsyncIterable<Buffer>, name: string): AsyncGenerator<JsonLine> {
  let [line, rest] = [0, ""];
  const decoder = new TextDecoder("utf-8");
  const take = (text: string): JsonLine | undefined => {
    line += 1;
    return text.trim() === "" ? undefined : { line, text: text.trim() };
  };
  for await (const chunk of chunks) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n");
    rest = lines.pop() ?? "";
    for (const each of [...lines.map(take)]) if (each !== undefined) yield each;
    if (rest.length > lineLengthMax)
      throw new Failure(`${name}: line ${line + 1} is longer than 1 MiB. One record stands on one line.`);
  }
  const last = take(rest);
  if (last !== undefined) yield last;
}

/** The object on a line, or what is wrong with it: as with the API, no key may stand in it twice. */
export function objectOf(text: string): Readonly<Record<string, unknown>> | string {
  try {
    return parseJsonObject(Buffer.from(text));
  } catch (error) {
    if (!(error instanceof JsonParseError)) throw error;
    return error.message.replace("The body", "The line");
  }
}
