import type { BrowserContext, Page, Request } from "playwright-core";

/** The problems in a browser. */
export type Watched = {
  /** CSP reports, messages in the console, exceptions, failed requests and requests to other hosts. */
  readonly problems: string[];
  /** Responses with an error status, such as `POST /accounts 422`. */
  readonly errors: string[];
  readonly expected: string[];
};

/** The requests to the API in all tests of this file, such as `PATCH /admin/users/{id}`. */
export const recorded = new Set<string>();

const reportCsp = `addEventListener("securitypolicyviolation", (event) =>
  console.error("CSP", event.violatedDirective, event.blockedURI, event.sourceFile, event.lineNumber));`;

/** The browser reports each response with an error status. `errors` has them too. */
const statusMessage = /^Failed to load resource: the server responded with a status of/;

/** Returns the origin of the server with the host that browsers have passkeys for. */
export const localhostOf = (origin: string): string => origin.replace("127.0.0.1", "localhost");

/** Watches all pages of a browser profile. */
export async function watch(context: BrowserContext, origin: string): Promise<Watched> {
  const watched: Watched = { problems: [], errors: [], expected: [] };
  const { problems, errors } = watched;
  await context.addInitScript({ content: reportCsp });
  context.on("page", (page: Page) => page.on("pageerror", (error) => problems.push(`exception: ${error.stack}`)));
  context.on("console", (message) => {
    if (!statusMessage.test(message.text())) problems.push(`${message.type()}: ${message.text()}`);
  });
  context.on("request", (request) => {
    const url = new URL(request.url());
    if (url.protocol !== "data:" && ![origin, localhostOf(origin)].includes(url.origin))
      problems.push(`request to ${url}`);
    if (url.pathname.startsWith("/console/api/")) recorded.add(nameOf(request));
  });
  context.on("requestfailed", (request) => {
    // The page cancels requests of a screen that the user leaves.
    const reason = request.failure()?.errorText;
    if (reason !== "net::ERR_ABORTED") problems.push(`${nameOf(request)}: ${reason}`);
  });
  context.on("response", (response) => {
    if (response.status() >= 400) errors.push(`${nameOf(response.request())} ${response.status()}`);
  });
  return watched;
}

/** Returns the method and the path as the API description has them. */
function nameOf(request: Request): string {
  const path = new URL(request.url()).pathname
    .replace(/^\/console\/api(\/v1)?/, "")
    .replaceAll(/[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}/g, "{id}");
  return `${request.method()} ${path}`;
}
