/** Declares an endpoint; the handler's query and body have the types of the schemas. */
export function endpoint(declared) {
    return { ...declared, query: declared.query ?? {} };
}
