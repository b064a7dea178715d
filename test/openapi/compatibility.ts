import { isDeepStrictEqual } from "node:util";
import { type Direction, schemaBreaks, type Tree } from "./schema-compatibility.ts";

const methods = ["get", "post", "patch", "delete", "put"];

/**
 * Returns the changes between two descriptions that can break a client, one sentence each. These are not breaking: new
 * operations, optional parameters, members of responses and error statuses, and changed texts.
 */
export function breakingChanges(before: Tree, after: Tree): readonly string[] {
  const found = Object.entries(children(before.paths)).flatMap(([path, item]) =>
    Object.keys(item)
      .filter((method) => methods.includes(method))
      .flatMap((method) => {
        const [was, is] = [item[method] as Tree, children(children(after.paths)[path])[method]];
        const name = `${method.toUpperCase()} ${path}`;
        if (is === undefined) return [`${name} was removed`];
        return [
          ...(isDeepStrictEqual(serverUrls(item), serverUrls(after.paths?.[path]))
            ? []
            : [`${name} is on another server`]),
          ...operationBreaks({ before, after, was, is }).map((text) => `${name}: ${text}`),
        ];
      }),
  );
  return [...(isDeepStrictEqual(serverUrls(before), serverUrls(after)) ? [] : ["the servers changed"]), ...found];
}

type Operations = { readonly before: Tree; readonly after: Tree; readonly was: Tree; readonly is: Tree };

function operationBreaks(operations: Operations): string[] {
  const { was, is } = operations;
  const same = (key: string): boolean => isDeepStrictEqual(was[key], is[key]);
  return [
    ...(same("operationId") ? [] : ["the operationId changed"]),
    ...(same("x-scope") && same("security") ? [] : ["the required permission changed"]),
    ...parameterBreaks(operations),
    ...bodyBreaks(operations),
    ...responseBreaks(operations),
  ];
}

function parameterBreaks({ before, after, was, is }: Operations): string[] {
  const [old, now] = [parametersOf(before, was), parametersOf(after, is)];
  const existing = [...old].flatMap(([name, parameter]) => {
    const other = now.get(name);
    if (other === undefined) return [`the parameter ${name} was removed`];
    const needed =
      isTrue(other.required) && !isTrue(parameter.required) ? [`the parameter ${name} is now required`] : [];
    return [...needed, ...compare(before, after, parameter.schema, other.schema, "request", name)];
  });
  const added = [...now].filter(([name, { required }]) => !old.has(name) && isTrue(required));
  return [...existing, ...added.map(([name]) => `the new parameter ${name} is required`)];
}

function bodyBreaks({ before, after, was, is }: Operations): string[] {
  const [old, now] = [was.requestBody, is.requestBody];
  if (now === undefined) return old === undefined ? [] : ["the body was removed"];
  const needed = isTrue(now.required) && !isTrue(old?.required) ? ["a body is now required"] : [];
  if (old === undefined) return needed;
  return [...needed, ...contentBreaks(before, after, old, now, "request", "the body")];
}

function responseBreaks({ before, after, was, is }: Operations): string[] {
  return Object.entries(children(was.responses)).flatMap(([status, declared]) => {
    const [old, now] = [resolved(before, declared), resolved(after, is.responses?.[status])];
    if (now === undefined) return [`${status} was removed`];
    const headers = Object.entries(children(old?.headers)).flatMap(([name, header]) => {
      const [oldHeader, newHeader] = [resolved(before, header), resolved(after, now.headers?.[name])];
      if (newHeader === undefined) return [`${status} no longer has the header ${name}`];
      return isTrue(oldHeader?.required) && !isTrue(newHeader.required)
        ? [`${status} no longer requires the header ${name}`]
        : [];
    });
    return [...headers, ...contentBreaks(before, after, old, now, "response", status)];
  });
}

function contentBreaks(
  before: Tree,
  after: Tree,
  old: Tree | undefined,
  now: Tree,
  direction: Direction,
  where: string,
): string[] {
  return Object.entries(children(old?.content)).flatMap(([type, { schema }]) => {
    const other = now.content?.[type];
    if (other === undefined) return [`${where} is no longer ${type}`];
    return compare(before, after, schema, other.schema, direction, where);
  });
}

function compare(
  before: Tree,
  after: Tree,
  old: Tree | undefined,
  now: Tree | undefined,
  direction: Direction,
  where: string,
) {
  return [
    ...schemaBreaks({ document: before, schema: old ?? {} }, { document: after, schema: now ?? {} }, direction, where),
  ];
}

/** Returns the parameters by location and name: `?limit`, `{id}` or the name of a header. */
function parametersOf(document: Tree, { parameters }: Tree): ReadonlyMap<string, Tree> {
  const notations = { query: "?$", path: "{$}", header: "$", cookie: "cookie $" };
  const entries = Object.values(children(parameters)).map((declared): [string, Tree] => {
    const parameter = resolved(document, declared) as Tree;
    const notation = notations[parameter.in as unknown as keyof typeof notations];
    return [notation.replace("$", String(parameter.name)), parameter];
  });
  return new Map(entries);
}

/** Returns the target of a reference. Returns any other node unchanged. */
export function resolved(document: Tree, node: Tree | undefined): Tree | undefined {
  const ref = node?.$ref as string | undefined;
  if (ref === undefined) return node;
  const keys = ref.split("/").slice(1);
  return keys.reduce<Tree | undefined>((found, key) => found?.[key.replaceAll("~1", "/")], document);
}

function serverUrls(node: Tree | undefined): readonly unknown[] {
  return Object.values(children(node?.servers)).map(({ url }) => url);
}

function children(node: Tree | undefined): Readonly<Record<string, Tree>> {
  return (node ?? {}) as Readonly<Record<string, Tree>>;
}

function isTrue(value: unknown): boolean {
  return value === true;
}
