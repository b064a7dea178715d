/** Scripts and styles come only from files of this server. No site can frame the page. */
const csp = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join("; ");

const headers = {
  "content-security-policy": csp,
  "referrer-policy": "no-referrer",
  "cross-origin-resource-policy": "same-origin",
  vary: "accept-encoding",
};

/** Files whose names have a hash of their contents. */
const hashedName = /-[A-Z0-9]{8}\.\w+$/;

/** Browsers ask for the page with its ETag on each load, so that an update of the program takes effect at once. */
export function fileHeaders(name: string) {
  return { ...headers, "cache-control": hashedName.test(name) ? "public, max-age=31536000, immutable" : "no-cache" };
}
