import { ApiError } from "../errors.ts";
import { openApiJson } from "../openapi/description.ts";
import { page, pageFile, pagePolicy } from "../openapi/reference.ts";
import type { HttpAnswer } from "./answer.ts";

/** What everybody may read, without a key: it is no operation of the API, and takes no token of a rate. */
export type Page = {
  /** Relative to the base url, parameters as `:name`. */
  readonly path: string;
  answer(prefix: string, params: Readonly<Record<string, string>>): HttpAnswer;
};

/** Files that only change with the version of the package may be kept for an hour. */
const forAnHour = { "cache-control": "public, max-age=3600" };

export const pages: readonly Page[] = [
  {
    path: "/openapi.json",
    answer: (prefix) => answer("application/json", openApiJson(prefix)),
  },
  {
    path: "/docs",
    answer: () =>
      answer(page.type, page.body, { "content-security-policy": pagePolicy, "referrer-policy": "no-referrer" }),
  },
  {
    // The page finds its files beside itself, and so stands at one address only.
    path: "/docs/",
    answer: () => ({ status: 308, headers: { location: "../docs" }, body: null }),
  },
  {
    path: "/docs/:file",
    answer: (_, { file = "" }) => {
      const found = pageFile(file);
      if (found === undefined) throw new ApiError("not_found", "There is nothing at this path.");
      return answer(found.type, found.body, forAnHour);
    },
  },
];

function answer(type: string, body: HttpAnswer["body"], headers: HttpAnswer["headers"] = {}): HttpAnswer {
  return { status: 200, headers: { "content-type": type, ...headers }, body };
}
