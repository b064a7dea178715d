import { JsonParseError, parseJsonObject } from "../model/parse-json.ts";

/** Parses the object of a line, or returns an error message. Repeated keys are an error, as in the API. */
export function parseLine(text: string): Readonly<Record<string, unknown>> | string {
  try {
    return parseJsonObject(new TextEncoder().encode(text));
  } catch (error) {
    if (!(error instanceof JsonParseError)) throw error;
    return `The line ${error.problem.replace("at line 1, column", "at column")}`;
  }
}
