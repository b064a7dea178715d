import { type Kind, type Records } from "../records/kinds.ts";
import type { Query, Storage } from "../storage.ts";
/** What a storage has under an id. One that gives JSON too must give the JSON of the very same, but of nothing archived. */
export declare function got<K extends Kind>(storage: Storage, tenant: string, kind: K, id: string): Promise<Records[K] | undefined>;
/** What a storage lists. One that lists JSON too must list the JSON of the very same. */
export declare function listed<K extends Kind>(storage: Storage, tenant: string, kind: K, query: Query): Promise<readonly Records[K][]>;
