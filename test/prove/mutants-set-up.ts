// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the code that is changed has them.
import { fault } from "./mutant.ts";

const conflicts = "lib/endpoints/set-up-conflicts.ts";

/** Changes of the set-up that leave the tenant unusable. */
export const setUp = [
  fault(
    "the last admin can be removed",
    conflicts,
    "id !== before.id)) return;",
    "id !== before.id || id === before.id)) return;",
    ["set-up"],
  ),
  fault(
    "set-up changes that run at the same time",
    "lib/api/set-up-endpoint.ts",
    '[updateWrite("tenant", tenant, tenant, at), ...writes]',
    "[...writes]",
    ["set-up"],
  ),
  fault("a stage in use can be archived", conflicts, "if (count === 0) return;", "if (count >= 0) return;", ["set-up"]),
];
