// Made from docs/openapi.json by `npm run client-types`. A test keeps it current.
export {};
