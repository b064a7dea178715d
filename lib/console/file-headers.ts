import { hash } from "node:crypto";

/** Files whose names have a hash of their contents. */
const hashedName = /-[A-Z0-9]{8}\.\w+$/;

/**
 * Returns a function that finds the headers of a file by its name. Browsers ask for the page with its ETag on each
 * load, so that an update of the program takes effect at once.
 */
export function fileHeaders(page: string) {
  const headers = {
    "content-security-policy": contentSecurityPolicy(page),
    "referrer-policy": "no-referrer",
    "cross-origin-resource-policy": "same-origin",
    vary: "accept-encoding",
  };
  return (name: string) => ({
    ...headers,
    "cache-control": hashedName.test(name) ? "public, max-age=31536000, immutable" : "no-cache",
  });
}

/**
 * Scripts and styles come only from files of this server. Of inline scripts, only those that the page was built with
 * run, by their hashes. No site can frame the page.
 */
function contentSecurityPolicy(page: string): string {
  const inline = [...page.matchAll(/<script>(.*?)<\/script>/gs)].map(([, script = ""]) => script);
  return [
    "default-src 'none'",
    ["script-src 'self'", ...inline.map((script) => `'sha256-${hash("sha256", script, "base64")}'`)].join(" "),
    "style-src 'self'",
    "img-src 'self' data:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join("; ");
}
