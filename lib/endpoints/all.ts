import type { Endpoint } from "../endpoint.ts";
import { me } from "./me.ts";
import { tasks } from "./tasks.ts";
import { users } from "./users.ts";

/** Every operation of the API. Routes, permissions, documentation and tests are made from this list. */
export const endpoints: readonly Endpoint[] = [...tasks, ...users, ...me];
