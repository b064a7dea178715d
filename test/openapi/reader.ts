import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import { isCurrency } from "../../lib/model/currency.ts";
import { isCalendarDate, isUuid, parseDateTime } from "../../lib/model/scalars.ts";

/** A part of a description. */
export type Tree = { readonly [key: string]: Tree | undefined };

/** What stands at a JSON Pointer, where the references on the way were followed to. */
export type Found = { readonly pointer: string; readonly value: Tree | undefined };

/** Whether a path is that of an operation, and of which. */
export type Route = { readonly known: boolean; readonly operation: string | undefined };

const formats = {
  uuid: isUuid,
  date: isCalendarDate,
  "date-time": (text: string) => parseDateTime(text) !== undefined,
  "iso-4217": isCurrency,
  "uri-reference": true,
} as const;

/** A regular expression for what precedes `/integrations/api-key`: any path that contains none of the API's own paths. */
const adminPrefix = "(?:(?!/integrations/(?:v1|api-key)/).)*";

/** Reads a description in OpenAPI, and compares values with the schemas in it, compiled when they are first needed. */
export class Reader {
  readonly #description: Tree;
  readonly #ajv = new Ajv2020({ allErrors: true, strict: false, strictNumbers: true, formats, validateSchema: false });
  readonly #validators = new Map<string, ValidateFunction>();
  readonly #routes: readonly { readonly path: string; readonly methods: Tree; readonly form: RegExp }[];

  constructor(description: unknown) {
    this.#description = description as Tree;
    this.#ajv.addSchema(this.#description, "api");
    this.#routes = Object.entries((this.#description.paths ?? {}) as Record<string, Tree>).map(([path, methods]) => {
      const base = "servers" in methods ? `${adminPrefix}/integrations` : ".*/integrations/v1";
      return { path, methods, form: new RegExp(`^${base}${path.replace(/\{\w+\}/g, "[^/]+")}$`) };
    });
  }

  /** The pointer of the operation that a request is for, behind any prefix. */
  route(method: string, pathname: string): Route {
    const found = this.#routes.filter(({ form }) => form.test(pathname));
    const route = found.find(({ methods }) => method.toLowerCase() in methods);
    const operation = route && pointerTo("paths", route.path, method.toLowerCase());
    return { known: found.length > 0, operation };
  }

  at(pointer: string): Found {
    const keys = pointer.split("/").slice(1);
    const value = keys.reduce<Tree | undefined>((node, key) => node?.[unescaped(key)], this.#description);
    const ref = value?.$ref as string | undefined;
    return ref === undefined ? { pointer, value } : this.at(ref.slice(1));
  }

  /** In what a value does not fit the schema at this pointer. */
  misfits(pointer: string, value: unknown, what: string): readonly string[] {
    const validate = this.#validators.get(pointer) ?? this.#ajv.compile({ $ref: `api#${encodeURI(pointer)}` });
    this.#validators.set(pointer, validate);
    if (validate(value)) return [];
    return (validate.errors ?? []).map(({ instancePath, message }) => `${what}${instancePath} ${message}`);
  }
}

/** A JSON Pointer of these keys. */
export function pointerTo(...keys: readonly string[]): string {
  return keys.map((key) => `/${key.replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");
}

function unescaped(key: string): string {
  return key.replaceAll("~1", "/").replaceAll("~0", "~");
}
