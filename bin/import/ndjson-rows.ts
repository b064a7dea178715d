import { Failure } from "../cli/errors.ts";

/** A line with its number. */
export type JsonLine = { readonly line: number; readonly text: string };

/** The limit of a request body. */
const maxLineLength = 1_048_576;

/** Yields the lines of an NDJSON file except blank lines. @throws Failure if a line is too long */
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
    if (rest.length > maxLineLength)
      throw new Failure(`${name}: line ${line + 1} is longer than 1 MiB. Put each record on its own line.`);
  }
  const last = take(rest);
  if (last !== undefined) yield last;
}
