import { type AssetName, readAsset } from "./assets.ts";

/** A file of the reference page, with its media type. */
export type DocsFile = { readonly type: string; readonly body: string | Uint8Array<ArrayBuffer> };

/** Content-Security-Policy of the page: scripts and styles come only from files of this server, and no site may frame the page. */
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

/** The reference page: Swagger UI, which loads `openapi.json` from the same folder. */
export const docsPage: DocsFile = {
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

/** Starts the page. Once an API key is given, it shows the description with the fields of its tenant. */
const start = `const describeTenant = (system, headers) =>
  fetch("openapi.json", { headers }).then(async (response) => {
    if (response.ok) system.specActions.updateSpec(await response.text());
  });
SwaggerUIBundle({
  url: "openapi.json",
  dom_id: "#reference",
  deepLinking: true,
  displayRequestDuration: true,
  docExpansion: "list",
  defaultModelsExpandDepth: 0,
  validatorUrl: null,
  plugins: [
    ({ getComponent, React }) => ({
      // Without it, a list of UUIDs logs a warning.
      components: {
        JsonSchema_string_uuid: (props) => React.createElement(getComponent("JsonSchema_string"), props),
      },
      statePlugins: {
        auth: {
          wrapActions: {
            authorize: (authorize, system) => (given) => {
              const key = given.apiKey?.value ?? given.bearerKey?.value;
              if (key) describeTenant(system, { "x-api-key": key });
              return authorize(given);
            },
            logout: (logout, system) => (names) => {
              describeTenant(system, {});
              return logout(names);
            },
          },
        },
      },
    }),
  ],
});
`;

const script = "text/javascript; charset=utf-8";
const files: Readonly<Record<string, () => DocsFile>> = {
  "start.js": () => ({ type: script, body: start }),
  "swagger-ui-bundle.js": () => ({ type: script, body: readCached("swagger-ui-bundle.js") }),
  "swagger-ui.css": () => ({ type: "text/css; charset=utf-8", body: readCached("swagger-ui.css") }),
};

/** Returns a file that the page loads, or undefined if the name is unknown. */
export function findDocsFile(name: string): DocsFile | undefined {
  return Object.hasOwn(files, name) ? files[name]?.() : undefined;
}

const cache = new Map<AssetName, Uint8Array<ArrayBuffer>>();

function readCached(name: AssetName): Uint8Array<ArrayBuffer> {
  const bytes = cache.get(name) ?? readAsset(name);
  cache.set(name, bytes);
  return bytes;
}
