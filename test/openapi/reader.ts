import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import * as v from "valibot";
import { currency } from "../../lib/model/currency.ts";
import { isCalendarDate, parseDateTime } from "../../lib/model/date-time.ts";
import { isUuid } from "../../lib/model/scalars.ts";

/** A part of an OpenAPI document. */
export type Tree = { readonly [key: string]: Tree | undefined };

/** A value in the document and its JSON Pointer, after following references. */
export type Located = { readonly pointer: string; readonly value: Tree | undefined };

/** The operation of a request. `isKnownPath` is true if the path has any operation. */
export type Route = { readonly isKnownPath: boolean; readonly operation: string | undefined };

const formats = {
  uuid: isUuid,
  date: isCalendarDate,
  "date-time": (text: string) => parseDateTime(text) !== undefined,
  "iso-4217": (code: string) => v.is(currency, code),
  "uri-reference": true,
} as const;

/** Regular expression for the prefix of admin paths: any path without an API path in it. */
const adminPrefix = "(?:(?!/integrations/(?:v1|api-key)/).)*";

/** Validates values against the schemas of an OpenAPI document. Compiles each schema on first use. */
export class Reader {
  readonly #description: Tree;
  readonly #ajv = new Ajv2020({ allErrors: true, strict: false, strictNumbers: true, formats, validateSchema: false });
  readonly #validators = new Map<string, ValidateFunction>();
  readonly #routes: readonly { readonly path: string; readonly methods: Tree; readonly pattern: RegExp }[];

  constructor(description: unknown) {
    this.#description = description as Tree;
    this.#ajv.addKeyword({
      keyword: "x-pattern",
      validate: (pattern: string, value: unknown) => typeof value !== "string" || new RegExp(pattern).test(value),
    });
    this.#ajv.addSchema(this.#description, "api");
    this.#routes = Object.entries((this.#description.paths ?? {}) as Record<string, Tree>).map(([path, methods]) => {
      const base = "servers" in methods ? `${adminPrefix}/integrations` : ".*/integrations/v1";
      return { path, methods, pattern: new RegExp(`^${base}${path.replace(/\{\w+\}/g, "[^/]+")}$`) };
    });
  }

  /** Finds the operation of a request. The path may have a prefix. */
  route(method: string, pathname: string): Route {
    const matching = this.#routes.filter(({ pattern }) => pattern.test(pathname));
    // A path without parameters wins: /accounts/batch isn't about a record.
    const fixed = matching.filter(({ path }) => !path.includes("{"));
    const found = fixed.length > 0 ? fixed : matching;
    const route = found.find(({ methods }) => method.toLowerCase() in methods);
    const operation = route && pointerTo("paths", route.path, method.toLowerCase());
    return { isKnownPath: found.length > 0, operation };
  }

  /** Returns the value at a JSON Pointer. Follows references. */
  at(pointer: string): Located {
    const keys = pointer.split("/").slice(1);
    const value = keys.reduce<Tree | undefined>((node, key) => node?.[unescaped(key)], this.#description);
    const ref = value?.$ref as string | undefined;
    return ref === undefined ? { pointer, value } : this.at(ref.slice(1));
  }

  /** Validates a value against the schema at a pointer. Returns the errors, each starting with `name`. */
  schemaErrors(pointer: string, value: unknown, name: string): readonly string[] {
    const validate = this.#validators.get(pointer) ?? this.#ajv.compile({ $ref: `api#${encodeURI(pointer)}` });
    this.#validators.set(pointer, validate);
    if (validate(value)) return [];
    return (validate.errors ?? []).map(({ instancePath, message }) => `${name}${instancePath} ${message}`);
  }
}

/** Returns the JSON Pointer of a list of keys. */
export function pointerTo(...keys: readonly string[]): string {
  return keys.map((key) => `/${key.replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");
}

function unescaped(key: string): string {
  return key.replaceAll("~1", "/").replaceAll("~0", "~");
}
