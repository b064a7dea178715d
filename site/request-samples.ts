/** A request, as the samples show it. */
export type SampleRequest = {
  readonly method: string;
  /** The URL after the origin, with the query. */
  readonly path: string;
  /** Headers in the order of the samples. A value can name a variable as `$KEY`. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: unknown;
};

const origin = "http://127.0.0.1:8080";

/** Returns Markdown with one tab per language: curl, TypeScript and Python. */
export function requestTabs(request: SampleRequest): string {
  const blocks = [
    ["sh [curl]", toCurl(request)],
    ["ts [TypeScript]", toTypeScript(request)],
    ["python [Python]", toPython(request)],
  ];
  return `::: code-group\n\n${blocks.map(([info, code]) => `\`\`\`${info}\n${code}\n\`\`\``).join("\n\n")}\n\n:::`;
}

/** Returns a command for a shell in which the variables of the headers are set. */
export function toCurl({ method, path, headers, body }: SampleRequest): string {
  const lines = [`curl -sS ${method === "GET" ? "" : `-X ${method} `}"${origin}${path}"`];
  for (const [name, value] of headers) lines.push(`-H "${name}: ${value}"`);
  if (body !== undefined) lines.push(`-d '${JSON.stringify(body, null, 2).replaceAll("'", "'\\''")}'`);
  return lines.join(" \\\n  ");
}

/** Returns a module for a runtime with \`fetch\`. */
export function toTypeScript({ method, path, headers, body }: SampleRequest): string {
  const options = [
    ...(method === "GET" ? [] : [`method: ${JSON.stringify(method)},`]),
    `headers: {${indent(headerLines(headers, toTypeScriptValue))}\n  },`,
    ...(body === undefined ? [] : [`body: JSON.stringify(${indent(JSON.stringify(body, null, 2))}),`]),
  ];
  return `const response = await fetch(${JSON.stringify(origin + path)}, {
${options.map((line) => `  ${line}`).join("\n")}
});
console.log(response.status, await response.text());`;
}

/** Returns a script that needs only the standard library. */
export function toPython({ method, path, headers, body }: SampleRequest): string {
  const imports = ["import os", "import urllib.request"];
  const options = [
    `${JSON.stringify(origin + path)},`,
    `method=${JSON.stringify(method)},`,
    `headers={${headerLines(headers, toPythonValue)}\n},`,
  ];
  if (body !== undefined) {
    imports.unshift("import json");
    options.push(`data=json.dumps(${toPythonLiteral(body)}).encode(),`);
  }
  return `${imports.join("\n")}

request = urllib.request.Request(
${options.map((line) => `    ${line.replaceAll("\n", "\n    ")}`).join("\n")}
)
with urllib.request.urlopen(request) as response:
    print(response.status, response.read().decode())`;
}

/** Returns code for a value such as `Bearer $TOKEN`, whose variable is last. */
function toTypeScriptValue(value: string): string {
  const [before = "", name] = value.split("$");
  if (name === undefined) return JSON.stringify(value);
  return before === "" ? `process.env.${name} ?? ""` : `\`${before}\${process.env.${name}}\``;
}

function toPythonValue(value: string): string {
  const [before = "", name] = value.split("$");
  if (name === undefined) return JSON.stringify(value);
  return `${before === "" ? "" : `${JSON.stringify(before)} + `}os.environ[${JSON.stringify(name)}]`;
}

/** Returns the members of an object literal or a dictionary, each on its own line if there are several. */
function headerLines(headers: SampleRequest["headers"], toValue: (value: string) => string): string {
  return headers.map(([name, value]) => `\n  ${JSON.stringify(name)}: ${toValue(value)},`).join("");
}

function indent(text: string): string {
  return text.replaceAll("\n", "\n  ");
}

function toPythonLiteral(value: unknown): string {
  const literals: Readonly<Record<string, string>> = { null: "None", true: "True", false: "False" };
  // Only outside of strings, which JSON and Python write alike.
  return JSON.stringify(value, null, 2).replaceAll(/"(?:[^"\\]|\\.)*"|\b(?:null|true|false)\b/g, (part) => {
    return literals[part] ?? part;
  });
}
