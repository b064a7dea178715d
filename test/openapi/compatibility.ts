import { isDeepStrictEqual } from "node:util";
import { type Direction, schemaBreaks, type Tree } from "./schema-compatibility.ts";

const methods = ["get", "post", "patch", "delete", "put"];

/**
 * What a client of the description `before` could stumble over in `after`, a sentence each. Additions are no breaks:
 * operations, optional parameters and keys, members of answers, statuses of errors.
 */
export function breaks(before: Tree, after: Tree): readonly string[] {
  const found = Object.entries(children(before.paths)).flatMap(([path, item]) =>
    Object.keys(item)
      .filter((method) => methods.includes(method))
      .flatMap((method) => {
        const [was, is] = [item[method] as Tree, children(children(after.paths)[path])[method]];
        const name = `${method.toUpperCase()} ${path}`;
        if (is === undefined) return [`${name} is gone`];
        return [
          ...(isDeepStrictEqual(item.servers, after.paths?.[path]?.servers) ? [] : [`${name} is served elsewhere`]),
          ...operationBreaks({ before, after, was, is }).map((text) => `${name}: ${text}`),
        ];
      }),
  );
  return [...(isDeepStrictEqual(before.servers, after.servers) ? [] : ["the servers have changed"]), ...found];
}

type Operations = { readonly before: Tree; readonly after: Tree; readonly was: Tree; readonly is: Tree };

function operationBreaks(operations: Operations): string[] {
  const { was, is } = operations;
  const same = (key: string): boolean => isDeepStrictEqual(was[key], is[key]);
  return [
    ...(same("operationId") ? [] : ["its operationId has changed"]),
    ...(same("x-scope") && same("security") ? [] : ["it needs something else to be called"]),
    ...parameterBreaks(operations),
    ...bodyBreaks(operations),
    ...responseBreaks(operations),
  ];
}

function parameterBreaks({ before, after, was, is }: Operations): string[] {
  const [old, now] = [parametersOf(before, was), parametersOf(after, is)];
  const kept = [...old].flatMap(([name, parameter]) => {
    const other = now.get(name);
    if (other === undefined) return [`the parameter ${name} is gone`];
    const needed =
      isTrue(other.required) && !isTrue(parameter.required) ? [`the parameter ${name} is now required`] : [];
    return [...needed, ...compare(before, after, parameter.schema, other.schema, "request", name)];
  });
  const added = [...now].filter(([name, { required }]) => !old.has(name) && isTrue(required));
  return [...kept, ...added.map(([name]) => `the new parameter ${name} is required`)];
}

function bodyBreaks({ before, after, was, is }: Operations): string[] {
  const [old, now] = [was.requestBody, is.requestBody];
  if (now === undefined) return old === undefined ? [] : ["it takes no body any more"];
  const needed = isTrue(now.required) && !isTrue(old?.required) ? ["a body is now required"] : [];
  if (old === undefined) return needed;
  return [...needed, ...contentBreaks(before, after, old, now, "request", "the body")];
}

function responseBreaks({ before, after, was, is }: Operations): string[] {
  return Object.entries(children(was.responses)).flatMap(([status, declared]) => {
    const [old, now] = [resolved(before, declared), resolved(after, is.responses?.[status])];
    if (now === undefined) return [`${status} is gone`];
    const headers = Object.entries(children(old?.headers)).flatMap(([name, header]) => {
      const [had, has] = [resolved(before, header), resolved(after, now.headers?.[name])];
      if (has === undefined) return [`${status} has lost the header ${name}`];
      return isTrue(had?.required) && !isTrue(has.required) ? [`${status} may lack the header ${name}`] : [];
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

/** The parameters by place and name: `?limit`, `{id}`, a header as itself. */
function parametersOf(document: Tree, { parameters }: Tree): ReadonlyMap<string, Tree> {
  const shown = { query: "?$", path: "{$}", header: "$", cookie: "cookie $" };
  const entries = Object.values(children(parameters)).map((declared): [string, Tree] => {
    const parameter = resolved(document, declared) as Tree;
    const form = shown[parameter.in as unknown as keyof typeof shown];
    return [form.replace("$", String(parameter.name)), parameter];
  });
  return new Map(entries);
}

/** What a reference refers to, or the thing itself. */
export function resolved(document: Tree, node: Tree | undefined): Tree | undefined {
  const ref = node?.$ref as string | undefined;
  if (ref === undefined) return node;
  const keys = ref.split("/").slice(1);
  return keys.reduce<Tree | undefined>((found, key) => found?.[key.replaceAll("~1", "/")], document);
}

function children(node: Tree | undefined): Readonly<Record<string, Tree>> {
  return (node ?? {}) as Readonly<Record<string, Tree>>;
}

function isTrue(value: unknown): boolean {
  return value === true;
}
