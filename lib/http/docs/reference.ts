import { type AssetName, readAsset } from "./assets.ts";

/** A file of the reference page: what it is, and its bytes. */
export type PageFile = { readonly type: string; readonly body: string | Uint8Array<ArrayBuffer> };

/** Everything comes from the server itself, scripts and styles from files only; nobody may frame the page. */
export const docsCsp = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

/** The reference of the API: Swagger UI over the description, both found beside the page. */
export const docsPage: PageFile = {
  type: "text/html; charset=utf-8",
  body: `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>crm-integrations: reference</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="docs/swagger-ui.css">
</head>
<body>
<div id="reference"></div>
<noscript>This page needs JavaScript. The description itself is <a href="openapi.json">openapi.json</a>.</noscript>
<script src="docs/swagger-ui-bundle.js"></script>
<script src="docs/start.js"></script>
</body>
</html>
`,
};

const start = `SwaggerUIBundle({
  url: "openapi.json",
  dom_id: "#reference",
  deepLinking: true,
  displayRequestDuration: true,
  docExpansion: "list",
  defaultModelsExpandDepth: 0,
  validatorUrl: null,
});
`;

const script = "text/javascript; charset=utf-8";
const files: Readonly<Record<string, () => PageFile>> = {
  "start.js": () => ({ type: script, body: start }),
  "swagger-ui-bundle.js": () => ({ type: script, body: kept("swagger-ui-bundle.js") }),
  "swagger-ui.css": () => ({ type: "text/css; charset=utf-8", body: kept("swagger-ui.css") }),
};

/** A file that the page loads, by its name; undefined where it has none of that name. */
export function docsAsset(name: string): PageFile | undefined {
  return Object.hasOwn(files, name) ? files[name]?.() : undefined;
}

const read = new Map<AssetName, Uint8Array<ArrayBuffer>>();

function kept(name: AssetName): Uint8Array<ArrayBuffer> {
  const bytes = read.get(name) ?? readAsset(name);
  read.set(name, bytes);
  return bytes;
}
