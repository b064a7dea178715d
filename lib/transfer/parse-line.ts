import { JsonParseError, parseJsonObject } from "../model/parse-json.ts";

/** Parses the object of a line, or returns why it isn't one. Repeated keys are an error, as in the API. */
export function parseLine(text: string): Readonly<Record<string, unknown>> | JsonParseError {
  try {
    return parseJsonObject(new TextEncoder().encode(text));
  } catch (error) {
    if (!(error instanceof JsonParseError)) throw error;
    return error;
  }
}
